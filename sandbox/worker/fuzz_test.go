package worker

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exec-ext/exec-ext/sandbox"
)

// Whatever the text, compiling it ends in a script or in a syntax error at a place in the text.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"return 1", "```js\nreturn 1\n```", "}); (async function(){", "import x from 'y'", "<parameter name=\"code\">x", "`${`", "/\\p{L}/u",
		"class A { #x = 1; static { } }", "for await (const x of y) ;", "using a = b", "enum E { A }", "\ufeff#!x\n1", "/[\\p{L}--[a-z]]/v",
		"async (tools) => {}", "main(); async function main() {}", "label: for (;;) { continue label }", "x = { get a() {}, *b() {}, async c() {} }",
		"import('x')", "tools.a(); tools[b]()", "/(?<a>x)|(?<a>y)/", "'\\\n'", "a ??= b?.[c]?.(d)", "<!-- x\n--> y", "let x: A<B> = <C>y as D",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		s, fail := compile(text, "mcp__")
		if fail == nil {
			if s == nil || s.program == nil {
				t.Fatal("neither a script nor a failure")
			}
			return
		}
		if fail.Kind != string(sandbox.KindSyntax) || fail.Message == "" || fail.Line > strings.Count(text, "\n")+1 {
			t.Fatalf("%q: %+v", text, fail)
		}
		if strings.Contains(fail.Message, wrapperHead) && !strings.Contains(text, wrapperHead) {
			t.Fatalf("%q: the message shows the wrapper: %s", text, fail.Message)
		}
	})
}

// JSON that comes in and goes out again untouched is the same JSON, but for what never crosses.
func FuzzCrossing(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[1,2.5,-0,1e400,"\ud800"]`, `{"a":{"b":[null,true]},"__proto__":{"x":1}}`, `12345678901234567890`, `{"2":1,"1":2,"b":3,"a":4}`,
		`{"a":1,"a":2}`, `"\u0000\u2028<>&"`, `[[[[]]]]`, `{"":{"":0}}`, ` 1 `, `{"toJSON":1,"then":{}}`, `[9007199254740993,{"k":-9007199254740993}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e := newEngine()
		in := decoder{realm: e.realm, bigs: e.bigs}
		v, err := in.decode(raw)
		if err != nil {
			if jsontext.Value(raw).IsValid() && json.Valid(raw) && bytes.Count(raw, []byte("[")) < 1000 && bytes.Count(raw, []byte("{")) < 1000 {
				t.Fatalf("%q is JSON: %v", raw, err)
			}
			return
		}
		out := encoder{realm: e.realm, limit: 1 << 20}
		if err := out.encode(v); err != nil {
			return // too deep, or an infinity
		}
		again := decoder{realm: e.realm, bigs: e.bigs}
		w, err := again.decode(out.out)
		if err != nil {
			t.Fatalf("%q came out as %q: %v", raw, out.out, err)
		}
		second := encoder{realm: e.realm, limit: 1 << 20}
		if err := second.encode(w); err != nil || !bytes.Equal(second.out, out.out) {
			t.Fatalf("%q: %q, then %q (%v)", raw, out.out, second.out, err)
		}
	})
}

// A pattern is rewritten or refused; the engine never sees one that makes it panic.
func FuzzRegExp(f *testing.F) {
	for _, seed := range [][2]string{
		{`\p{L}+`, "u"}, {`[\p{L}--[a-z]]`, "v"}, {`[^\P{Lu}\d]`, "iu"}, {`[[a&&b]--\q{x}]`, "v"}, {`(?<a>x)(?<a>y)`, ""}, {`[[:alpha:]]`, ""},
		{`\p{Script=Han}`, "gu"}, {`[\u{1F600}-\u{1F64F}&&\p{Emoji}]`, "v"}, {`\p`, "u"}, {`[`, "v"}, {`[a-`, "v"}, {`[\x4`, "v"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, flags string) {
		if len(pattern) > 200 || !ownRegExp(pattern, flags) {
			return
		}
		p, fl, err := rewriteRegExp(pattern, flags)
		if err == nil && strings.Contains(fl, "v") && strings.Count(flags, "v") == 1 {
			t.Fatalf("%q %q: the v flag is still there", pattern, flags)
		}
		if err == nil && strings.Contains(flags, "u") && len(p) < len(pattern) && !strings.Contains(flags, "v") {
			t.Fatalf("%q became the shorter %q", pattern, p)
		}
	})
}
