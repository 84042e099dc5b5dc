package worker

import (
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// openRealmRuns runs an attempt of the escape list in an engine nothing was done to, and says whether it compiled.
func openRealmRuns(line string) bool {
	vm := goja.New()
	vm.SetMaxCallStackSize(1000)
	src := `var P = "globalThis.PWNED = 1", T = () => ({ list: [] }), tools = { mcp__s__x: T, toString: T, search: T }, console = { log: T, table: T };
var class_ = (C) => new C(P)(); try { (` + line + `) } catch (e) {} globalThis.PWNED`
	js := api.Transform(src, api.TransformOptions{Loader: api.LoaderJS, Target: api.ES2022, Supported: lowered})
	if len(js.Errors) > 0 {
		return false
	}
	if _, err := vm.RunString(string(js.Code)); err != nil {
		return false
	}
	v := vm.Get("PWNED")
	return v != nil && !goja.IsUndefined(v)
}

// attached is an engine with tools and console whose parent is never asked.
func attached(t *testing.T, start wire.StartHead) *engine {
	t.Helper()
	start.Namespace, start.Search, start.Prefix, start.LogChars = "$codemode", "search", "mcp__", 1<<20
	e := newEngine()
	e.attach(&link{out: io.Discard}, start)
	e.names, e.order = map[string]bool{"mcp__s__x": true}, []string{"mcp__s__x"}
	return e
}

// A crawler visits every object that can be reached from a script.
type crawler struct {
	t    *testing.T
	e    *engine
	seen map[*goja.Object]string // by the path it was first reached on
	todo []*goja.Object
}

func (c *crawler) add(v goja.Value, path string) {
	o, ok := v.(*goja.Object)
	if !ok {
		return
	}
	if _, known := c.seen[o]; !known {
		c.seen[o] = path
		c.todo = append(c.todo, o)
	}
}

// run crawls until nothing new turns up.
func (c *crawler) run() {
	for len(c.todo) > 0 {
		o := c.todo[0]
		c.todo = c.todo[1:]
		path := c.seen[o]
		if len(path) > 400 {
			c.t.Fatalf("endless graph at %s", path)
		}
		ex := c.e.vm.Try(func() {
			if p := o.Prototype(); p != nil {
				c.add(p, path+".__proto__")
			}
			for _, key := range c.e.list(must(c.e.ownKeys(nil, o))) {
				name := path + "." + key.String()
				d, ok := must(c.e.descriptor(nil, o, key)).(*goja.Object)
				if !ok {
					continue
				}
				for _, part := range []string{"value", "get", "set"} {
					c.add(d.Get(part), name)
				}
			}
		})
		if ex != nil {
			c.t.Errorf("%s: %v", path, ex)
		}
	}
}

// roots are values of every kind a script can make.
const roots = `[globalThis, tools, tools.mcp__s__x, tools['$codemode'], tools.search, console, () => 1, async () => 1, function* () {}, async function* () {},
  (function* () {})(), (async function* () {})(), [].values(), new Map().entries(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g),
  [].values().map(x => x), Iterator.from({ next() {} }), new Intl.NumberFormat(), new Intl.NumberFormat().format, new Intl.DateTimeFormat().format,
  /\p{L}/u, Promise.resolve(), Promise.withResolvers(), new Proxy({}, {}), (function () { return arguments })(), new Error('x'), new AggregateError([]),
  new WeakRef({}), new FinalizationRegistry(() => {}), tools.mcp__s__x(1).catch(() => {}), import('x').catch(() => {}), class { static #p() {} },
  Object.getOwnPropertyDescriptor(Map.prototype, 'size'), new Uint8Array(1), new DataView(new ArrayBuffer(1)), Symbol.iterator, JSON.rawJSON('1')]`

func crawl(t *testing.T, start wire.StartHead) (*engine, map[*goja.Object]string) {
	e := attached(t, start)
	s, fail := compile("const all = "+roots+"; for (const p of [tools.mcp__s__x(1), import('x'), tools.search()]) try { await p } catch (e) { all.push(e) } return all", "mcp__")
	if fail != nil {
		t.Fatal(fail.Message)
	}
	e.script = s
	p, err := e.begin()
	if err != nil {
		t.Fatal(err)
	}
	if p.State() != goja.PromiseStateFulfilled {
		t.Fatal("the roots' script did not end")
	}
	c := crawler{t: t, e: e, seen: map[*goja.Object]string{}}
	c.add(p.Result(), "roots")
	c.run()
	if len(c.seen) < 600 {
		t.Errorf("%d objects reached, there were more once", len(c.seen))
	}
	return e, c.seen
}

// goTypes are the Go types the engine's own objects are made of. Anything else is a Go value handed to a script.
var goTypes = map[reflect.Type]bool{
	typePlain: true, typeArray: true, typeMap: true, typePromise: true, typeProxy: true, typeBuffer: true, typeDate: true,
	typeFunction: true, typeClass: true,
	reflect.TypeFor[string](): true, reflect.TypeFor[bool](): true, reflect.TypeFor[int64](): true, reflect.TypeFor[float64](): true,
	reflect.TypeFor[[]uint8](): true,
}

var goNames = regexp.MustCompile(`goja|github\.com|exec-ext|main\.|func\d|\.go\b|0x[0-9a-f]{6,}|/`)

// No Go value, and no name out of the Go program, can be reached from a script.
func TestS3_4_NoGoValueIsReachable(t *testing.T) {
	for name, start := range map[string]wire.StartHead{"bare": {}, "web": {WebGlobals: true}} {
		t.Run(name, func(t *testing.T) {
			e, seen := crawl(t, start)
			for o, path := range seen {
				if typ := o.ExportType(); !goTypes[typ] {
					t.Errorf("%s is a Go %s", path, typ)
				}
				if e.kindOf(o) != kindFunction {
					continue
				}
				if n, ok := o.Get("name").(goja.String); ok && goNames.MatchString(n.String()) {
					t.Errorf("%s has the name %q", path, n)
				}
				if text := must(functionText(e, o)).String(); strings.Contains(text, "[native code]") && goNames.MatchString(text) {
					t.Errorf("%s prints as %q", path, text)
				}
			}
		})
	}
}

func functionText(e *engine, o *goja.Object) (goja.Value, error) {
	f, _ := goja.AssertFunction(e.vm.Get("Function").(*goja.Object).Get("prototype").(*goja.Object).Get("toString"))
	return f(o)
}

// Every function that can be reached, called and constructed with a text in every way, compiles nothing.
func TestS3_2_NoReachableFunctionCompiles(t *testing.T) {
	for name, start := range map[string]wire.StartHead{"bare": {}, "web": {WebGlobals: true}} {
		t.Run(name, func(t *testing.T) {
			e, seen := crawl(t, start)
			s, fail := compile(`return (f) => {
  const P = 'globalThis.PWNED = 1';
  const tries = [() => f(P), () => f.call(f, P), () => f.call({}, P), () => f.call([P], (x) => x), () => new f(P), () => f('a', P), () => Reflect.construct(f, [P], class {}),
    () => f.call(P, P), () => f.call(new Map(), P, P), () => f.call(Function.prototype, P), () => f.call(globalThis, P)];
  for (const go of tries) {
    try {
      let r = go();
      for (let i = 0; i < 2 && typeof r === 'function'; i++) r = r(P);
      if (r && typeof r.next === 'function') r.next();
      if (r && typeof r.then === 'function') r.then(undefined, () => {});
    } catch {}
  }
  return globalThis.PWNED;
}`, "mcp__")
			if fail != nil {
				t.Fatal(fail.Message)
			}
			e.script = s
			p, err := e.begin()
			if err != nil {
				t.Fatal(err)
			}
			probe, _ := goja.AssertFunction(p.Result())
			tried := 0
			for o, path := range seen {
				if _, callable := goja.AssertFunction(o); !callable || strings.HasPrefix(path, "roots.0.eval.") {
					continue
				}
				tried++
				e.guard(func() (json.RawMessage, *wire.FailedHead) { // the engine itself fails on odd receivers
					v, err := probe(goja.Undefined(), o)
					if err != nil {
						t.Errorf("%s: %v", path, err)
					} else if !goja.IsUndefined(v) {
						t.Fatalf("%s compiled a text", path)
					}
					return nil, nil
				})
			}
			if tried < 500 {
				t.Errorf("%d functions tried, there were more once", tried)
			}
		})
	}
}
