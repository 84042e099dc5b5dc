package catalog

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pools for the scenarios: three servers, one of them with a field as wide as a page.
func threeServers(t *testing.T) *Pool {
	wide := `{"type":"object","properties":{"page":{"type":"string","description":"` + strings.Repeat("words ", 400) + `"}}}`
	tools := []string{toolJSON("mcp__wide__page", "One page.", wide)}
	for i := range 6 {
		tools = append(tools, toolJSON(fmt.Sprintf("mcp__many__t%d", i), "One of many.", `{"type":"object"}`))
	}
	return poolOf(t, append(tools, toolJSON("mcp__few__only", "The only one.", `{"type":"object"}`))...)
}

// within gives the catalog at a budget, its lines, and whether it is cut.
func within(p *Pool, budget int) (Listing, []string) {
	o := defaults
	o.BudgetTokens = budget
	l := p.Render(o)
	return l, strings.Split(l.Text, "\n")
}

var partialLine = regexp.MustCompile(`(?m)^.*PARTIAL.*\b(\d+) of (\d+)\b.*$`)

func TestS5_3_CompleteHasNoPartialLine(t *testing.T) {
	l, _ := within(threeServers(t), 1_000_000)
	if l.Truncated || strings.Contains(l.Text, "PARTIAL") || len(shownIn(t, l.Text)) != 8 {
		t.Error(l.Text)
	}
}

func TestS5_4_PartialLineEndsTheList(t *testing.T) {
	l, lines := within(threeServers(t), 60)
	m := partialLine.FindStringSubmatch(l.Text)
	if m == nil || m[1] != fmt.Sprint(l.Shown) || m[2] != "8" || !l.Truncated {
		t.Fatalf("%v in\n%s", m, l.Text)
	}
	if strings.Contains(m[0], "search") {
		t.Errorf("how to search is in the line: %s", m[0])
	}
	at := slices.Index(lines, m[0])
	if names := shownIn(t, strings.Join(lines[at:], "\n")); len(names) > 0 {
		t.Errorf("entries after the line: %v", names)
	}
}

func TestS5_5_EachServerSitsBeforeOneSitsTwice(t *testing.T) {
	p := threeServers(t)
	few := p.seats(defaults)[0][0].cost
	many := p.seats(defaults)[1][0].cost
	l, _ := within(p, few+many)
	if got := fmt.Sprint(l.Servers); got != "[{few 1 1} {many 6 1} {wide 1 0}]" {
		t.Error(got)
	}
}

func TestS5_6_NoBudgetInTheText(t *testing.T) {
	for _, budget := range []int{61, 97, 1234} {
		if l, _ := within(threeServers(t), budget); strings.Contains(l.Text, fmt.Sprint(budget)) {
			t.Errorf("%d stands in\n%s", budget, l.Text)
		}
	}
}

func TestS5_7_OneEntryIsKept(t *testing.T) {
	for _, budget := range []int{-1, 0, 1} {
		if l, _ := within(threeServers(t), budget); l.Shown != 1 || len(shownIn(t, l.Text)) != 1 {
			t.Errorf("budget %d: %d shown", budget, l.Shown)
		}
	}
}

// TestS5_8_OnlyWhatIsShownCounts renames and reorders everything around names, descriptions and schemas.
func TestS5_8_OnlyWhatIsShownCounts(t *testing.T) {
	plain := wholeSample(t)
	var dressed []json.RawMessage
	for i, raw := range plain {
		inner := strings.TrimPrefix(string(raw), "{")
		dressed = append(dressed, json.RawMessage(fmt.Sprintf(`{ "_meta":{"connection":%d}, "title":"T %d","annotations":{"readOnlyHint":true},"icons":[],%s`, i*7, i, inner)))
	}
	slices.Reverse(dressed)
	a, _ := NewPool(Snapshot{Tools: plain})
	b, _ := NewPool(Snapshot{Tools: dressed})
	for _, budget := range []int{0, 500, 1 << 30} {
		x, _ := within(a, budget)
		if y, _ := within(b, budget); x.Text != y.Text {
			t.Errorf("budget %d: the texts differ", budget)
		}
	}
}

func TestS5_9_EmptyPoolIsSaid(t *testing.T) {
	p, _ := NewPool(Snapshot{})
	l, _ := within(p, 2000)
	if l.Text != textEmpty || l.Truncated || l.Total != 0 || l.Shown != 0 || len(l.Servers) != 0 || l.Digest == "" {
		t.Errorf("%+v", l)
	}
	for _, part := range []string{"No MCP tools", "add or remove"} {
		if !strings.Contains(l.Text, part) {
			t.Errorf("%q is not in %q", part, l.Text)
		}
	}
}

func TestS5_10_ServerLines(t *testing.T) {
	_, lines := within(threeServers(t), 60)
	for _, want := range []string{"- mcp__few (1 tool)", "- mcp__many (6 tools, 2 shown)", "- mcp__wide (1 tool, none shown)"} {
		if !slices.Contains(lines, want) {
			t.Errorf("%q is not in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	denied, _ := NewPool(Snapshot{Tools: raws([]string{toolJSON("mcp__a__x", "", `{}`), toolJSON("mcp__a__y", "", `{}`), toolJSON("mcp__b__x", "", `{}`)}), Deny: []string{"mcp__b__*"}})
	if l, _ := within(denied, 0); strings.Contains(l.Text, "mcp__b") {
		t.Errorf("a denied server has a line:\n%s", l.Text)
	}
}

func TestS5_11_CompleteHasNoServerLines(t *testing.T) {
	if l, _ := within(threeServers(t), 1_000_000); regexp.MustCompile(`(?m)^- mcp__`).MatchString(l.Text) {
		t.Error(l.Text)
	}
}

func TestS5_12_SearchSectionOnlyWhenPartial(t *testing.T) {
	p := threeServers(t)
	if l, _ := within(p, 60); !strings.HasSuffix(l.Text, textSearch+"\n"+searchSignature()) {
		t.Error(l.Text)
	}
	if l, _ := within(p, 1_000_000); strings.Contains(l.Text, Namespace) {
		t.Error(l.Text)
	}
}

func TestS5_13_CheapEntriesFirstThenByName(t *testing.T) {
	p := poolOf(t,
		toolJSON("mcp__s__c", "Long, so it costs more than the others.", `{"type":"object"}`),
		toolJSON("mcp__s__b", "Short.", `{"type":"object"}`), toolJSON("mcp__s__a", "Short.", `{"type":"object"}`))
	l, _ := within(p, 1_000_000)
	if got := strings.Join(shownIn(t, l.Text), " "); got != "mcp__s__a mcp__s__b mcp__s__c" {
		t.Error(got)
	}
}

func TestS7_1_SearchCoversTheWholePool(t *testing.T) {
	p := threeServers(t)
	if l, _ := within(p, 0); l.Shown != 1 {
		t.Fatal(l.Shown)
	}
	if got := names(t, p, `{"query":"page"}`); !slices.Equal(got, []string{"mcp__wide__page"}) {
		t.Error(got)
	}
}

func TestS7_7_SectionTellsHowToListThePool(t *testing.T) {
	l, _ := within(threeServers(t), 0)
	_, section, _ := strings.Cut(l.Text, textSearch)
	if !strings.Contains(section, "Omit query to list the whole pool") || regexp.MustCompile(`[02-9]`).MatchString(section) {
		t.Error(section)
	}
}

func TestS7_10_SearchWorksUnadvertised(t *testing.T) {
	p := poolOf(t, toolJSON("mcp__a__b", "", `{}`))
	if l, _ := within(p, 1_000_000); l.Truncated || len(names(t, p, `{"query":"b"}`)) != 1 {
		t.Error("not found")
	}
}

func TestE9_BareObjectsOnBothSides(t *testing.T) {
	p := poolOf(t, `{"name":"mcp__a__b","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`)
	if h, _ := p.Hit("mcp__a__b", defaults); h.Signature != "tools.mcp__a__b(input: {}): Promise<{}>" {
		t.Error(h.Signature)
	}
}

func TestE10_OthersAreSeatedBesideAWideOne(t *testing.T) {
	l, _ := within(threeServers(t), 200)
	if l.Shown != 7 || strings.Contains(l.Text, "page?:") {
		t.Errorf("%d shown", l.Shown)
	}
}

func TestE11_FieldDescriptionsAreNeverCut(t *testing.T) {
	p := threeServers(t)
	o := Options{BudgetTokens: 1 << 30, Depth: 8, DescriptionChars: 4}
	if text := p.Render(o).Text; !strings.Contains(text, strings.TrimSpace(strings.Repeat("words ", 400))) || strings.Contains(text, "The only") {
		t.Error("cut where it must not be, or not where it must")
	}
}

func TestE12_PositionalSearchIsRefused(t *testing.T) {
	if _, _, err := threeServers(t).Search(json.RawMessage(`"page"`), defaults); err == nil || !strings.Contains(err.Error(), "plain object") {
		t.Error(err)
	}
}

func TestE17_SearchIsWholeWhateverTheBudget(t *testing.T) {
	p := threeServers(t)
	hits, _, err := p.Search(nil, Options{BudgetTokens: 0, Depth: 8, DescriptionChars: 4})
	if err != nil || len(hits) != 8 {
		t.Fatal(len(hits), err)
	}
	for _, h := range hits {
		if tool, ok := p.Lookup(h.Name); !ok || h.Description != tool.Description || !strings.Contains(h.Signature, "(input: ") {
			t.Errorf("%+v", h)
		}
	}
}

// TestN1_OnePool finds the same tools in the catalog, in search, by name and in the list of names.
func TestN1_OnePool(t *testing.T) {
	p, _ := NewPool(Snapshot{Tools: wholeSample(t), Deny: []string{"mcp__prose__*", "mcp__names__then"}})
	want := p.Names()
	slices.Sort(want)
	for what, got := range map[string][]string{"catalog": shownIn(t, p.Render(everything).Text), "search": names(t, p, `{}`)} {
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d tools, want %d", what, len(got), len(want))
		}
	}
	for _, name := range want {
		if _, ok := p.Lookup(name); !ok {
			t.Errorf("%s is not found", name)
		}
	}
}

// TestN3_OneSearchSchema holds each member of the schema against what is rendered, accepted and refused.
func TestN3_OneSearchSchema(t *testing.T) {
	schema, err := parse([]byte(searchInput))
	if err != nil {
		t.Fatal(err)
	}
	p := threeServers(t)
	for _, m := range schema.get("properties").fields() {
		good, bad := `"many"`, `7`
		if m.val.get("type").text == "integer" {
			good, bad = bad, good
		}
		if !strings.Contains(searchSignature(), "\t"+m.key+"?: ") || m.val.get("description") == nil {
			t.Errorf("%s is not shown", m.key)
		}
		if _, _, err := p.Search(json.RawMessage(`{"`+m.key+`":`+good+`}`), defaults); err != nil {
			t.Error(err)
		}
		if _, _, err := p.Search(json.RawMessage(`{"`+m.key+`":`+bad+`}`), defaults); err == nil {
			t.Errorf("%s takes %s", m.key, bad)
		}
	}
}
