package worker

import (
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// A call is one nested call on its way.
type call struct {
	name            string
	resolve, reject func(any) error
	stack           []goja.StackFrame // where the script made it
}

// A callFailure is what an Error of ours stands for.
type callFailure struct {
	name  string
	kind  sandbox.CallErrorKind // "" for what the sandbox itself refused
	stack []goja.StackFrame
}

// keptFrames bounds the stack kept for a call.
const keptFrames = 12

// invoke makes one nested call and returns its promise. What is wrong with the arguments rejects the promise and is
// not sent.
func (e *engine) invoke(name string, args []goja.Value) goja.Value {
	p, resolve, reject := e.vm.NewPromise()
	c := &call{name: name, resolve: resolve, reject: reject, stack: e.vm.CaptureCallStack(keptFrames, nil)}
	body, refused := e.arguments(name, args)
	if refused != "" {
		e.rejectCall(c, "", refused)
		return e.vm.ToValue(p)
	}
	e.lastID++
	e.calls[e.lastID] = c
	e.link.mustSend(wire.CallTo, e.lastID, wire.CallHead{Name: name}, body)
	return e.vm.ToValue(p)
}

// arguments writes a call's arguments, or says why they are refused.
func (e *engine) arguments(name string, args []goja.Value) (body []byte, refused string) {
	if len(args) == 0 || len(args) == 1 && goja.IsUndefined(args[0]) {
		return []byte("{}"), ""
	}
	if len(args) > 1 {
		return nil, textTooManyArguments(name)
	}
	o, ok := args[0].(*goja.Object)
	if !ok {
		return nil, textPositional(name, e.typeName(args[0]))
	}
	if kind := e.kindOf(o); kind == kindArray {
		return nil, textPositional(name, "an array")
	}
	c := encoder{realm: e.realm, strict: true, limit: int(e.link.limit()) - len(name) - 1<<10}
	if err := c.encode(o); err != nil {
		return nil, textBadArguments(name, err.Error())
	}
	return c.out, ""
}

// settleNext waits for one frame and settles the call it answers. The error is what the script's continuation
// unwound with.
func (e *engine) settleNext() error {
	f := e.link.mustRead()
	c, ok := e.calls[f.ID]
	if f.Kind != wire.Settle || !ok {
		return nil
	}
	delete(e.calls, f.ID)
	if len(f.Head) > 0 {
		var head wire.SettleHead
		if err := json.Unmarshal(f.Head, &head); err != nil {
			panic(linkLost{err})
		}
		return e.rejectCall(c, sandbox.CallErrorKind(head.Kind), head.Message)
	}
	d := decoder{realm: e.realm, bigs: e.bigs}
	v, err := d.decode(f.Body)
	if err != nil {
		return e.rejectCall(c, sandbox.CallFailed, textUnreadableResult(c.name))
	}
	if len(d.lost) > 0 {
		e.warn(textBigIntegers(c.name, d.lost))
	}
	if _, text := v.(goja.String); text {
		e.texts = append(e.texts, c.name)
	}
	return c.resolve(v)
}

// rejectCall rejects with an Error of the sandbox's realm whose stack is the call's.
func (e *engine) rejectCall(c *call, kind sandbox.CallErrorKind, message string) error {
	err := must(e.makeError(nil, e.vm.ToValue(message), e.vm.ToValue(stackText("Error: "+message, c.stack)))).(*goja.Object)
	if len(e.errors) < keptErrors {
		e.errors[err] = &callFailure{name: c.name, kind: kind, stack: c.stack}
	}
	return c.reject(err)
}

// keptErrors bounds the Errors of ours that are recognized when they end the script. A run makes no more calls than
// its limit allows; only refused arguments in a loop come to more.
const keptErrors = 10_000
