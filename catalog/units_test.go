package catalog

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestN10_UnitsAreUTF16 counts and orders as JavaScript's length and < do.
func TestN10_UnitsAreUTF16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		ua, ub := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
		if units(a) != len(ua) {
			t.Errorf("units(%q) = %d, want %d", a, units(a), len(ua))
		}
		if got, want := compare(a, b), slices.Compare(ua, ub); cmp.Compare(got, 0) != want {
			t.Errorf("compare(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
	if compare("\uFF5E", "🙂") < 0 {
		t.Error("a surrogate pair sorts before U+FF5E")
	}
}

// TestN10_CutsNeverSplitACharacter cuts to a width in code units, the dots included.
func TestN10_CutsNeverSplitACharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, width := rapid.String().Draw(t, "s"), rapid.IntRange(0, 30).Draw(t, "width")
		got := cut(s, width)
		switch {
		case units(s) <= width && got != s:
			t.Errorf("cut(%q, %d) = %q though it fits", s, width, got)
		case units(got) > width, !utf8.ValidString(got):
			t.Errorf("cut(%q, %d) = %q", s, width, got)
		case units(s) > width && width > 3 && units(got) < width-1:
			t.Errorf("cut(%q, %d) = %q is too short", s, width, got)
		}
	})
	if got := cut("🙂🙂🙂", 5); got != "🙂..." {
		t.Errorf("got %q", got)
	}
}

// TestN6_CostIsAFourthToTheNearest counts a block once.
func TestN6_CostIsAFourthToTheNearest(t *testing.T) {
	for units, want := range []int{0, 0, 1, 1, 1, 1, 2, 2} {
		if got := tokens(units); got != want {
			t.Errorf("%d units cost %d, want %d", units, got, want)
		}
	}
	p := poolOf(t, toolJSON("mcp__s__t", "What it does.\nMore.", `{"type":"object","properties":{"a":{"type":"string","description":"one\ntwo"}}}`))
	l := p.Render(everything)
	block := strings.TrimPrefix(l.Text, textHead+"\n")
	if got, want := p.seats(everything)[0][0].cost, (units(block)+2)/4; got != want {
		t.Errorf("the block costs %d, want %d", got, want)
	}
	if l.EstimatedTokens != (units(l.Text)+2)/4 {
		t.Errorf("the text costs %d", l.EstimatedTokens)
	}
}

// TestS5_1_QuotesAreJSON keeps every string readable as JSON and as JavaScript.
func TestS5_1_QuotesAreJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		q := quote(s)
		var back string
		if err := json.Unmarshal([]byte(q), &back); err != nil || back != s {
			t.Errorf("quote(%q) = %s: %v", s, q, err)
		}
		if strings.ContainsAny(q, "\n\r\u2028\u2029") {
			t.Errorf("a line end in %q", q)
		}
	})
}

// TestS5_1_Access has dots for identifiers and brackets for every other name.
func TestS5_1_Access(t *testing.T) {
	for name, want := range map[string]string{
		"mcp__a__b": "tools.mcp__a__b", "$x9": "tools.$x9", "delete": "tools.delete", "größe_ändern": "tools.größe_ändern",
		"a-b": `tools["a-b"]`, "a.b": `tools["a.b"]`, "9a": `tools["9a"]`, "": `tools[""]`, "a b": `tools["a b"]`,
		`say "hi"`: `tools["say \"hi\""]`, "a\nb": `tools["a\nb"]`, "a\u2028b": `tools["a\u2028b"]`, "x🙂": `tools["x🙂"]`, "𝒳": `tools["𝒳"]`,
	} {
		if got := access(name); got != want {
			t.Errorf("access(%q) = %s, want %s", name, got, want)
		}
	}
}

// TestS5_1_FirstLine finds the first line with words in it, whatever ends a line.
func TestS5_1_FirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"one": "one", " one \ntwo": "one", "\n\r\n \t\n two\rthree": "two", "a\u2028b": "a", "\u2029b \"q\" \t\\": `b "q" ` + "\t" + `\`, "": "", " \n\r": "",
	} {
		if got := firstLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := headline("a\t\"b\" \x1b*/ c", 120); got != "/** a\t\"b\" * / c */\n" {
		t.Errorf("got %q", got)
	}
}
