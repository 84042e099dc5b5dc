package worker

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/sandbox"
)

// pool is a host with tools of every behaviour.
func pool() host {
	return host{
		tools: map[string]func(json.RawMessage) sandbox.Reply{
			"mcp__s__echo":     echo,
			"mcp__s__obj":      reply(`{"a":{"b":1},"list":[1,2],"n":null}`),
			"mcp__s__text":     reply(`"{\"items\":[]}"`),
			"mcp__s__null":     reply(""),
			"mcp__s__fail":     refuse(sandbox.CallFailed, "disk full"),
			"mcp__s__denied":   refuse(sandbox.CallDenied, "not by you"),
			"mcp__s__limit":    refuse(sandbox.CallLimit, "over the limit"),
			"mcp__s__get-docs": reply(`"docs"`),
			"mcp__s__big":      reply(`{"id":12345678901234567890,"in":[{"k":-9007199254740993}],"ok":9007199254740991,"f":1.5}`),
			"mcp__s__proto":    reply(`{"__proto__":{"isAdmin":true},"ok":1,"in":[{"__proto__":1,"x":2}]}`),
			"$codemode.search": reply(`[{"name":"mcp__s__obj","description":"d","signature":"s"}]`),
		},
		names: []string{"mcp__s__echo", "mcp__s__obj"},
	}
}

func TestS1_1_TwoCallsInARow(t *testing.T) {
	e := pool().run(t, `const a = await tools.mcp__s__obj({ id: 1 }); return await tools.mcp__s__echo({ value: a })`)
	if want := `{"value":{"a":{"b":1},"list":[1,2],"n":null}}`; e.value != want {
		t.Errorf("got %s %+v, want %s", e.value, e.failed, want)
	}
	if len(e.calls) != 2 || string(e.calls[0].Args) != `{"id":1}` {
		t.Errorf("calls %v", e.calls)
	}
}

// What a script gets of calls, and what it may do with it.
func TestS1_Values(t *testing.T) {
	for code, want := range map[string]string{
		`return [await tools.mcp__s__text({}), await tools.mcp__s__null({}), typeof await tools.mcp__s__obj({})]`:                                                                                      `["{\"items\":[]}",null,"object"]`,
		`try { await tools.mcp__s__fail({}) } catch (e) { return [e.message, e instanceof Error, e.name] }`:                                                                                            `["disk full",true,"Error"]`,
		`return await tools.mcp__s__fail({}).catch(e => 'caught ' + e.message)`:                                                                                                                        `"caught disk full"`,
		`return await tools['mcp__s__get-docs']({})`:                                                                                                                                                   `"docs"`,
		`return (await tools["$codemode"].search({ query: 'x' })).map(h => h.name)`:                                                                                                                    `["mcp__s__obj"]`,
		`const { mcp__s__obj: f } = tools; return (await f({})).a.b`:                                                                                                                                   `1`,
		`const r = await Promise.all([1, 2, 3].map(id => tools.mcp__s__echo({ id }))); return r.map(x => x.id)`:                                                                                        `[1,2,3]`,
		`const r = await tools.mcp__s__obj({}); r.a.b = 9; r.list.push(3); delete r.n; return [await tools.mcp__s__obj({}), r]`:                                                                        `[{"a":{"b":1},"list":[1,2],"n":null},{"a":{"b":9},"list":[1,2,3]}]`,
		`const r = await tools.mcp__s__obj({}); return [Object.getPrototypeOf(r) === null, Object.getPrototypeOf(r.a) === null, Array.isArray(r.list), r.list instanceof Array, typeof r.constructor]`: `[true,true,true,true,"undefined"]`,
		`const r = await tools.mcp__s__proto({}); return [Object.keys(r), r.isAdmin ?? null, ({}).isAdmin ?? null, r]`:                                                                                 `[["ok","in"],null,null,{"ok":1,"in":[{"x":2}]}]`,
	} {
		if got := pool().value(t, code); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
		}
	}
}

// The tools object answers ordinary reads like any other object.
func TestE1_ToolsIsAnOrdinaryObject(t *testing.T) {
	for code, want := range map[string]string{
		`const t = await tools; return [t === tools, typeof tools.then, typeof tools.foo, typeof tools[Symbol.iterator], typeof tools[5]]`: `[true,"undefined","undefined","undefined","undefined"]`,
		`return [String(tools), JSON.stringify(tools), typeof tools, tools + '']`:                                                          `["[object tools]","{}","object","[object tools]"]`,
		`return [Object.keys(tools), 'mcp__s__obj' in tools, 'mcp__no' in tools, Object.hasOwn(tools, 'mcp__s__echo')]`:                    `[["mcp__s__echo","mcp__s__obj"],true,false,true]`,
		`const out = []; for (const k in tools) out.push(k); return [out, Object.keys({ ...tools }), Object.entries(tools).length]`:        `[["mcp__s__echo","mcp__s__obj"],["mcp__s__echo","mcp__s__obj"],2]`,
		`tools.mcp__s__obj = 1; delete tools.mcp__s__obj; tools.x = 1; return [typeof tools.mcp__s__obj, typeof tools.x]`:                  `["function","undefined"]`,
		`'use strict'; try { tools.x = 1 } catch (e) { return e.name }`:                                                                    `"TypeError"`,
		`try { Object.defineProperty(tools, 'x', { value: 1 }) } catch (e) { return e.name }`:                                              `"TypeError"`,
		`return [tools.mcp__s__obj === tools.mcp__s__obj, tools.mcp__s__obj.name, typeof tools.mcp__anything__else]`:                       `[true,"mcp__s__obj","function"]`,
		`return [Object.getPrototypeOf(tools), Object.getPrototypeOf(tools['$codemode']), Object.isFrozen(tools['$codemode'])]`:            `[null,null,false]`,
		`tools['$codemode'].search = 1; return typeof tools['$codemode'].search`:                                                           `"function"`,
	} {
		if got := pool().value(t, code); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
		}
	}
}

// A name that is no tool's rejects the await and says where tools are found, however it is written.
func TestS1_4_UnknownNamesTeach(t *testing.T) {
	for _, call := range []string{
		"tools.search('x')", "tools.Bash({})", "tools.readFile('a')", "tools['read-file']({})", "tools[['f', 'etch'].join('')]({})",
	} {
		e := pool().run(t, "try { await "+call+"; return 'called' } catch (e) { return e instanceof Error && e.message }")
		for _, want := range []string{"$codemode", "search", "MCP tools"} {
			if !strings.Contains(e.value, want) {
				t.Errorf("%s: %s lacks %q", call, e.value, want)
			}
		}
		if len(e.calls) != 0 {
			t.Errorf("%s was sent", call)
		}
	}
	if got, want := pool().value(t, "const tools = { own: () => 'mine' }; return tools.own()"), `"mine"`; got != want {
		t.Errorf("a variable named tools: got %s, want %s", got, want)
	}
}

// Arguments that are no plain data are refused with their path, as a rejection, and not sent.
func TestS3_6_ArgumentsAreRefused(t *testing.T) {
	for args, want := range map[string]string{
		`'text'`: "a string", `5`: "a number", `true`: "a boolean", `null`: "null", `[1, 2]`: "an array", `1n`: "a bigint",
		`Symbol()`: "a symbol", `() => 1`: "$ is a function", `{}, {}`: "one argument",
		`{ f: () => 1 }`: "$.f is a function", `{ deep: [{ f() {} }] }`: "$.deep[0].f is a function",
		`new (class Job { id = 1 })`: "$ is a class instance", `new Map`: "$ is a Map", `{ a: new Set }`: "$.a is a Set",
		`{ a: new Date(0) }`: "$.a is a Date", `{ a: /x/ }`: "$.a is a RegExp", `{ a: new Error('x') }`: "$.a is an Error",
		`{ a: NaN }`: "$.a is NaN", `{ a: { b: -Infinity } }`: "$.a.b is -Infinity", `{ a: 10n }`: "$.a is a BigInt",
		`{ a: Symbol('s') }`: "$.a is a symbol", `{ [Symbol('k')]: 1 }`: "$ has a symbol for a key", `{ a: [1, , 3] }`: "$.a[1] is undefined",
		`{ a: [undefined] }`: "$.a[0] is undefined", `{ a: tools.mcp__s__obj({}) }`: "$.a is a Promise: await it",
		`{ a: new Uint8Array(2) }`: "$.a is binary data", `new Proxy({}, {})`: "$ is a Proxy", `{ a: new Number(1) }`: "$.a is a wrapper",
		`JSON.parse('{"__proto__":{"x":1}}')`:                                          "$.__proto__ is a member named __proto__",
		`{ a: { b: JSON.parse('{"__proto__":1}') } }`:                                  "$.a.b.__proto__",
		`(() => { const o = {}; o.self = { o }; return o })()`:                         "$.self.o refers back",
		`{ get x() { throw new Error('boo') } }`:                                       "$.x threw while it was read",
		`{ 'odd key': { 1: () => 1 } }`:                                                `$["odd key"]["1"] is a function`,
		`Object.create({ inherited: 1 })`:                                              "$ is a class instance",
		`(function () { return arguments })(1)`:                                        "$ is an arguments object",
		`(() => { let v = {}; for (let i = 0; i < 2000; i++) v = { v }; return v })()`: "nests too deeply",
	} {
		e := pool().run(t, "const p = tools.mcp__s__echo("+args+"); try { await p; return 'called' } catch (e) { return [p instanceof Promise, e instanceof Error, e.message] }")
		var got []any
		if err := json.Unmarshal([]byte(e.value), &got); err != nil || len(got) != 3 || got[0] != true || got[1] != true || !strings.Contains(got[2].(string), want) {
			t.Errorf("%s: got %s %+v, want a rejection with %q", args, e.value, e.failed, want)
		}
		for _, c := range e.calls {
			if c.Name == "mcp__s__echo" {
				t.Errorf("%s was sent as %s", args, c.Args)
			}
		}
	}
}

// Arguments go out as they stand in the script.
func TestS1_3_ArgumentBytes(t *testing.T) {
	for args, want := range map[string]string{
		``:          `{}`,
		`undefined`: `{}`,
		`{ b: null, a: '', list: [], n: { 'x-y': false } }`:                              `{"b":null,"a":"","list":[],"n":{"x-y":false}}`,
		`{ a: undefined, b: 1 }`:                                                         `{"b":1}`,
		`{ id: 21000000, ts: 1700000000000, edge: 9007199254740991, half: -0.5, z: -0 }`: `{"id":21000000,"ts":1700000000000,"edge":9007199254740991,"half":-0.5,"z":0}`,
		`{ s: 'é"\u2028<&>\ud83d\ude00' }`:                                               "{\"s\":\"é\\\"\u2028<&>😀\"}",
		`{ s: '\ud800' }`:                                                                `{"s":"\ud800"}`,
		`{ n: JSON.rawJSON('12345678901234567890') }`:                                    `{"n":12345678901234567890}`,
		`Object.assign(Object.create(null), { a: 1 })`:                                   `{"a":1}`,
	} {
		e := pool().run(t, "await tools.mcp__s__echo("+args+")")
		if len(e.calls) != 1 || string(e.calls[0].Args) != want {
			t.Errorf("%s: sent %v, want %s (%+v)", args, e.calls, want, e.failed)
		}
	}
}

// Integers a JavaScript number cannot hold are named, and exact where their object is left alone.
func TestM9_BigIntegers(t *testing.T) {
	e := pool().run(t, `return await tools.mcp__s__big({})`)
	if want := `{"id":12345678901234567890,"in":[{"k":-9007199254740993}],"ok":9007199254740991,"f":1.5}`; e.value != want {
		t.Errorf("got %s, want %s", e.value, want)
	}
	for _, want := range []string{"mcp__s__big", "$.id is 12345678901234567890", "$.in[0].k is -9007199254740993"} {
		if !strings.Contains(e.warned(), want) {
			t.Errorf("warnings %q lack %q", e.warned(), want)
		}
	}
	if got, want := pool().value(t, `const r = await tools.mcp__s__big({}); r.id = r.id + 5000; r.in = r.in.map(x => x); return { r, copy: { ...r }, id: 1 }`),
		`{"r":{"id":12345678901234571000,"in":[{"k":-9007199254740993}],"ok":9007199254740991,"f":1.5},"copy":{"id":12345678901234571000,"in":[{"k":-9007199254740993}],"ok":9007199254740991,"f":1.5},"id":1}`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if e := pool().run(t, `const r = await tools.mcp__s__big({}); await tools.mcp__s__echo(r)`); !strings.Contains(string(e.calls[1].Args), "12345678901234567890") {
		t.Errorf("sent on as %s", e.calls[1].Args)
	}
}

// The kind of an uncaught call error goes to the parent, with the place of the call.
func TestS8_4_UncaughtCallErrors(t *testing.T) {
	for tool, want := range map[string]sandbox.CallErrorKind{
		"mcp__s__fail": sandbox.CallFailed, "mcp__s__denied": sandbox.CallDenied, "mcp__s__limit": sandbox.CallLimit, "mcp__s__gone": sandbox.CallUnknown,
	} {
		e := pool().run(t, "const a = 1;\n  await tools."+tool+"({});")
		f := e.failed
		if f.CallKind != string(want) || f.Line != 2 || f.Column != len("  await tools.")+1 {
			t.Errorf("%s: %+v, want kind %s at line 2", tool, f, want)
		}
	}
	if e := pool().run(t, "try { await tools.mcp__s__denied({}) } catch (e) { throw new Error('mine', { cause: e }) }"); e.failed.CallKind != "" {
		t.Errorf("a new error counts as the call's: %+v", e.failed)
	}
}

// A promise nothing can settle is told at once; a call nobody answers keeps the script waiting.
func TestS4_3_StallIsTold(t *testing.T) {
	for _, code := range []string{
		"await new Promise(() => {})", "await tools.mcp__s__obj({}); await new Promise(() => {})", "return new Promise(() => {})",
		"return { then() {} }", "for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }) ;",
	} {
		if e := pool().run(t, code); e.failed.Kind != string(sandbox.KindStalled) || !strings.Contains(e.failed.Message, "nothing can settle") {
			t.Errorf("%s: %+v", code, e.failed)
		}
	}
	h := pool()
	h.hold = map[string]bool{"mcp__s__obj": true}
	if e := h.run(t, "const p = tools.mcp__s__obj({}); return 'done'"); e.value != `"done"` {
		t.Errorf("an unawaited call: %+v", e)
	}
}

// Integers that only look alike in the script do not come out under each other's places.
func TestM9_MovedBigIntegers(t *testing.T) {
	h := pool()
	h.tools["mcp__s__ids"] = reply(`[9007199254740993,12345678901234567890,12345678901234567891,5]`)
	const seen = `12345678901234567000`
	for code, want := range map[string]string{
		`return r`:                                `[9007199254740993,12345678901234567890,12345678901234567891,5]`,
		`r[3] = 6; return r`:                      `[9007199254740993,12345678901234567890,12345678901234567891,6]`,
		`r.shift(); return r`:                     `[` + seen + `,` + seen + `,5]`,
		`r.reverse(); return r`:                   `[5,` + seen + `,` + seen + `,9007199254740992]`,
		`r.splice(1, 1, 7, 8); r.pop(); return r`: `[9007199254740992,7,8,` + seen + `]`,
		`r[0] = '9007199254740992'; return r`:     `["9007199254740992",` + seen + `,` + seen + `,5]`,
		`return r.slice(1)`:                       `[` + seen + `,` + seen + `,5]`,
	} {
		if got := h.value(t, "const r = await tools.mcp__s__ids({}); "+code); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
		}
	}
}

// Many errors that are handled late cost no more than their number, and none of them is named.
func TestE5_ManyErrorsHandledLate(t *testing.T) {
	e := pool().run(t, `const all = []; for (let i = 0; i < 100_000; i++) all.push(Promise.reject(i));
		const kept = all.splice(50_000, 1); await Promise.allSettled(all.reverse()); return kept.length`)
	if e.value != "1" || len(e.warns) != 1 || !strings.Contains(e.warns[0], "50000") {
		t.Errorf("%s %+v %q", e.value, e.failed, e.warns)
	}
}
