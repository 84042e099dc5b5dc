package worker

import (
	"testing"

	"github.com/dop251/goja"
)

// objects are values whose writing the engine's own lists and ours could see differently.
var objects = []string{
	`({ b: 1, a: "x", c: null, d: undefined, e: [1, , "é", undefined, 1.5, -0] })`,
	`({ b: 1, 10: "ten", 9: "nine", a: 2 })`,
	`(() => { const o = { a: 1, b: 2, c: 3 }; delete o.b; o.b = 4; o[2] = 5; return o })()`,
	`({ get a() { return 1 }, b: 2 })`,
	`(() => { const o = { a: 1 }; Object.defineProperty(o, "hidden", { value: 2 }); Object.defineProperty(o, "fixed", { value: 3, enumerable: true }); return o })()`,
	`Object.freeze({ a: [Object.freeze([1, 2])] })`,
	`(() => { const o = { a: { toJSON() { delete o.b; o.c = 9; o.z = 1; return "a" } }, b: 2, c: 3 }; return o })()`,
	`(() => { const o = { a: { toJSON() { Object.defineProperty(o, "b", { get() { return "got" } }); return "a" } }, b: 2 }; return o })()`,
	`(() => { const o = { z: { toJSON() { o[1] = "one"; for (const k in o) k; return "z" } }, b: 2, c: 3 }; return o })()`,
	`(() => { const a = [{ toJSON() { a.length = 2; return 0 } }, 1, 2]; return a })()`,
	`(() => { const a = [{ toJSON() { Object.defineProperty(a, 1, { get() { return "got" } }); return 0 } }, 1, 2]; return a })()`,
	`(() => { const a = [1, 2, 3]; Object.defineProperty(a, 1, { get() { return "got" } }); return a })()`,
	`(() => { const a = [1]; a[5000000] = 2; delete a[5000000]; a.length = 3; return a })()`,
	`(() => { const p = { inherited: 1 }; const o = Object.create(p); o.own = { toJSON() { delete o.inherited; return 1 } }; o.inherited = 2; return o })()`,
	`Object.assign(Object.create(null), { "": 1, "naïve": 2, "\ud83d": 3, "a\"b": 4, "-1": 5, "1.5": 6, "01": 7 })`,
	`JSON.parse('{"__proto__": 1, "a": {"__proto__": {"x": 1}, "y": 2}}')`,
	`(class { x = 1; #y = 2; get z() { return 3 } }).prototype`,
	`new (class A { x = 1; #y = 2; get z() { return 3 } })()`,
	`(function () { return arguments })(1, 2)`,
	`new Proxy({ a: 1, b: 2 }, { get: (t, k) => k === "a" ? "trapped" : t[k] })`,
	`[new Map([["a", { b: 1 }]]), new Set([{ c: 1 }]), new Error("e"), new Date(0), /x/g, new Uint8Array(2), new Number(1)]`,
	`Math`, `JSON`, `globalThis.Object`, `Object.getOwnPropertyDescriptors({ a: 1 })`,
	`[..."ab"].entries()`, `Object.groupBy([1, 2, 3], (x) => x % 2 ? "odd" : "even")`,
	`"a-b".match(/(?<first>.)-(.)/)`,
}

func TestS1_7_OneWritingByBothWays(t *testing.T) {
	for _, code := range objects {
		for _, strict := range []bool{false, true} {
			write := func(known bool) (out, failure string) {
				e := newEngine()
				if e.layout.object == nil || e.layout.array == nil || e.layout.property == nil {
					t.Fatal("the engine's objects are laid out in a way that is not known")
				}
				if !known {
					e.layout = layout{}
				}
				v, err := e.vm.RunString(code)
				if err != nil {
					t.Fatal(err)
				}
				c := encoder{realm: e.realm, strict: strict, limit: 1 << 20}
				if err := c.encode(v); err != nil {
					failure = err.Error()
				}
				return string(c.out), failure
			}
			got, gotFailure := write(true)
			want, wantFailure := write(false)
			if got != want || gotFailure != wantFailure {
				t.Errorf("%s, strict %v:\n%s %s, want\n%s %s", code, strict, got, gotFailure, want, wantFailure)
			}
		}
	}
}

func TestS1_7_LayoutOfOtherEngines(t *testing.T) {
	var l layout
	vm := goja.New()
	if _, _, ok := l.members(vm.NewObject()); ok {
		t.Error("members without a layout")
	}
	if v := l.item(vm.NewArray(1), 0); v != nil {
		t.Errorf("item %v without a layout", v)
	}
}
