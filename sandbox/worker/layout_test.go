package worker

import (
	"strings"
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

// documents are results whose objects the engine's own setting and ours could make differently.
var documents = []string{
	`{}`, `[]`, `[{}, {"a": {}}, {"a": 1, "b": [], "c": {"d": null}}]`,
	`{"b": 1, "10": "ten", "9": "nine", "a": 2, "01": 3, "-1": 4, "4294967295": 5}`,
	`{"a": 1, "b": 2, "a": 3, "c": 4, "b": {"a": 5, "a": 6}}`,
	`{"": 1, "é": 2, "日本": 3, "\ud83d": 4, "\ud83d\ude00": 5, "a\u0000b": 6, "é": 7}`,
	`{"__proto__": {"x": 1}, "a": {"__proto__": null, "b": 1}, "constructor": 2, "toString": 3, "length": 4}`,
	`{"id": 9007199254740993, "more": [12345678901234567890], "n": -0, "e": 1e400}`,
	`[` + strings.Repeat(`{"a":`, 500) + `1` + strings.Repeat(`}`, 500) + `]`,
}

// whatScriptsDo looks at an object in every way that could tell how it was made, and changes it.
const whatScriptsDo = `(function look(o, depth) {
	if (o === null || typeof o !== "object") return Object.is(o, -0) ? "-0" : o;
	if (depth > 3) return "deep";
	const seen = [Object.getPrototypeOf(o) === null, Array.isArray(o), Object.isExtensible(o)];
	const listed = []; for (const k in o) listed.push(k);
	seen.push(listed, Object.keys(o), Object.getOwnPropertyNames(o), JSON.stringify(Object.getOwnPropertyDescriptors(o)));
	const inside = Object.entries(o).map(([k, v]) => [k, look(v, depth + 1)]);
	const copy = { ...o }; copy.z = 1; delete copy.a; copy[0] = 2;
	seen.push(inside, Object.keys(copy));
	for (const k in o) { delete o[k]; break }
	o.last = 1; o[3] = 2; o.a = 4;
	seen.push(Object.keys(o), delete o.last, "last" in o);
	Object.defineProperty(o, "b", { get: () => "got", enumerable: false, configurable: true });
	seen.push(o.b, Object.keys(o), Object.isFrozen(Object.freeze(o)));
	try { "use strict"; o.new = 1 } catch (e) { seen.push(e.message) }
	return [...seen, Object.keys(o)];
})`

func TestS1_7_OneReadingByBothWays(t *testing.T) {
	for _, raw := range documents {
		for _, ordinary := range []bool{false, true} {
			read := func(known bool) string {
				e := newEngine()
				if !known {
					e.layout = layout{}
				}
				d := decoder{realm: e.realm, bigs: e.bigs}
				if ordinary {
					d.proto, d.bigs = e.objectProto, nil
				}
				v, err := d.decode([]byte(raw))
				if err != nil {
					t.Fatal(err)
				}
				look, _ := goja.AssertFunction(must(e.vm.RunString(whatScriptsDo)))
				seen, err := look(nil, v, e.vm.ToValue(0))
				if err != nil {
					t.Fatal(err)
				}
				text, err := seen.(*goja.Object).MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			got, want := read(true), read(false)
			if got != want {
				t.Errorf("%s, ordinary %v:\n%s, want\n%s", raw, ordinary, got, want)
			}
			if !strings.Contains(want, `"b"`) && strings.Contains(raw, `"b"`) {
				t.Errorf("%s: nothing seen in %s", raw, want)
			}
		}
	}
}
