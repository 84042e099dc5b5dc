package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func names(t interface{ Fatalf(string, ...any) }, p *Pool, input string) []string {
	hits, _, err := p.Search(json.RawMessage(input), defaults)
	if err != nil {
		t.Fatalf("%s: %v", input, err)
	}
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Name)
	}
	return out
}

// TestS7_2_Ranking finds by name, description and parameter names, best first.
func TestS7_2_Ranking(t *testing.T) {
	in := func(param string) string {
		return `{"type":"object","properties":{"` + param + `":{"type":"string","description":"zebra"}}}`
	}
	p := poolOf(t,
		toolJSON("mcp__gh__create_issue", "Opens a ticket", in("title")),
		toolJSON("mcp__gh__issue", "Reads one", in("number")),
		toolJSON("mcp__gh__list_issues", "Lists them", in("owner")),
		toolJSON("mcp__gh__comment", "Comments on an issue", in("body")),
		toolJSON("mcp__gh__label", "Adds a label", in("issue")),
		toolJSON("mcp__wx__getForecast", "Weather", in("city")),
		toolJSON("mcp__wx__tissue", "Paper", in("x")),
	)
	gh := func(names ...string) (out []string) {
		for _, n := range names {
			out = append(out, "mcp__"+n)
		}
		return out
	}
	for _, c := range []struct {
		why, query string
		want       []string
	}{
		{"exact, part, inside, description, parameter", "issue", gh("gh__issue", "gh__create_issue", "gh__list_issues", "wx__tissue", "gh__comment", "gh__label")},
		{"letter case does not matter", "ISSUE", gh("gh__issue", "gh__create_issue", "gh__list_issues", "wx__tissue", "gh__comment", "gh__label")},
		{"more words first", "create issue", gh("gh__create_issue", "gh__issue", "gh__list_issues", "wx__tissue", "gh__comment", "gh__label")},
		{"the whole query as name", "get forecast", gh("wx__getForecast")},
		{"a flat name", "mcp__gh__label", gh("gh__label")},
		{"a word of a name in capitals", "forecast", gh("wx__getForecast")},
		{"ties by name", "gh", gh("gh__comment", "gh__create_issue", "gh__issue", "gh__label", "gh__list_issues")},
		{"descriptions of fields are not looked at", "zebra", gh()},
		{"a word twice counts once", "label label", gh("gh__label")},
		{"a lone accent is no empty query", "\u0300", gh()},
		{"a word longer than all texts", strings.Repeat("create_", 30) + "issue", gh()},
		{"any white space", " \t ticket \n", gh("gh__create_issue")},
	} {
		q, _ := json.Marshal(c.query)
		if got := names(t, p, fmt.Sprintf(`{"query":%s}`, q)); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%s: %q gives\n%v, want\n%v", c.why, c.query, got, c.want)
		}
	}
}

// TestS7_2_AllScripts folds letter case, accents and width, and keeps what are letters of their own.
func TestS7_2_AllScripts(t *testing.T) {
	var p *Pool
	for _, s := range sample(t) {
		if s.Server == "scripts" {
			p = s.pool(t)
		}
	}
	for query, want := range map[string]string{
		"天气": "weather_zh", "城市": "weather_zh", "ПОГОДЫ": "pogoda", "прогноз": "pogoda", "cafe": "cafe", "CAFÉ": "cafe",
		"orleans": "cafe", "ou": "cafe", "strasse": "straße", "österreich": "straße", "OSTERREICH": "straße", "ガソリン": "kana",
		"ｶﾞｿﾘﾝ": "kana", "مطعم": "arabic", "📍": "emoji_pin", "ｐｉｎ": "emoji_pin",
	} {
		q, _ := json.Marshal(query)
		var got []string
		for _, n := range names(t, p, fmt.Sprintf(`{"query":%s}`, q)) {
			got = append(got, strings.TrimPrefix(n, "mcp__scripts__"))
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s gives %v, want %s", query, got, want)
		}
	}
}

// TestS7_2_FoldInParts folds characters beside others as a whole text is folded: all, but some only of those that are many
// and alike.
func TestS7_2_FoldInParts(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		alike := r > 0xFFFF && !unicode.Is(unicode.M, r) || unicode.In(r, unicode.Han, unicode.Hangul, unicode.Co)
		if alike && r%61 != 0 || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C) {
			continue
		}
		c := string(r)
		text := "A" + c + "=" + c + "中" + c + "\u3099z" + c + "\u0301\u0323文"
		if got, want := fold(text), foldWide(text); got != want {
			t.Errorf("%U: %q, want %q", r, got, want)
		}
	}
}

// TestS7_3_EmptyListsAll gives the whole pool by name, within a server and a limit.
func TestS7_3_EmptyListsAll(t *testing.T) {
	p, _ := NewPool(Snapshot{Tools: wholeSample(t)})
	all := p.Names()
	slices.SortFunc(all, compare)
	for _, input := range []string{"", "{}", `{"query":""}`, `{"query":" \n "}`} {
		if got := names(t, p, input); !slices.Equal(got, all) {
			t.Errorf("%q lists %d of %d", input, len(got), len(all))
		}
	}
	if got := names(t, p, `{"limit":3}`); !slices.Equal(got, all[:3]) {
		t.Errorf("limit 3: %v", got)
	}
	if got := names(t, p, `{"limit":1e30,"server":"tuples"}`); !slices.Equal(got, []string{"mcp__tuples__draw"}) {
		t.Errorf("server: %v", got)
	}
}

// TestS7_2_Hits are whole: the description uncut, the signature as in the catalog (E17).
func TestS7_2_Hits(t *testing.T) {
	tools := wholeSample(t)
	p, _ := NewPool(Snapshot{Tools: tools})
	text := p.Render(everything).Text
	hits, note, err := p.Search(nil, Options{Depth: 8, DescriptionChars: 4})
	if err != nil || note != "" || len(hits) != p.Len() {
		t.Fatal(len(hits), note, err)
	}
	for _, h := range hits {
		tool, _ := p.Lookup(h.Name)
		if h.Description != tool.Description {
			t.Errorf("%s: description %q", h.Name, h.Description)
		}
		if !strings.Contains(text, h.Signature) {
			t.Errorf("%s: the catalog has another signature", h.Name)
		}
	}
}

// TestS7_9_WrongShape names the shape wanted, rendered from the schema that input is held against (S7.8, E12).
func TestS7_9_WrongShape(t *testing.T) {
	p := poolOf(t, toolJSON("mcp__a__b", "", `{}`))
	for _, bad := range []string{`{"q":"x"}`, `{"query":"x","q":1}`, `{"query":5}`, `{"query":null}`, `{"server":["a"]}`, `{"limit":0}`,
		`{"limit":-1}`, `{"limit":1.5}`, `{"limit":"3"}`, `"text"`, `["x"]`, `null`, `5`, `{"Query":"x"}`} {
		hits, _, err := p.Search(json.RawMessage(bad), defaults)
		if err == nil || hits != nil {
			t.Errorf("%s is taken", bad)
			continue
		}
		for _, part := range []string{"query?: string", "server?: string", "limit?: number"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q is not in the error: %v", bad, part, err)
			}
		}
	}
	for _, good := range []string{`{"limit":2.0}`, `{"limit":1e0}`, `{"query":"b","server":"a","limit":1}`} {
		if _, _, err := p.Search(json.RawMessage(good), defaults); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

// TestS7_8_OneSchema reads the search section back: what it teaches is what is accepted and given.
func TestS7_8_OneSchema(t *testing.T) {
	call, err := parseCall(searchSignature())
	if err != nil {
		t.Fatal(err)
	}
	if call.access != `["$codemode"].search` && call.access != "[$codemode].search" {
		t.Errorf("access is %s", call.access)
	}
	for _, f := range call.input.fields {
		value := map[string]string{"string": `"x"`, "number": "1"}[f.of.word]
		p := poolOf(t, toolJSON("mcp__a__x", "x", `{}`))
		hits, _, err := p.Search(json.RawMessage(fmt.Sprintf(`{%q:%s}`, f.name, value)), defaults)
		if err != nil || !f.optional || f.of.doc == "" {
			t.Errorf("%s: %v", f.name, err)
		}
		given, _ := json.Marshal(hits)
		if !call.output.accepts(decode(t, given)) {
			t.Errorf("%s does not fit the return type", given)
		}
	}
	if !strings.Contains(call.input.field("query").of.doc, "Omit query to list the whole pool") {
		t.Error("S7.7: nothing says how to list the pool")
	}
}

// TestS7_NothingFound says what was searched and which names come near.
func TestS7_NothingFound(t *testing.T) {
	p := poolOf(t, toolJSON("mcp__gh__list_issues", "", `{}`), toolJSON("mcp__wx__forecast", "", `{}`))
	for input, parts := range map[string][]string{
		`{"query":"forcast"}`:                 {`"forcast"`, "mcp__wx__forecast", "gh, wx"},
		`{"query":"lst_isues","server":"gh"}`: {"mcp__gh__list_issues", "Servers searched: gh."},
		`{"query":"qqqqqqqqqq"}`:              {"omit query"},
		`{"server":"none"}`:                   {`No server is called "none"`, "gh, wx"},
	} {
		hits, note, err := p.Search(json.RawMessage(input), defaults)
		if err != nil || len(hits) != 0 || hits == nil {
			t.Errorf("%s: %v, %v", input, hits, err)
		}
		for _, part := range parts {
			if !strings.Contains(note, part) {
				t.Errorf("%s: %q is not in %q", input, part, note)
			}
		}
	}
	empty, _ := NewPool(Snapshot{})
	if _, note, err := empty.Search(nil, defaults); note != textEmpty || err != nil {
		t.Errorf("empty pool: %q, %v", note, err)
	}
}

// TestNearest offers names for a mistyped one, best first.
func TestNearest(t *testing.T) {
	p := poolOf(t, toolJSON("mcp__gh__list_issues", "", `{}`), toolJSON("mcp__gh__list_issue", "", `{}`), toolJSON("mcp__wx__get-forecast", "", `{}`))
	for name, want := range map[string]string{
		"mcp__gh__list_isues": "mcp__gh__list_issues mcp__gh__list_issue", "mcp__gh__listIssues": "mcp__gh__list_issues mcp__gh__list_issue",
		"getForecast": "mcp__wx__get-forecast", "mcp__wx__get_forecast": "mcp__wx__get-forecast", "something_else": "", "": "",
	} {
		if got := strings.Join(p.Nearest(name, 2), " "); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := p.Nearest("mcp__gh__list_issues", 1); len(got) != 1 {
		t.Errorf("n is not kept: %v", got)
	}
}
