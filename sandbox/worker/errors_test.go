package worker

import (
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// at is where and how a script must fail.
type at struct {
	kind         sandbox.Kind
	name         string
	line, column int
	says         []string // parts of the message
}

// Every failure says what, where in the model's own text, and what to do next.
func TestE5_ErrorsTeach(t *testing.T) {
	const script, syntax = sandbox.KindScript, sandbox.KindSyntax
	for code, want := range map[string]at{
		"const a = 1;\n\n  throw new TypeError('boom');":            {script, "TypeError", 3, 9, []string{"boom"}},
		"type T = {\n a: number\n};\nnull.x;":                       {script, "TypeError", 4, 6, []string{"Cannot read properties of undefined or null (reading 'x')"}},
		"const o = {};\no.a.b":                                      {script, "TypeError", 2, 5, []string{"Cannot read properties of undefined or null (reading 'b')"}},
		"const o = {};\no.go(1)":                                    {script, "TypeError", 2, 3, []string{"o.go is not a function"}},
		"let f;\nf()":                                               {script, "TypeError", 2, 1, []string{"f is not a function"}},
		"async function f() {\n  nope;\n}\nawait f()":               {script, "ReferenceError", 2, 3, []string{"nope is not defined"}},
		"const c = 1;\nc = 2":                                       {script, "TypeError", 2, 1, []string{"constant"}},
		"function f() { return f() + 1 }\nf()":                      {script, "RangeError", 1, 1, []string{"Maximum call stack size exceeded", "loop"}},
		"class E extends Error { name = 'Mine' }\nthrow new E('m')": {script, "Mine", 2, 7, []string{"m"}},
		"throw 'text'":                                              {script, "", 0, 0, []string{"'text'", "not an Error"}},
		"throw { code: 7 }":                                         {script, "", 0, 0, []string{"{ code: 7 }"}},
		"throw null":                                                {script, "", 0, 0, []string{"null"}},
		"throw Symbol('s')":                                         {script, "", 0, 0, []string{"Symbol(s)"}},
		"throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })":            {script, "", 0, 0, []string{"not an Error"}},
		"await Promise.any([Promise.reject(new Error('a')), Promise.reject(new Error('b'))])": {script, "AggregateError", 0, 0, []string{"Error: a", "Error: b"}},
		"JSON.parse('{\"a\": x}')": {script, "SyntaxError", 1, 6, []string{"Unexpected token 'x'", "position 6"}},

		"let a = 1;\nlet b = ;":                {syntax, "SyntaxError", 2, 9, []string{`Unexpected ";"`}},
		"if (true) {\n  return 1\n":            {syntax, "SyntaxError", 2, 0, []string{"bracket"}},
		"const s = `abc;\nreturn s":            {syntax, "SyntaxError", 2, 0, []string{"ends before"}},
		"let a = 1;\nlet a = 2":                {syntax, "SyntaxError", 2, 5, []string{"already been declared"}},
		"\nimport fs from 'fs'":                {syntax, "SyntaxError", 2, 8, []string{"import is not available", "tools"}},
		"import { a } from 'b'":                {syntax, "SyntaxError", 1, 0, []string{"import is not available"}},
		"import 'x'":                           {syntax, "SyntaxError", 1, 0, []string{"import is not available"}},
		"const a = 1; import x from 'y'":       {syntax, "SyntaxError", 1, 21, []string{"import is not available"}},
		"import x = require('y')":              {syntax, "SyntaxError", 1, 0, []string{"import is not available"}},
		"namespace N { export const a = 1 }":   {syntax, "SyntaxError", 1, 0, []string{"namespace", "object"}},
		"declare module 'x' {}":                {syntax, "SyntaxError", 1, 0, []string{"module"}},
		"return tools.mcp__s__obj({}":          {syntax, "SyntaxError", 1, 0, []string{"ends before"}},
		"const x = {a: 1\nreturn x":            {syntax, "SyntaxError", 2, 1, []string{`Expected "}"`}},
		"let let = 1":                          {syntax, "SyntaxError", 1, 5, []string{`"let" as an identifier here`}},
		"[1].forEach(x => { await x })":        {syntax, "SyntaxError", 1, 20, []string{"async", "forEach"}},
		"export default async () => 1":         {syntax, "SyntaxError", 1, 0, []string{"export is not available", "return"}},
		"const f = () => { await 1 }":          {syntax, "SyntaxError", 1, 0, []string{"async"}},
		"if (false) {\n  x = /\\p{Nope}/u;\n}": {syntax, "SyntaxError", 2, 7, []string{`"Nope"`, "unknown"}},
		"const x = 5;\nreturn 1 <= x <= 10":    {syntax, "SyntaxError", 2, 8, []string{"a < b && b < c"}},
		"return ('a' in {}) > (0 as number)":   {syntax, "SyntaxError", 1, 9, []string{"variable"}},
		"return 1 < (2 < 3)":                   {syntax, "SyntaxError", 1, 8, []string{"variable"}},
		"const { t: [a, b = 1] = [] } = {}":    {syntax, "SyntaxError", 1, 0, []string{"statement of its own"}},
		"await Promise.any([])":                {script, "AggregateError", 1, 0, []string{"All promises were rejected"}},
		"return import.meta.url":               {syntax, "SyntaxError", 1, 0, []string{"import.meta is not available"}},
		"return /x{2,1}/":                      {syntax, "SyntaxError", 1, 8, []string{"Invalid regular expression: invalid repeat count"}},
		"return /a(b)/d.exec('ab')":            {syntax, "SyntaxError", 1, 0, []string{"regular expression"}},
		"await import('node:fs')":              {script, "Error", 1, 7, []string{"import() is not available"}},

		"require('fs')":                             {script, "ReferenceError", 1, 1, []string{"require is not available"}},
		"await fetch('http://x')":                   {script, "ReferenceError", 1, 7, []string{"no network", "MCP tool"}},
		"process.env.HOME":                          {script, "ReferenceError", 1, 1, []string{"no process"}},
		"Buffer.from('a')":                          {script, "ReferenceError", 1, 1, []string{"Uint8Array"}},
		"await new Promise(r => setTimeout(r, 10))": {script, "ReferenceError", 1, 24, []string{"no timers"}},
		"new URL('http://a')":                       {script, "ReferenceError", 0, 0, []string{"URL is not available"}},
		"structuredClone({})":                       {script, "ReferenceError", 1, 1, []string{"JSON.parse(JSON.stringify"}},
		"return ALL_TOOLS":                          {script, "ReferenceError", 1, 8, []string{"no ALL_TOOLS"}},
		"await files.readText('a')":                 {script, "ReferenceError", 1, 7, []string{"no files"}},
		"await mcp__s__obj({})":                     {script, "ReferenceError", 1, 7, []string{"tools.mcp__s__obj"}},
		"eval('1')":                                 {script, "EvalError", 1, 1, []string{"Code generation from strings"}},

		"const r = tools.mcp__s__obj({});\nreturn r.list.map(x => x)":                     {script, "TypeError", 2, 10, []string{"r is a Promise", "await"}},
		"return (await tools.mcp__s__text({})).items.length":                              {script, "TypeError", 1, 45, []string{"mcp__s__text returned text", "JSON.parse"}},
		"return tools.mcp__s__obj({}).list.length":                                        {script, "TypeError", 1, 35, []string{"Promise", "await"}},
		"return await tools.github.list({})":                                              {script, "TypeError", 1, 20, []string{"MCP tools", "$codemode"}},
		"const r = await tools.mcp__s__obj({});\nreturn r.items.length":                   {script, "TypeError", 2, 16, []string{"shape"}},
		"await tools.mcp__s__echo('x')":                                                   {script, "Error", 1, 13, []string{"plain object", "not a string", "was not made"}},
		"const r = await tools.mcp__s__obj({});\nreturn `got ${r}`":                       {script, "TypeError", 2, 0, []string{"Cannot convert object", "JSON.stringify"}},
		"return JSON.parse(await tools.mcp__s__obj({}))":                                  {script, "SyntaxError", 1, 13, []string{"an object, not text"}},
		"const r = await tools.mcp__s__obj({});\nfor (const x of r.items) console.log(x)": {script, "TypeError", 2, 19, []string{"undefined or null", "shape"}},
		"const r = await tools.mcp__s__obj({});\nconst { a: { b: { c } } } = { a: r.x }":  {script, "TypeError", 2, 0, []string{"destructure", "shape"}},
		"const r = await tools.mcp__s__text({});\nreturn Object.keys(r.items)":            {script, "TypeError", 2, 0, []string{"undefined or null", "JSON.parse"}},
		"const r = await tools.mcp__s__obj({});\nreturn r.hasOwnProperty('a')":            {script, "TypeError", 2, 0, []string{"r.hasOwnProperty is not a function", "Object.hasOwn(object, key)"}},
		"const r = await tools.mcp__s__obj({});\nreturn r.a.toString()":                   {script, "TypeError", 2, 0, []string{"JSON.stringify(object)"}},
		"await tools('mcp__s__obj', {})":                                                  {script, "TypeError", 1, 7, []string{"tools is not a function", "tools.NAME"}},
		"return 'abc'.foo()":                                                              {script, "TypeError", 1, 14, []string{"foo is not a function"}},
		"const xs = [{}]; return xs.filter(x => 'id' in x.data)":                          {script, "TypeError", 1, 40, []string{"The right side of in is undefined, not an object"}},
		"const k = 'a', r = {}; return k in r.body":                                       {script, "TypeError", 1, 0, []string{"The right side of in is undefined"}},
		"let C; return {} instanceof C":                                                   {script, "TypeError", 1, 0, []string{"The right side of instanceof is undefined"}},
		"print('x')":                                                                      {script, "ReferenceError", 1, 1, []string{"console.log"}},
		"return 1;\n}\nfoo();":                                                            {syntax, "SyntaxError", 3, 1, []string{"did not open"}},
		"if (true) {\n  return 1 }\n}":                                                    {syntax, "SyntaxError", 3, 0, []string{"did not open"}},
		"const a = [1;\n}":                                                                {syntax, "SyntaxError", 1, 13, []string{`Expected "]"`}},
		"return JSON.parse({})":                                                           {script, "SyntaxError", 1, 13, []string{"an object, not text"}},
		"return (":                                                                        {syntax, "SyntaxError", 1, 0, []string{"ends before"}},
		"return f(1, ":                                                                    {syntax, "SyntaxError", 1, 0, []string{"ends before"}},
		"}); (async function(){":                                                          {syntax, "SyntaxError", 0, 0, []string{"did not open"}},
	} {
		f := pool().run(t, code).failed
		if f.Kind != string(want.kind) || f.Name != want.name || want.line != 0 && f.Line != want.line || want.column != 0 && f.Column != want.column {
			t.Errorf("%s\ngot  %+v\nwant %+v", code, f, want)
		}
		for _, s := range want.says {
			if !strings.Contains(f.Message, s) {
				t.Errorf("%s\ngot  %q\nwant %q in it", code, f.Message, s)
			}
		}
		if f.Line > 0 && f.Frame != strings.Split(code, "\n")[f.Line-1] {
			t.Errorf("%s: frame %q", code, f.Frame)
		}
		for _, leak := range []string{"goja", "esbuild", "<stdin>", "(function(){", "panic", "nil pointer"} {
			if strings.Contains(f.Message, leak) {
				t.Errorf("%s: the message shows %q: %s", code, leak, f.Message)
			}
		}
	}
}

// The message of a tool's error is whole, whatever the script does to Error.
func TestE5_ErrorsCannotBeForged(t *testing.T) {
	for code, want := range map[string]string{
		"Error.prototype.name = 'Forged'; await tools.mcp__s__fail({})":                                    "disk full",
		"const e = new Error('real'); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e": "",
		"const e = new Error('real'); e.stack = 'script.ts:99:99'; throw e":                                "real",
		"const e = new Error('real'); e.name = Symbol('x'); throw e":                                       "real",
		"const e = new Error('a script.ts:7:7 b'); throw e":                                                "a script.ts:7:7 b",
	} {
		f := pool().run(t, code).failed
		if f.Message != want || f.Line > 1 && f.Frame == "" {
			t.Errorf("%s: %+v", code, f)
		}
	}
}

// A caught error of the engine's own has the same words.
func TestE5_CaughtErrorsTeach(t *testing.T) {
	for code, want := range map[string]string{
		"const o = {}; try { o.go() } catch (e) { return [e.message, e.stack.split('\\n')[0], e instanceof TypeError] }":                                                                                      `["o.go is not a function","TypeError: o.go is not a function",true]`,
		"const o = {}; try { o.a.b } catch (e) { return e.message }":                                                                                                                                          `"Cannot read properties of undefined or null (reading 'b')"`,
		"const r = tools.mcp__s__obj({}); try { r.list.map() } catch (e) { return e.message.includes('r is a Promise') }":                                                                                     `true`,
		"try { throw new Error('Object has no member \\'x\\'') } catch (e) { return e.message }":                                                                                                              `"Object has no member 'x'"`,
		"const o = {}; return (async () => o.go())().catch(e => e.message)":                                                                                                                                   `"o.go is not a function"`,
		"const o = {}; return (async () => { await 1; o.go() })().catch(function (e) { 'use strict'; return [e.message, this === undefined] })":                                                               `["o.go is not a function",true]`,
		"const o = {}; return Promise.resolve().then(() => o.go()).then(() => 1, (e) => { return e.message })":                                                                                                `"o.go is not a function"`,
		"const o = {}; return (async () => o.go())()['catch'](e => e.message)":                                                                                                                                `"o.go is not a function"`,
		"const o = {}; return (async () => o.go())()?.['then'](1, e => e.message)":                                                                                                                            `"o.go is not a function"`,
		"const o = {}; try { o.go() } catch ({ message, name: n = 1 }) { let a = n; return [message, a] }":                                                                                                    `["o.go is not a function","TypeError"]`,
		"const o = {}; try { o.go() } catch ({ message: { length } }) { return length }":                                                                                                                      `22`,
		"const x = 5; try { throw {} } catch ({ a = x }) { let x = 1; return [a, x] }":                                                                                                                        `[5,1]`,
		"const k = 'm'; try { throw { m: 1 } } catch ({ [k]: v }) { const k = 'z'; return [v, k] }":                                                                                                           `[1,"z"]`,
		"let e = 'out'; try { throw {} } catch ({ a = () => e }) { let e = 'in'; return [a(), e] }":                                                                                                           `["out","in"]`,
		"try { throw [1, 2] } catch ([a, ...b]) { var c = () => a + b[0]; function d() { return c() } return d() }":                                                                                           `3`,
		"const f = x => 1; return [{ catch(h) { return h === f } }.catch(f), { then(a, h) { return [h === f, h.length] } }.then(null, f)]":                                                                    `[true,[true,1]]`,
		"class A { x = 3 } return [{ catch(h) { return new h().x } }.catch(A), { catch(h) { return h.length } }.catch((a, b) => b)]":                                                                          `[3,2]`,
		"const more = [e => e + 1]; return Promise.reject(1).catch(...more)":                                                                                                                                  `2`,
		"return Promise.reject(1).then(...[null], 2).catch(null, 3).catch(function (e) { 'use strict'; return [e, this === undefined, arguments.length] })":                                                   `[1,true,1]`,
		"return Promise.reject(1).catch(() => { throw new Error('again') }).catch(e => e.stack.split('\\n')[1].trim())":                                                                                       `"at script.ts:1:46(7)"`,
		"return Promise.reject(4).catch((e = 1, ...more) => e + more.length)":                                                                                                                                 `4`,
		"return Promise.reject({ a: 1 }).catch(({ a }) => a)":                                                                                                                                                 `1`,
		"return Promise.reject(1).catch(() => 2)":                                                                                                                                                             `2`,
		"return { catch: (f) => f(5) }.catch(x => x + 1)":                                                                                                                                                     `6`,
		"try { new RegExp('(?<=a') } catch (e) { return [e.name, e.message] }":                                                                                                                                `["SyntaxError","Invalid regular expression: missing closing )"]`,
		"try { new RegExp('a**') } catch (e) { return e.message }":                                                                                                                                            `"Invalid regular expression: invalid nested repetition operator"`,
		"try { RegExp('\\\\') } catch (e) { return e.message }":                                                                                                                                               `"Invalid regular expression: trailing backslash at end of expression"`,
		"let n = 0; const e = new TypeError('x'); for (const k of ['name', 'message']) Object.defineProperty(e, k, { get() { n++; return 'Object has no member' } }); try { throw e } catch (e) { return n }": `0`,
		"class E extends TypeError { get name() { throw 1 } } try { throw new E('is not iterable') } catch (e) { return e.message }":                                                                          `"is not iterable"`,
		"try { throw null } catch (e) { return e }":                                                                                                                                                           `null`,
		"try { throw 1 } catch { return 'bare' }":                                                                                                                                                             `"bare"`,
		"try { throw { a: 1 } } catch ({ a }) { return a }":                                                                                                                                                   `1`,
		"try { null.x } catch (e) { let e2 = e; { var e3 = 1 } return e2.name }":                                                                                                                              `"TypeError"`,
	} {
		if got := pool().value(t, code); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
		}
	}
}

// What to do about an error is said once, however often it is caught and thrown again.
func TestE5_RethrownErrorsTeachOnce(t *testing.T) {
	for _, mistake := range []string{"r.a.b", "'id' in r", "new 5", "for (const x of r.list) x", "r.map()"} {
		begin := "const r = await tools.mcp__s__text({}); "
		once := pool().run(t, begin+mistake).failed
		again := pool().run(t, begin+"try { try { "+mistake+" } catch (e) { throw e } } catch (e) { throw e }").failed
		later := pool().run(t, begin+"await (async () => { "+mistake+" })().catch(e => { throw e }).catch(e => { throw e })").failed
		anew := pool().run(t, begin+"try { "+mistake+" } catch (e) { throw new TypeError(e.message) }").failed
		if again.Message != once.Message || later.Message != once.Message || anew.Message != once.Message || !strings.Contains(once.Message, "JSON.parse") {
			t.Errorf("%s:\ngot  %s\n     %s\n     %s\nwant %s", mistake, again.Message, later.Message, anew.Message, once.Message)
		}
	}
	late := pool().run(t, "await tools.mcp__s__obj({}); const f = null; try { f() } catch (e) { await tools.mcp__s__text({}); throw e }").failed
	if strings.Count(late.Message, "esult") != 1 || strings.Contains(late.Message, "JSON.parse") {
		t.Errorf("got %s", late.Message)
	}
}

// A fence or wrapper round the script is removed, and places stay the model's.
func TestM2_WrappersAreRemoved(t *testing.T) {
	for code, want := range map[string]string{
		"```js\nreturn 1\n```":                                                                 `1`,
		"```typescript\nconst a: number = 2;\nreturn a\n```\n":                                 `2`,
		"  ```\n  return 3\n  ```  ":                                                           `3`,
		"~~~js\nreturn 4\n~~~":                                                                 `4`,
		"<parameter name=\"code\">return 5</parameter>":                                        `5`,
		"<parameter name=\"code\">\n```js\nreturn 6\n```\n</parameter>":                        `6`,
		"<invoke name=\"Exec\">\n<parameter name=\"code\">\nreturn 7\n</parameter>\n</invoke>": `7`,
		"<code>return 8</code>":                                                                `8`,
		"\ufeffreturn 9":                                                                       `9`,
		"#!/usr/bin/env node\nreturn 10":                                                       `10`,
		"Here is the script:\n\n```js\nreturn 11\n```\n\nIt returns 11.":                       `11`,
		"async () => { return 12 }":                                                            `12`,
		"async (tools) => {\n return (await tools.mcp__s__obj({})).a.b + 12 }":                 `13`,
		"(async () => { return (await tools.mcp__s__obj({})).a.b + 13 })()":                    `14`,
		"async function main() { return (await tools.mcp__s__obj({})).a.b + 14 }\nmain().catch(console.error)": `15`,
		"const main = async () => 16;\nmain();": `16`,
	} {
		if e := pool().run(t, code); e.value != want {
			t.Errorf("%q: got %q %+v, want %s", code, e.value, e.failed, want)
		}
	}
	for code, line := range map[string]int{
		"```js\nconst a = 1;\nnull.x\n```":                     3,
		"<parameter name=\"code\">null.x</parameter>":          1,
		"Words.\n```js\nconst a = 1;\nnull.x\n```\nMore words": 4,
	} {
		if f := pool().run(t, code).failed; f.Line != line {
			t.Errorf("%q: %+v, want line %d", code, f, line)
		}
	}
}

// What is lost without an error is told in a warning.
func TestE5_SilentMistakesWarn(t *testing.T) {
	for code, want := range map[string]string{
		"Promise.reject(new TypeError('gone')); return 1":                                               "TypeError: gone",
		"(async () => { await null; throw new Error('later') })(); await 0; await 0; await 0; return 1": "line 1",
		"tools.mcp__s__fail({}); await tools.mcp__s__obj({}); return 1":                                 "disk full",
		"async function main() { return 1 }":                                                            "calls none",
		"const r = await tools.mcp__s__obj({});\nr.list":                                                "return in front",
		"return { p: tools.mcp__s__obj({}) }":                                                           "$.p was a Promise",
		"return `value: ${tools.mcp__s__obj({})}`":                                                      "[object Promise]",
		"console.log(`value: ${tools.mcp__s__obj({})}`)":                                                "[object Promise]",
		"const r = await tools.mcp__s__text({}); return r.items":                                        "returned text",
		"return () => 1": "was a function",
	} {
		if e := pool().run(t, code); !e.done || !strings.Contains(e.warned(), want) {
			t.Errorf("%s: warnings %q, want %q (%+v)", code, e.warned(), want, e.failed)
		}
	}
	for _, code := range []string{
		"await Promise.reject(1).catch(() => {}); return 1", "console.log('x')", "return undefined", "const p = Promise.reject(1); try { await p } catch {} return 1",
		"await tools.mcp__s__obj({})", "let x = 1; x++", "function f() {} f()", "return await tools.mcp__s__obj({})",
	} {
		if e := pool().run(t, code); len(e.warns) > 0 {
			t.Errorf("%s: needless warnings %q", code, e.warns)
		}
	}
}

// No sentence of the worker holds a limit's number.
func TestN4_NoNumbersInText(t *testing.T) {
	h := host{start: wire.StartHead{LogChars: 7777}}
	for _, code := range []string{
		"function f() { return f() }\nf()", "let v = 1; for (let i = 0; i < 5000; i++) v = [v]; return v", "JSON.parse('['.repeat(20000))",
		"await tools.mcp__x(1)", "await new Promise(() => {})", "return 1n",
	} {
		f := h.run(t, code).failed
		for _, n := range []string{"10000", "10,000", "10_000", "1000", "7777", "500"} {
			if strings.Contains(f.Message, n) {
				t.Errorf("%s: %q holds %s", code, f.Message, n)
			}
		}
	}
}
