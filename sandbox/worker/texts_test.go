package worker

import (
	"fmt"
	"strings"
	"testing"
)

// Texts that are kept from one result to the next are the same the second time, as a value and as a name.
func TestS1_7_TextsThatComeAgain(t *testing.T) {
	e := newEngine()
	again := func(raw string) string {
		d := decoder{realm: e.realm, bigs: e.bigs}
		v, err := d.decode([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		c := encoder{realm: e.realm, limit: 1 << 20}
		if err := c.encode(v); err != nil {
			t.Fatal(err)
		}
		return string(c.out)
	}
	for _, text := range []string{
		``, `a`, ` `, `é`, `日本`, `😀`, `\u0061`, `a\"b`, `\\`, `\ud83d`, `\ud83d\ude00`, "\ufffd", `\ufffd`, "\xff", "a\xe9",
		strings.Repeat("x", 31), strings.Repeat("x", 32), strings.Repeat("x", 33), strings.Repeat("é", 16), `__proto`, `toJSON`,
	} {
		want := map[string]string{`\u0061`: `a`, `\ud83d\ude00`: `😀`, `\ufffd`: "\ufffd", "\xff": "\ufffd", "a\xe9": "a\ufffd"}[text]
		if want == "" {
			want = text
		}
		for range 3 {
			if got := again(`["` + text + `"]`); got != `["`+want+`"]` {
				t.Errorf("value %q: %s", text, got)
			}
			if got := again(`{"` + text + `" : "` + text + `"}`); got != `{"`+want+`":"`+want+`"}` {
				t.Errorf("name %q: %s", text, got)
			}
		}
	}
	var many []string
	for i := range 3 * sharedTexts {
		many = append(many, fmt.Sprintf(`{"k%d":"v%d"}`, i, i))
	}
	all := "[" + strings.Join(many, ",") + "]"
	for range 2 {
		if got := again(all); got != all {
			t.Error("texts that share a place are mixed up")
		}
	}
}

// Room is made in an object after the last one beside it, not after the one it is in.
func TestM6_WideAndDeepResults(t *testing.T) {
	e := newEngine()
	var wide []string
	for i := range 32 {
		wide = append(wide, fmt.Sprintf(`"k%d":1`, i))
	}
	one := "{" + strings.Join(wide, ",") + "}," + strings.Repeat(`{"a":`, 900) + "1" + strings.Repeat("}", 900)
	const times = 20
	raw := []byte("[" + strings.Repeat(one+",", times) + "1]")
	allocated := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			d := decoder{realm: e.realm, bigs: e.bigs}
			if _, err := d.decode(raw); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if each := allocated / (times * 900); each > 800 {
		t.Errorf("%d bytes for an object of one member", each)
	}
}
