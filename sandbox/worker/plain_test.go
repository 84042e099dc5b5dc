package worker

import (
	"strconv"
	"strings"
	"testing"
)

// unplain makes a text go through the stripper without changing what it does: it is no ASCII any more.
func unplain(code string) string { return code + "\n//ö" }

func isPlain(code string) bool { return plain(newSource(code), "mcp__") != nil }

// What runs without the stripper gives what it gives with it. Only the text of a function tells the two apart.
func TestM1_PlainScriptsRunAsStripped(t *testing.T) {
	if testing.Short() {
		t.Skip("as TestM1_Language")
	}
	n := 0
	for _, c := range checks(t) {
		if !isPlain(c.code) || strings.HasSuffix(c.name, "toString") && c.file == "15-functions.txt" {
			continue
		}
		n++
		if got, want := sandboxOutcome(t, c.code), sandboxOutcome(t, unplain(c.code)); got != want {
			t.Errorf("%s/%s\n%s\nplain    %s\nstripped %s", c.file, c.name, c.code, got, want)
		}
	}
	if n < 300 {
		t.Errorf("only %d checks are plain", n)
	}
}

// The stripper must see what TypeScript reads otherwise, what it lowers, and what it alone has errors or other forms for.
func TestM1_NotPlain(t *testing.T) {
	for _, code := range []string{
		"f<number>(2)", "g(f<A, B>(x))", "f<A, B>\n(x)", "m = new Map<string, number>\nfoo()", "f<A, B>`x`", "f<A | B>(x)", "if (a < b, c > (d)) {}",
		"g(f<A, B>/* c */(3))", "[f<A, B> // c\n(3)]", "m = new Map<string, number> // words\nfoo()", "a = f<A, B>/*\n*/x", "f<A, B>/**/`1`",
		"async /*\n*/ function g() {}", "return async/*\n*/ x => 1", "async//d\nx => 1", "'use strict'; return '\\01'", "return await 2 ** 2",
		"const [a, ...[b = <any>1]] = [1, 2]; return b",
		"const f = (a: number) => a", "let x = y as any", "for await (const x of y) {}", "async function* f() {}", "import('x')",
		"const s = 'ö'", "a\r\nb", "<!-- x", "a --> b",
		"const f = () => { await (x) }", "{ function f() {} }", "if (a) function f() {}", "switch (a) { case 1: function f() {} }",
		"try { function f() {} } finally {}", "with (a) {}", "a: for (;;) break a", "return 010", "return 08.5", "class A {}", "return class {}",
		"({ m() { super.x } })", "return 1 < 2 < 3", "})(); (async function(){", "}, async function(){", "}; function f(){",
	} {
		if isPlain(code) {
			t.Errorf("plain: %s", code)
		}
	}
	for _, code := range []string{
		"return 1", "for (let i = 0; i < n; i++) a.push(x => x > 3)", "if (a < b && c > d) {}", "a <= b, c >= (d)", "const f = async ({ a, ...b }) => a ?? b?.c",
		"function f() { function g() {} }", "return `${a}<b>`.replace(/<b>/g, '')", "return ('a' in {}) > 0",
	} {
		if !isPlain(code) {
			t.Errorf("not plain: %s", code)
		}
	}
}

// What the stripper refuses is refused, though the engine's parser knows fewer of the standard's early errors.
func TestM1_EarlyErrorsOfPlainScripts(t *testing.T) {
	for _, code := range []string{
		"-1 ** 2", "a ?? b || c", "a || b ?? c", "a && b ?? c", "const x", "let let = 1", "const a = 1; const a = 2", "let a; var a", "let a; { var a }",
		"(a, a) => 1", "({ a, a }) => 1", "function f(a, b = 1, a) {}", "function f({ a }, a) {}", "'use strict'; function f(a, a) {}",
		"'use strict'; arguments = 1", "'use strict'; delete x", "'use strict'; return 010", "function f(a = 1) { 'use strict' }",
		"break", "continue", "if (1) { break }", "switch (1) { case 1: continue }", "for (;;) { (() => { break })() }",
		"return /a/gg", "return /(/", "return /a/z", "1 = 2", "f() = 1", "f()++", "++f()", "a?.b = 1", "a?.b++", "[...a, b] = c", "({ ...a, b } = c)", "const [...a,] = b",
		"for (const a, b of c) {}", "for (let a = 1 of b) {}", "for (const a = 1 in b) {}", "for (let of a) {}", "for (async of a) {}",
		"new.target", "super.x", "super()", "import.meta", "import x from 'y'", "export default 1", "yield 1", "function* f() { function yield() {} yield = 1 }",
		"async () => { const await = 1 }", "async (await) => 1", "async (a = await 1) => 1", "function* f(a = yield) {}",
		"({ a: 1, a: 2, __proto__: 1, __proto__: 2 })", "({ get a(b) {} })", "({ set a() {} })", "({ a = 1 })", "({ async *a })", "({ a b })",
		"try {} catch (a) { let a }", "try {} catch ([a, a]) {}", "try {}", "throw\n1", "switch (1) { default: default: }", "if (1) let a", "if (1) const a = 1", "while (1) class A {}",
		"do let a; while (0)", "for (;;) const a = 1", "label: let a", "1..a.", "0b12", "0o8", "1_000_", "1__0", "0x", "1n.5", "08n", "3in []", "'\\u{110000}'", "`\\u{110000}`", "'a\nb'",
		"`${`", "`${a", "a => {} ()", "a => {}.b", "() + 1", "(a, b) \n => 1", "async a \n => 1", "async (a) \n => 1", "let a = b\nc d", "var a.b", "enum", "var class = 1", "class = 1",
		"async function f() { function g() { await 1 } }", "[1, 2].map(x => await f(x))", "function f() { return await 1 }", "const f = () => await(1)",
		"'use strict'; ({ arguments } = {})", "'use strict'; [arguments] = []", "const [first, ...rest(] = xs", "let [...{x(}] = b",
		"a?.`x`", "new a?.b()", "delete this.#x", "#x in y", "a.#b", "@d class A {}", "typeof import", "return; }", "((((", "))", "/*", "'",
	} {
		got, want := host{}.run(t, code), host{}.run(t, unplain(code))
		if got.done != want.done || got.failed.Kind != want.failed.Kind || got.failed.Message != want.failed.Message {
			t.Errorf("%s\nplain    %t %q\nstripped %t %q", code, got.done, got.failed.Message, want.done, want.failed.Message)
		}
	}
}

// Places and words of failures do not depend on who read the script.
func TestM9_PlainFailuresAsStripped(t *testing.T) {
	for _, code := range []string{
		"return a.b", "  return 1 +\n    null.x", "const o = {};\no.go(1)", "throw new Error('x')", "\n\n  throw { a: 1 }", "const f = () => { throw new TypeError('x') };\n[1].map(f)",
		"return undefined.a.b.c", "let x = 1; x()", "const { a } = null", "try { throw null } catch ({ a }) { return a }", "for (const x of 5) {}", "return [...null]", "new (1)()", "null[0]", "const a = 1; a = 2", "return a; let a",
		"await Promise.reject(new RangeError('r'))", "return JSON.parse('{')", "tools.x.y()", "tools.mcp__s__t('x')", "await tools.mcp__s__t({}, 1)", "return 1n", "return x (1)", "const r = {}; console.log('id' in r.body)",
		"const o = {}; if (/* price */ \"price\" in o.items) return 1", "return `has ${'id' in undefined}`", "let n; return 'x' instanceof n", "let n; return [1, 'error' in n]",
	} {
		got, want := host{}.run(t, code).failed, host{}.run(t, unplain(code)).failed
		if got != want {
			t.Errorf("%s\nplain    %+v\nstripped %+v", code, got, want)
		}
	}
}

// A constant that a loop or a pattern takes apart has its own place, whoever read the script.
func TestM9_ConstantsThatAreTakenApart(t *testing.T) {
	for _, code := range []string{
		"const a = {};\nfor (const x of 10) {}", "a = {};\nfor (const x of undefined) {}", "JSON.stringify(1);\nconst { x } = undefined", "let a = 1;\nconst { x } = null, y = 2",
		"let x = 1;\n[x] = 1n", "let x = 1;\n({ x } = void 0)", "const f = () => {\nlet [a] = true }; f()", "for (const k of [1]) {\n for (const x of null) {} }",
	} {
		for _, code := range []string{code, unplain(code)} {
			if f := (host{}).run(t, code).failed; f.Kind != "script_error" || f.Line != 2 || f.Column == 0 {
				t.Errorf("%s\n%+v", code, f)
			}
		}
	}
}

// A stack names the script's own lines and columns also where nothing was stripped, the first line's too.
func TestM9_PlainStacks(t *testing.T) {
	for code, want := range map[string]string{
		"return new Error('x').stack":                                              "Error: x\n\tat script.ts:1:8(7)\n",
		"function f() {\n  return new Error('x');\n}\nreturn f().stack":            "Error: x\n\tat f (script.ts:2:10(7))\n\tat script.ts:4:8(9)\n",
		"const f = (n) =>\n\tn > 0 ? f(n - 1) : new Error('x').stack; return f(0)": "Error: x\n\tat f (script.ts:2:21(18))\n\tat script.ts:2:50(10)\n",
	} {
		if !isPlain(code) {
			t.Errorf("not plain: %s", code)
		}
		if got := (host{}).value(t, code); got != strconv.Quote(want) {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, strconv.Quote(want))
		}
		if got := (host{}).value(t, unplain(code)); got != strconv.Quote(want) {
			t.Errorf("stripped: %s\ngot  %s\nwant %s", code, got, strconv.Quote(want))
		}
	}
}
