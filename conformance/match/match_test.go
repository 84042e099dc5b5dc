package match_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/match"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		name, pattern, got string
		differs            string // "" = it fits; else a piece of the first difference
	}{
		{"scalars", `1`, `1`, ""},
		{"numbers by value", `1`, `1.0`, ""},
		{"texts by value", `"a"`, `"\u0061"`, ""},
		{"number is no text", `1`, `"1"`, `want 1, got "1"`},
		{"null is no zero", `null`, `0`, "want null, got 0"},
		{"objects are open", `{"a":1}`, `{"b":2,"a":1}`, ""},
		{"a member that is missing", `{"a":{"b":1}}`, `{"a":{}}`, "$.a.b: want 1, got nothing"},
		{"lists are whole", `[1,2]`, `[1,2,3]`, "want 2 elements"},
		{"list elements", `[1,{"a":2}]`, `[1,{"a":3}]`, "$[1].a: want 2, got 3"},
		{"any", `{"$any":true}`, `null`, ""},
		{"any needs something", `{"a":{"$any":true}}`, `{}`, "got nothing"},
		{"absent", `{"a":{"$absent":true}}`, `{}`, ""},
		{"absent is not null", `{"a":{"$absent":true}}`, `{"a":null}`, "want nothing, got null"},
		{"type", `{"$type":"integer"}`, `1.5`, "type integer"},
		{"an integer is a number", `{"$type":"number"}`, `1`, ""},
		{"contains pieces", `{"$contains":["ab","c"]}`, `"xabyc"`, ""},
		{"contains lacks one", `{"$contains":["ab","z"]}`, `"xabyc"`, `something with "z"`},
		{"list contains", `{"$contains":[{"a":1}]}`, `[{"a":2},{"a":1,"b":1}]`, ""},
		{"list does not contain", `{"$contains":[{"a":1}]}`, `[{"a":2}]`, "something with"},
		{"lacks", `{"$lacks":["x"]}`, `"xy"`, "nothing with"},
		{"lacks in a list", `{"$lacks":[1]}`, `[2]`, ""},
		{"regular expression", `{"$match":"^a+$"}`, `"aaa"`, ""},
		{"regular expression differs", `{"$match":"^a+$"}`, `"aab"`, "matches"},
		{"spelling", `{"$json":"{\"b\":1.0,\"a\":2}"}`, `{ "b": 1.0, "a": 2 }`, ""},
		{"spelling: order", `{"$json":"{\"b\":1,\"a\":2}"}`, `{"a":2,"b":1}`, "exactly"},
		{"spelling: number", `{"$json":"1.0"}`, `1`, "exactly 1.0"},
		{"bounds", `{"$atLeast":1,"$atMost":3}`, `2`, ""},
		{"below", `{"$atLeast":1}`, `0`, "at least"},
		{"above", `{"$atMost":3}`, `4`, "at most"},
		{"length in UTF-16 units", `{"$length":2}`, `"🌍"`, ""},
		{"length of a list", `{"$length":{"$atLeast":2}}`, `[1]`, "length"},
		{"one of", `{"$oneOf":[1,{"a":2}]}`, `{"a":2}`, ""},
		{"none of", `{"$oneOf":[1,2]}`, `3`, "one of"},
		{"all", `{"$all":[{"$atLeast":1},{"$atMost":1}]}`, `1`, ""},
		{"only", `{"$only":{"a":1}}`, `{"a":1}`, ""},
		{"only: something else", `{"$only":{"a":1}}`, `{"a":1,"b":2}`, "$.b: want nothing"},
		{"each", `{"$each":{"a":1}}`, `[{"a":1},{"a":2}]`, "$[1].a"},
		{"bind and ref", `[{"$bind":"x"},{"$ref":"x"}]`, `[{"a":1},{"a":1}]`, ""},
		{"ref differs", `[{"$bind":"x"},{"$ref":"x"}]`, `[1,2]`, "as before"},
		{"a name with $ among others is a member", `{"$ref":"#/a","b":1}`, `{"$ref":"#/a","b":1}`, ""},
		{"lines", `"a\nb\nc"`, `"a\nx\nc"`, "line 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := match.Match(json.RawMessage(c.pattern), json.RawMessage(c.got), match.Vars{})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.differs == "" && len(found) > 0:
				t.Errorf("%s should fit %s: %v", c.got, c.pattern, found)
			case c.differs != "" && len(found) == 0:
				t.Errorf("%s should not fit %s", c.got, c.pattern)
			case c.differs != "" && !strings.Contains(found[0].String(), c.differs):
				t.Errorf("the difference is %q, want %q in it", found[0], c.differs)
			}
		})
	}
}

// A pattern that is wrong itself is told apart from a value that differs.
func TestMatch_PatternsThatAreWrong(t *testing.T) {
	for _, pattern := range []string{``, `{"$like":1}`, `{"$match":"("}`, `{"$ref":"never"}`, `{"$contains":"x"}`, `{"$oneOf":[]}`, `{"$type":7}`} {
		if found, err := match.Match(json.RawMessage(pattern), json.RawMessage(`"x"`), match.Vars{}); err == nil {
			t.Errorf("%s gives %v and no error", pattern, found)
		}
	}
}

// Bound values are put in their places; all other bytes stay.
func TestFill(t *testing.T) {
	v := match.Vars{"a": json.RawMessage(`1.0`), "b": json.RawMessage(`{"x":2}`)}
	got := v.Fill(json.RawMessage(`{"one":{"$ref":"a"},  "two":[{"$ref": "b"},{"$ref":"c"}],"$ref":"a"}`))
	if want := `{"one":1.0,  "two":[{"x":2},{"$ref":"c"}],"$ref":"a"}`; string(got) != want {
		t.Errorf("got %s", got)
	}
}
