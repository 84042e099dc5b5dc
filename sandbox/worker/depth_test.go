package worker

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/sandbox"
)

// Endless recursion is a RangeError a script can catch, on whatever road it goes, and is soon over.
func TestS4_9_EndlessRecursionIsCatchable(t *testing.T) {
	for _, code := range []string{
		"function f() { return f() + 1 } f()",
		"const f = () => f(); f()",
		"const f = () => [1].map(f); f()",
		"async function f() { return await f() } await f()",
		"function* g() { yield* g() } [...g()]",
		"class A { constructor() { this.x = new A() } } new A()",
		"class A { x = new A() } new A()",
		"const f = (a = f()) => a; f()",
		"const o = { get x() { return this.x } }; o.x",
		"const o = { toString() { return '' + o } }; '' + o",
		"const o = { toString: () => '' + o }; '' + o",
		"const o = { valueOf() { return +o } }; +o",
		"const o = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o)",
		"const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x",
		"const f = (s) => s.replace(/a/, f); f('a')",
		"const f = (a, b) => [2, 1].sort(f); f()",
		"const f = () => `${{ toString: f }}`; f()",
		"const t = (s) => t`x`; t`x`",
		"const f = () => Reflect.apply(f, null, []); f()",
		"const f = () => new Map([1].map(f)); f()",
		"const f = () => Array.from([1], f); f()",
	} {
		start := time.Now()
		got := host{}.value(t, "try { "+code+"; return 'ended' } catch (e) { return [e.name, e instanceof RangeError, e.message] }")
		if want := `["RangeError",true,"Maximum call stack size exceeded"]`; got != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s took %v", code, d)
		}
	}
}

// Recursion as deep as Node allows works.
func TestS4_9_DeepRecursion(t *testing.T) {
	for code, want := range map[string]string{
		"const f = (n) => n === 0 ? 0 : 1 + f(n - 1); return f(9000)":                                                                         `9000`,
		"let list = null; for (let i = 0; i < 8000; i++) list = { next: list }; const len = (l) => l ? 1 + len(l.next) : 0; return len(list)": `8000`,
		"const f = async (n) => n === 0 ? 0 : 1 + await f(n - 1); return await f(2000)":                                                       `2000`,
	} {
		if got := (host{}).value(t, code); got != want {
			t.Errorf("%s: got %s, want %s", code, got, want)
		}
	}
}

// What is deep as data is no danger either.
func TestS4_9_DeepData(t *testing.T) {
	deep := `{"a":` + strings.Repeat("[", 9990) + strings.Repeat("]", 9990) + `}`
	h := host{tools: map[string]func(json.RawMessage) sandbox.Reply{
		"mcp__s__deep": reply(deep), "mcp__s__deeper": reply(strings.Repeat("[", 20000) + strings.Repeat("]", 20000)),
	}}
	if got, want := h.value(t, "let r = (await tools.mcp__s__deep({})).a, n = 1; while (r.length) { r = r[0]; n++ } return n"), "9990"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for code, want := range map[string]string{
		"return await tools.mcp__s__deep({})":                                           "nests too deeply",
		"let v = 1; for (let i = 0; i < 200000; i++) v = [v]; return v":                 "nests too deeply",
		"let v = 1; for (let i = 0; i < 200000; i++) v = { v }; console.log(v); null.x": "undefined or null",
		"await tools.mcp__s__deeper({})":                                                "not JSON the sandbox can read",
		"JSON.parse('['.repeat(1e6))":                                                   "nests too deeply",
	} {
		if e := h.run(t, code); !strings.Contains(e.failed.Message, want) || len(e.failed.Message) > 500 {
			t.Errorf("%s: %+v", code, e.failed)
		}
	}
}
