package worker

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/sandbox"
)

// escapeHost has one tool that answers with an object and one that fails.
func escapeHost() host {
	return host{
		tools: map[string]func(json.RawMessage) sandbox.Reply{
			"mcp__s__x":        reply(`{"a":{"b":1},"list":[1,2]}`),
			"mcp__s__fail":     refuse(sandbox.CallFailed, "failed"),
			"$codemode.search": reply(`[]`),
		},
		names: []string{"mcp__s__x", "mcp__s__fail"},
	}
}

// No expression of the list runs a text.
func TestS3_2_NoStringIsCompiled(t *testing.T) {
	raw, err := os.ReadFile("testdata/escape/compile.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range strings.Split(string(raw), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		t.Run(line, func(t *testing.T) {
			e := escapeHost().run(t, `
const P = "globalThis.PWNED = 1", T = tools.mcp__s__x, class_ = (C) => new C(P)();
let end = 'value';
try { await (async () => (`+line+`))() } catch (e) { end = e && e.name }
return [globalThis.PWNED ?? null, end]`)
			if !strings.HasPrefix(e.value, "[null,") {
				t.Errorf("got %s %+v", e.value, e.failed)
			}
		})
	}
	if n < 150 {
		t.Errorf("%d attempts, the list is shorter than it was", n)
	}
}

// The same expressions do compile where nothing is closed: the list can fail.
func TestS3_2_TheListFindsAnOpenRealm(t *testing.T) {
	raw, err := os.ReadFile("testdata/escape/compile.txt")
	if err != nil {
		t.Fatal(err)
	}
	compiled := 0
	for _, line := range strings.Split(string(raw), "\n") {
		if line == "" || strings.HasPrefix(line, "#") || strings.Contains(line, "await") || strings.Contains(line, "function* ()") && strings.Contains(line, "async") {
			continue
		}
		if openRealmRuns(line) {
			compiled++
		}
	}
	if compiled < 60 {
		t.Errorf("%d expressions compile in an open realm, want at least 60", compiled)
	}
}

// A script cannot close its wrapper and stand beside it.
func TestS3_2_WrapperCloseOut(t *testing.T) {
	for _, code := range []string{
		"}); globalThis.PWNED = 1; (async function(){",
		"}); globalThis.PWNED = 1; (async () => {",
		"})(); globalThis.PWNED = 1; (async function(){",
		"}, globalThis.PWNED = 1, async function(){",
		"} && (globalThis.PWNED = 1) && async function(){",
		"}); var __x = globalThis.PWNED = 1; (async function(){",
		"}); function f() {} (async function(){",
		"}); class A { static { globalThis.PWNED = 1 } } (async function(){",
		"}); import x from 'y'; (async function(){",
		"}); export default 1; (async function(){",
		"}).constructor('globalThis.PWNED=1')(); (async function(){",
		"}\n)\n;[1].map(() => globalThis.PWNED = 1)\n;(async function(){",
		"}), (function(){",
		"}(), async function(){",
		"})`${globalThis.PWNED = 1}`; (async function(){",
		"}); // ",
		"} /*",
		"return 1 })  ; (async function(){ return 2",
		"});label: (async function(){",
		"}); 'use strict'; (async function(){",
		"}); ; (async function(){",
		"})\n(async function(){",
	} {
		e := escapeHost().run(t, code)
		if e.done || e.failed.Kind != string(sandbox.KindSyntax) {
			t.Errorf("%q: got %+v, value %s; want a syntax error", code, e.failed, e.value)
		}
		if strings.Contains(e.failed.Message, "async function(") {
			t.Errorf("%q: the message shows the wrapper: %s", code, e.failed.Message)
		}
	}
}

// The engine's helpers have no name a script can write, and it finds them nowhere.
func TestS3_4_HelpersAreOutOfReach(t *testing.T) {
	h := escapeHost()
	for code, want := range map[string]string{
		`return Reflect.ownKeys(globalThis).filter(k => typeof k === 'string' && (k.startsWith(' ') || k.startsWith('__')))`: `[]`,
		`return [typeof __toESM, typeof __asyncGenerator, typeof __await]`:                                                   `["undefined","undefined","undefined"]`,
		`function f() { return [f.caller, f.arguments].map(String) } return f()`:                                             `["undefined","undefined"]`,
		`return (function () { return this === undefined || this === globalThis })()`:                                        `true`,
		`return [...arguments].length`: `0`,
	} {
		if got := h.value(t, code); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
		}
	}
}
