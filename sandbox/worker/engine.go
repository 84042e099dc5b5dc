package worker

import (
	"encoding/json"
	"errors"
	"runtime"

	"github.com/dop251/goja"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// An engine is the realm of one script with the tools and the console it was given. It lives on one goroutine.
type engine struct {
	*realm
	link    *link
	start   wire.StartHead
	script  *script
	console console
	calls   map[uint32]*call
	lastID  uint32
	errors  map[*goja.Object]*callFailure
	lost    rejections
	names   map[string]bool // what the script could call, nil until it asked
	order   []string        // the same in the parent's order
	texts   []string        // tools that returned text, for hints
	hints   []string        // what errors were given so far, one of each kind and name

	teachingView goja.Value   // see newTeachingView
	private      []goja.Value // see helpers
}

// newEngine makes as much as can be made before the job is known: nobody waits for it yet.
func newEngine() *engine {
	e := &engine{
		realm:  newRealm(),
		calls:  map[uint32]*call{},
		errors: map[*goja.Object]*callFailure{},
	}
	e.vm.SetPromiseRejectionTracker(e.lost.track)
	e.console.engine = e
	e.tools = e.newTools().(*goja.Object)
	e.define("tools", e.tools)
	e.define("console", e.console.object())
	e.private = e.helpers()
	return e
}

// attach joins the engine to its job, and adds the globals that only the job asks for.
func (e *engine) attach(l *link, start wire.StartHead) {
	l.frame = start.FrameBytes
	e.link, e.start, e.console.limit = l, start, start.LogChars
	if start.WebGlobals {
		e.addWebGlobals()
	}
}

// define adds a global that for-in over globalThis does not show.
func (e *engine) define(name string, v goja.Value) {
	if err := e.vm.GlobalObject().DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic("worker: " + err.Error())
	}
}

// run compiles and runs the model's text. The value is empty for undefined.
func (e *engine) run(code string) (json.RawMessage, *wire.FailedHead) {
	s, fail := compile(code, e.start.Prefix)
	if fail != nil {
		return nil, fail
	}
	return e.execute(s)
}

// execute runs a compiled script to its end: until its promise is settled, or until nothing is left that could
// settle it.
func (e *engine) execute(s *script) (json.RawMessage, *wire.FailedHead) {
	e.script = s
	outcome, err := e.begin()
	if err != nil {
		return nil, e.failure(err)
	}
	for outcome.State() == goja.PromiseStatePending {
		if len(e.calls) == 0 {
			return nil, failed(sandbox.KindStalled, "", textStalled)
		}
		if err := e.settleNext(); err != nil {
			return nil, e.failure(err)
		}
	}
	e.warnLost(outcome)
	if outcome.State() == goja.PromiseStateRejected {
		return nil, e.thrown(outcome.Result())
	}
	return e.result(outcome.Result())
}

// begin starts the script and returns the promise of its end.
func (e *engine) begin() (*goja.Promise, error) {
	v, err := e.vm.RunProgram(e.script.program)
	for _, args := range [][]goja.Value{e.private, nil} {
		if err != nil {
			return nil, err
		}
		f, _ := goja.AssertFunction(v)
		v, err = f(goja.Undefined(), args...)
	}
	if err != nil {
		return nil, err
	}
	return v.Export().(*goja.Promise), nil
}

// result writes the return value as JSON.
func (e *engine) result(v goja.Value) (json.RawMessage, *wire.FailedHead) {
	if goja.IsUndefined(v) {
		e.hintNothing()
		return nil, nil
	}
	c := encoder{realm: e.realm, limit: int(e.link.limit())}
	if c.leftOut(v) {
		e.warnings(&c)
		return nil, nil
	}
	if err := c.encode(v); err != nil {
		var r refusal
		if !errors.As(err, &r) {
			return nil, e.failure(err)
		}
		return nil, failed(sandbox.KindUnserializable, "", textUnserializable(r.path.String(), r.reason))
	}
	e.warnings(&c)
	if promiseText.Match(c.out) {
		e.warn(textPromiseText)
	}
	return c.out, nil
}

func (e *engine) warnings(c *encoder) {
	for _, w := range c.warnings {
		e.warn(w)
	}
	if c.more > 0 {
		e.warn(textMoreLosses(c.more))
	}
}

func (e *engine) warn(text string) { e.link.mustSend(wire.Warn, 0, nil, []byte(text)) }

// hintNothing says why a script that returned nothing may have meant to.
func (e *engine) hintNothing() {
	switch {
	case e.script.hints.onlyDecls && e.lastID == 0 && e.console.chars == 0:
		e.warn(textOnlyDeclares)
	case e.script.hints.dropsLast && e.console.chars == 0:
		e.warn(textDropsLast)
	case e.script.hints.returnsMember && len(e.texts) > 0:
		e.warn(textMemberOfText(e.texts[len(e.texts)-1]))
	}
}

// guard runs f and turns everything that unwinds the Go stack into a failure. A lost link is in l.err.
func (e *engine) guard(f func() (json.RawMessage, *wire.FailedHead)) (body json.RawMessage, fail *wire.FailedHead) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case linkLost:
		case engineFault:
			fail = failed(sandbox.KindInternal, "", textEngineFault)
		case runtime.Error:
			fail = failed(sandbox.KindInternal, "", textEngineFault)
		case error:
			fail = e.failure(x)
		default:
			fail = failed(sandbox.KindInternal, "", textEngineFault)
		}
		if fail != nil {
			body = nil
		}
	}()
	return f()
}
