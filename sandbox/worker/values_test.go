package worker

import (
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// What JSON can say is returned as it stands, with the keys in order.
func TestS1_7_ReturnValues(t *testing.T) {
	for code, want := range map[string]string{
		"return undefined": "",
		"":                 "",
		"return null":      "null",
		"return { z: 1, a: { y: [], b: {} }, 2: 0, 1: 0 }":                                `{"1":0,"2":0,"z":1,"a":{"y":[],"b":{}}}`,
		"return 'é\"\\n\\u2028<&>'":                                                       "\"é\\\"\\n\u2028<&>\"",
		"return '\\ud800'":                                                                `"\ud800"`,
		"return [1e21, 1e-7, 123456789012345680000, -0, 5e-324, 0.1]":                     `[1e+21,1e-7,123456789012345680000,0,5e-324,0.1]`,
		"return { d: new Date(0), n: { toJSON: (k) => 'json:' + k } }":                    `{"d":"1970-01-01T00:00:00.000Z","n":"json:n"}`,
		"return new (class P { x = 1; #y = 2; get z() { return 3 } })":                    `{"x":1}`,
		"return Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } })": `{"own":2}`,
		"return [new Number(1), new String('a'), new Boolean(false)]":                     `[1,"a",false]`,
		"return { a: undefined, b: 1 }":                                                   `{"b":1}`,
		"return new Proxy([1, [2]], {})":                                                  `[1,[2]]`,
		"return { toJSON: () => ({ toJSON: () => 5 }) }":                                  `{}`,
		"return { toJSON() { return this }, a: 1 }":                                       `{"a":1}`,
		"return new Proxy({ a: 1 }, {})":                                                  `{"a":1}`,
		"return JSON.rawJSON('1.50')":                                                     `1.50`,
		"return JSON.parse('{\"__proto__\":1,\"a\":2}')":                                  `{"a":2}`,
		"JSON.stringify = () => 'owned'; Object.keys = () => []; return { a: 1 }":         `{"a":1}`,
		"Object.prototype.toJSON = undefined; return { a: [1] }":                          `{"a":[1]}`,
		"const shared = { x: 1 }; return [shared, shared]":                                `[{"x":1},{"x":1}]`,
	} {
		if e := pool().run(t, code); !e.done || e.value != want || len(e.warns) > 0 {
			t.Errorf("%s\ngot  %q %+v %q\nwant %q", code, e.value, e.failed, e.warns, want)
		}
	}
}

// What it cannot say becomes the nearest thing it can, and a warning names the path.
func TestM9_LossyValues(t *testing.T) {
	for code, want := range map[string][3]string{
		"return { a: { b: NaN } }":                       {`{"a":{"b":null}}`, "$.a.b", "NaN"},
		"return -Infinity":                               {`null`, "$ ", "-Infinity"},
		"return { m: new Map([['k', 1]]) }":              {`{"m":{"k":1}}`, "$.m", "Map"},
		"return new Map([[1, 'a'], [{}, 'b']])":          {`[[1,"a"],[{},"b"]]`, "$ ", "Map"},
		"return [new Set([1, 'x'])]":                     {`[[1,"x"]]`, "$[0]", "Set"},
		"return { e: new TypeError('t', { cause: 1 }) }": {`{"e":{"name":"TypeError","message":"t","cause":1}}`, "$.e", "Error"},
		"const e = new Error('m'); e.code = 7; return e": {`{"name":"Error","message":"m","code":7}`, "$ ", "Error"},
		"return [1, undefined, , 2]":                     {`[1,null,null,2]`, "$[1]", "undefined"},
		"return { f() {}, a: 1 }":                        {`{"a":1}`, "$.f", "function"},
		"return [() => 1]":                               {`[null]`, "$[0]", "function"},
		"return { s: Symbol('x'), a: [Symbol('y')] }":    {`{"a":[null]}`, "$.s", "symbol"},
		"return { r: /a/g }":                             {`{"r":"/a/g"}`, "$.r", "RegExp"},
		"return { t: new Uint8Array([1, 2]) }":           {`{"t":[1,2]}`, "$.t", "typed array"},
		"return { d: new Date(NaN) }":                    {`{"d":null}`, "$.d", "invalid Date"},
		"return { p: Promise.resolve(1) }":               {`{"p":{}}`, "$.p", "await"},
		"return { k: new Map([[1, 2]]).keys() }":         {`{"k":{}}`, "$.k", "[...x]"},
		"return [1, 2].values().map(x => x)":             {`{}`, "$ ", "iterator"},
		"return (function* () { yield 1 })()":            {`{}`, "$ ", "iterator"},
		"return { toJSON: () => new Map([['a', 1]]) }":   {`{"a":1}`, "$ ", "Map"},
		"return () => 1":                                 {``, "$ ", "function"},
		"return { 'odd key': [{ x: NaN }] }":             {`{"odd key":[{"x":null}]}`, `$["odd key"][0].x`, "NaN"},
	} {
		e := pool().run(t, code)
		if !e.done || e.value != want[0] || !strings.Contains(e.warned(), want[1]) || !strings.Contains(e.warned(), want[2]) {
			t.Errorf("%s\ngot  %q %q %+v\nwant %q", code, e.value, e.warns, e.failed, want)
		}
	}
	e := pool().run(t, "return Array.from({ length: 1000 }, () => NaN)")
	if len(e.warns) > keptWarnings+1 || !strings.Contains(e.warned(), "990 more") {
		t.Errorf("%d warnings: %q", len(e.warns), e.warns)
	}
}

// What would be a lie either way fails, with the path.
func TestM9_UnserializableValues(t *testing.T) {
	for code, want := range map[string]string{
		"return { page: { cursor: 10n } }":                                "$.page.cursor is a BigInt",
		"return 1n":                                                       "$ is a BigInt",
		"const o = { a: [] }; o.a.push({ o }); return o":                  "$.a[0].o refers back",
		"const m = new Map(); m.set('self', m); return { m }":             "$.m.self refers back",
		"return { a: { get b() { throw new RangeError('no') } } }":        "$.a.b threw while it was read: RangeError: no",
		"return { a: { toJSON() { throw new Error('tj') } } }":            "$.a threw while it was read: Error: tj",
		"return [new Proxy({}, { ownKeys() { throw new Error('ok') } })]": "$[0] threw",
		"return new BigInt64Array(1)":                                     "$[0] is a BigInt",
	} {
		if f := pool().run(t, code).failed; f.Kind != string(sandbox.KindUnserializable) || !strings.Contains(f.Message, want) {
			t.Errorf("%s: %+v, want %q", code, f, want)
		}
	}
	h := host{start: wire.StartHead{FrameBytes: 10_000}}
	if f := h.run(t, "return 'x'.repeat(20000)").failed; f.Kind != string(sandbox.KindUnserializable) || !strings.Contains(f.Message, "too large") {
		t.Errorf("a value over the frame: %+v", f)
	}
	if f := h.run(t, "await tools.mcp__s__x({ a: 'x'.repeat(20000) })").failed; !strings.Contains(f.Message, "too large") {
		t.Errorf("arguments over the frame: %+v", f)
	}
	if f := h.run(t, "let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; return a").failed; !strings.Contains(f.Message, "too large") {
		t.Errorf("a value that unfolds without end: %+v", f)
	}
}

// Console output as a person expects to read it.
func TestS1_6_Console(t *testing.T) {
	for args, want := range map[string]string{
		`'a', 1, true, null, undefined, -0, 10n, Symbol('s')`:                   "a 1 true null undefined -0 10n Symbol(s)",
		`{ a: 1, 'b-c': 'x', d: { e: [] }, f() {}, g: class A {}, h: () => 1 }`: "{\n  a: 1,\n  'b-c': 'x',\n  d: { e: [] },\n  f: [Function: f],\n  g: [class A],\n  h: [Function: h]\n}",
		`Object.assign([], { 4e9: 1 })`:                                         "[ <4000000000 empty items>, 1 ]",
		`Object.assign(Array(3e9), { 5: 1, x: 2 })`:                             "[ <5 empty items>, 1, <2999999994 empty items>, x: 2 ]",
		`Array(1e6)`: "[ <1000000 empty items> ]",
		`[1, 'two', [3], { four: 4 }, , undefined]`: "[ 1, 'two', [ 3 ], { four: 4 }, <1 empty item>, undefined ]",
		`new Map([['a', 1], [{}, new Set([2])]])`:   "Map(2) { 'a' => 1, {} => Set(1) { 2 } }",
		`new Date(0), [new Date(0)], new Date(NaN)`: "1970-01-01T00:00:00.000Z [ 1970-01-01T00:00:00.000Z ] Invalid Date",
		`/a/g, [/b/]`:                               "/a/g [ /b/ ]",
		`new (class Foo { x = 1 })`:                 "Foo { x: 1 }",
		`Promise.resolve(1), new Promise(() => {})`: "Promise { 1 } Promise { <pending> }",
		`{ get a() { throw 1 }, set b(v) {}, get c() { return 1 }, set c(v) {} }`:                 "{ a: [Getter], b: [Setter], c: [Getter/Setter] }",
		`new Uint8Array([1, 2]), new ArrayBuffer(3)`:                                              "Uint8Array(2) [ 1, 2 ] ArrayBuffer { byteLength: 3 }",
		`(() => { const o = { n: 1 }; o.self = o; return o })()`:                                  "<ref *1> { n: 1, self: [Circular *1] }",
		`Object.create(null), { [Symbol('k')]: 1 }`:                                               "{} { [Symbol(k)]: 1 }",
		`'%s is %d years and %i, %f, %j %o %%', 'Bob', 42.5, 42.9, '1.5', { a: 1 }, [1], 'extra'`: "Bob is 42.5 years and 42, 1.5, {\"a\":1} [ 1 ] % extra",
		`'100%', 5`:                                  "100% 5",
		`"it's", ["it's", 'say "hi"', "\n"]`:         `it's [ "it's", 'say "hi"', '\n' ]`,
		`new Number(3), new String('a')`:             "[Number: 3] [String: 'a']",
		`tools, tools.mcp__s__x`:                     "[object tools] [Function: mcp__s__x]",
		`new Proxy({ a: 1 }, { get() { throw 1 } })`: "{ a: 1 }",
		`async () => {}, function* g() {}`:           "[AsyncFunction (anonymous)] [GeneratorFunction: g]",
		`{ a: { b: { c: { d: { e: 1 } } } } }`:       "{ a: { b: { c: { d: { e: 1 } } } } }",
		`[undefined, null, NaN]`:                     "[ undefined, null, NaN ]",
		``:                                           "",
	} {
		if e := (host{}).run(t, "console.log("+args+")"); e.log() != want {
			t.Errorf("console.log(%s)\ngot  %q %+v\nwant %q", args, e.log(), e.failed, want)
		}
	}
	for code, want := range map[string]string{
		"const e = new TypeError('bad', { cause: new Error('why') }); e.code = 7; console.error(e)": "TypeError: bad\n    at script.ts:1:11",
		"console.log({ e: new Error('in') })":                                                       "Error: in",
		"console.info(1); console.warn(2); console.error(3); console.debug(4)":                      "1\n2\n3\n4",
		"console.group('g'); console.log('in\\nside'); console.groupEnd(); console.log('out')":      "g\n  in\n  side\nout",
		"console.assert(true, 'no'); console.assert(false, 'yes', 1)":                               "Assertion failed: yes 1",
		"console.count(); console.count('x'); console.count()":                                      "default: 1\nx: 1\ndefault: 2",
		"console.table([{ a: 1, b: 'x' }, { a: 22 }])":                                              "(index) | a  | b\n--------|----|----\n0       | 1  | 'x'\n1       | 22 |",
		"console.dir({ a: 1 }, { depth: 0 })":                                                       "{ a: 1 }",
		"const { log } = console; log('bare')":                                                      "bare",
		"console.time('t'); console.timeEnd('t')":                                                   "t: ",
		"console.trace('here')":                                                                     "Trace: here",
		"Array.prototype.map = () => 'owned'; String = null; console.log({ a: [1] })":               "{ a: [ 1 ] }",
	} {
		if e := (host{}).run(t, code); !strings.HasPrefix(e.log(), want) && !strings.Contains(e.log(), want) {
			t.Errorf("%s\ngot  %q %+v\nwant %q", code, e.log(), e.failed, want)
		}
	}
}

// Output is sent while the script runs, is cut on whole characters, and is counted in UTF-16 code units.
func TestS4_5_N10_LogLimit(t *testing.T) {
	h := host{start: wire.StartHead{LogChars: 10}}
	e := h.run(t, "for (let i = 0; i < 100; i++) console.log('1234'); return 1")
	if len(e.logs) != 3 || e.chars != 100*4+99 {
		t.Errorf("%d lines sent, %d units counted", len(e.logs), e.chars)
	}
	e = h.run(t, "console.log('123456789😀😀'); return 1")
	if e.log() != "123456789" || e.chars != 13 {
		t.Errorf("got %q, %d units", e.log(), e.chars)
	}
	e = pool().run(t, "console.log('before'); await tools.mcp__s__fail({})")
	if e.log() != "before" || e.failed.Message != "disk full" {
		t.Errorf("got %q %+v", e.log(), e.failed)
	}
	if e := (host{}).run(t, "let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; console.log(a); return 'ended'"); e.value != `"ended"` {
		t.Errorf("a value that unfolds without end: %+v", e.failed)
	}
}

// Every run is a fresh engine with the real clock and chance.
func TestM19_FreshEngine(t *testing.T) {
	h := host{}
	h.run(t, "globalThis.leak = 1; Object.prototype.stain = 1; Array.prototype.map = () => 'owned'; RegExp.prototype.exec = null; return 1")
	if got, want := h.value(t, "return [typeof leak, ({}).stain === undefined, [1].map(x => x + 1), /a/.test('a'), Math.random() !== Math.random(), Math.abs(Date.now() - new Date()) < 1000]"),
		`["undefined",true,[2],true,true,true]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// No message of the engine shows a Go value or an address, whoever catches it.
func TestS3_4_NoGoNotationInMessages(t *testing.T) {
	for _, code := range []string{
		"const o = await tools.mcp__s__obj({}); return ['' + o, 1]",
		"try { return `${Object.create(null)}` } catch (e) { return [e.message, e.stack] }",
		"try { return +Object.create(null) } catch ({ message, stack }) { return [message, stack] }",
		"return await (async () => '' + { toString: () => ({}), valueOf: () => ({}), secret: 1 })().catch(e => [e.message, e.stack])",
		"return await Promise.resolve({}).then(() => [Object.create(null)].join()).then(0, e => [e.message, e instanceof TypeError, e.constructor === TypeError])",
	} {
		e := pool().run(t, code)
		all := e.value + e.failed.Message + e.log()
		if strings.Contains(all, "0x") || strings.Contains(all, "goja") || !strings.Contains(all, "Cannot convert object") {
			t.Errorf("%s\n%s", code, all)
		}
	}
	if got := pool().value(t, "return [TypeError.name, new TypeError('a') instanceof TypeError, Object.getPrototypeOf(TypeError) === Error]"); got != `["TypeError",true,true]` {
		t.Error(got)
	}
}

// A key with half a surrogate pair is a key like any other, in both directions.
func TestS1_7_HalfPairsInKeys(t *testing.T) {
	h := pool()
	h.tools["mcp__s__odd"] = reply(`{"\ud800":1,"a\udc00":{"\ud83d\ude00":2},"\ufffd":3}`)
	want := `{"\ud800":1,"a\udc00":{"😀":2},"�":3}`
	for code, want := range map[string]string{
		"return { '': 1, '\\ud800': 2, b: 3 }":                                                            `{"":1,"\ud800":2,"b":3}`,
		"return await tools.mcp__s__odd({})":                                                              want,
		"return await tools.mcp__s__echo(await tools.mcp__s__odd({}))":                                    want,
		"return JSON.parse(JSON.stringify(await tools.mcp__s__odd({})))":                                  want,
		"const r = await tools.mcp__s__odd({}); return [r['\\ud800'], Object.keys(r).map(k => k.length)]": `[1,[1,2,1]]`,
	} {
		if got := h.value(t, code); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
		}
	}
}
