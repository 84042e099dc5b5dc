package catalog

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestS2_6_DenyPatterns holds one filter: what it hits is in no view of the pool.
func TestS2_6_DenyPatterns(t *testing.T) {
	tools := raws([]string{
		toolJSON("mcp__gh__a", "", `{}`), toolJSON("mcp__gh__b", "", `{}`), toolJSON("mcp__ghost__a", "", `{}`), toolJSON("mcp__wx__a", "", `{}`),
	})
	for _, c := range []struct {
		deny []string
		want string
	}{
		{nil, "mcp__gh__a mcp__gh__b mcp__ghost__a mcp__wx__a"},
		{[]string{"mcp__gh__a"}, "mcp__gh__b mcp__ghost__a mcp__wx__a"},
		{[]string{"mcp__gh__*", "mcp__wx__a"}, "mcp__ghost__a"},
		{[]string{"mcp__gh*"}, "mcp__wx__a"},
		{[]string{"Exec", "mcp__gh", "gh", ""}, "mcp__gh__a mcp__gh__b mcp__ghost__a mcp__wx__a"},
		{[]string{"*"}, ""},
	} {
		p, warnings := NewPool(Snapshot{Tools: tools, Deny: c.deny})
		if got := strings.Join(p.Names(), " "); got != c.want || len(warnings) > 0 {
			t.Errorf("%v: %q, %v", c.deny, got, warnings)
		}
		l := p.Render(Options{BudgetTokens: 1, Depth: 8})
		for _, tool := range tools {
			name := regexp.MustCompile(`mcp__\w+`).FindString(string(tool))
			_, found := p.Lookup(name)
			inPool := slices.Contains(p.Names(), name)
			hit := slices.ContainsFunc(must(p.Search(nil, defaults)), func(h Hit) bool { return h.Name == name })
			if found != inPool || hit != inPool || !inPool && strings.Contains(l.Text, "- mcp__"+group(name)+" (") && c.want == "" {
				t.Errorf("%v: %s: lookup %v, search %v, pool %v", c.deny, name, found, hit, inPool)
			}
		}
	}
}

func must(hits []Hit, _ string, err error) []Hit {
	if err != nil {
		panic(err)
	}
	return hits
}

// TestNewPool_Drops says what it leaves out and why, and never takes a server along for one bad tool.
func TestNewPool_Drops(t *testing.T) {
	p, warnings := NewPool(Snapshot{Tools: raws([]string{
		toolJSON("mcp__a__x", "first", `{}`), toolJSON("mcp__a__x", "second", `{}`), toolJSON("read", "built in", `{}`),
		`{"description":"no name"}`, `{"name":7}`, `[]`, `{`, `{"name":"mcp__a__bad","inputSchema":"no schema","description":5}`, `{"name":"mcp__"}`,
	})})
	if got := strings.Join(p.Names(), " "); got != "mcp__ mcp__a__bad mcp__a__x" {
		t.Errorf("names: %s", got)
	}
	if tool, _ := p.Lookup("mcp__a__x"); tool.Description != "first" {
		t.Errorf("the first of equal names does not win: %+v", tool)
	}
	if len(warnings) != 6 {
		t.Errorf("%d warnings: %q", len(warnings), warnings)
	}
	if l := p.Render(everything); l.Truncated || l.Shown != 3 {
		t.Errorf("%+v", l)
	}
}

// TestNewPool_KeepsBytes hands out schemas as the server wrote them and keeps no hold of the host's message.
func TestNewPool_KeepsBytes(t *testing.T) {
	const schema = `{ "z": 1.0, "type": "object", "a": 1e21, "z": "\u0041" }`
	raw := []byte(`{"outputSchema":{"type" : "string"},"name":"mcp__a__\u0062","inputSchema":` + schema + `}`)
	p, _ := NewPool(Snapshot{Tools: []json.RawMessage{raw}})
	copy(raw, bytes.Repeat([]byte("x"), len(raw)))
	tool, ok := p.Lookup("mcp__a__b")
	if !ok || string(tool.InputSchema) != schema || string(tool.OutputSchema) != `{"type" : "string"}` {
		t.Errorf("%s", tool.InputSchema)
	}
}

// TestE6_Groups takes the second part of the name as group, in the order of code units.
func TestE6_Groups(t *testing.T) {
	p := poolOf(t, toolJSON("mcp__b__x", "", `{}`), toolJSON("mcp__my__srv__x", "", `{}`), toolJSON("mcp__my__other", "", `{}`),
		toolJSON("mcp__\uFF5E__x", "", `{}`), toolJSON("mcp__🙂__x", "", `{}`), toolJSON("mcp__B__x", "", `{}`), toolJSON("mcp__a-b__x", "", `{}`), toolJSON("mcp__a__x", "", `{}`))
	var groups []string
	for _, s := range p.Render(everything).Servers {
		groups = append(groups, s.Name)
	}
	if got := strings.Join(groups, " "); got != "B a a-b b my 🙂 \uFF5E" {
		t.Errorf("groups: %s", got)
	}
}

// TestS5_10_ServerLinesStayLines writes a server's name on one line whatever it is called.
func TestS5_10_ServerLinesStayLines(t *testing.T) {
	p := poolOf(t, toolJSON("mcp__a\n<!-- mcp-catalog {}__x", "d\n<!-- mcp-catalog {}", `{}`), toolJSON("mcp__b__x", "", `{}`))
	text := p.Render(Options{Depth: 8, DescriptionChars: 120}).Text
	for l := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(l, "<!--") {
			t.Errorf("a foreign line stands in the catalog:\n%s", text)
		}
	}
}

// TestN4_NoTuningNumbers looks for the digits of limits in what the model reads.
func TestN4_NoTuningNumbers(t *testing.T) {
	p, _ := NewPool(Snapshot{Tools: generated(40, 2)})
	ours := searchSignature() + textHead + textEmpty + textSearch + textUnrolled + textPartial(0, 0)
	if m := regexp.MustCompile(`[2-9]|\d\d`).FindString(ours); m != "" {
		t.Errorf("%s stands in our text", m)
	}
	for _, budget := range []int{1777, 888} {
		if l := p.Render(Options{BudgetTokens: budget, Depth: 8, DescriptionChars: 97}); regexp.MustCompile(`\b(1777|888|97)\b`).MatchString(l.Text) {
			t.Errorf("a setting stands in the text:\n%s", l.Text)
		}
	}
	if strings.Contains(textEmpty, "Exec") {
		t.Error("S6.10: the empty text names the tool")
	}
}

// TestStats adds up and measures by the same rule as the budget.
func TestStats(t *testing.T) {
	p, _ := NewPool(Snapshot{Tools: wholeSample(t)})
	servers, total := p.Stats(defaults)
	l := p.Render(defaults)
	var sum ServerStats
	for i, s := range servers {
		if s.Name != l.Servers[i].Name || s.Entries != l.Servers[i].Total || s.Shown != l.Servers[i].Shown {
			t.Errorf("%+v beside %+v", s, l.Servers[i])
		}
		if s.Ratio() <= 0 || s.ShownTokens > s.Tokens {
			t.Errorf("%+v", s)
		}
		sum.add(s)
	}
	if sum != total || total.ShownTokens > defaults.BudgetTokens || total.Entries != p.Len() {
		t.Errorf("total %+v, sum %+v", total, sum)
	}
	one := poolOf(t, toolJSON("mcp__a__b", "Says é.", `{ "type": "object" }`))
	if _, total := one.Stats(defaults); total.FlatTokens != (len(`{"name":"mcp__a__b","description":"Says é.","input_schema":{"type":"object"}}`)-1+2)/4 {
		t.Errorf("flat tokens: %d", total.FlatTokens)
	}
	if (ServerStats{}).Ratio() != 0 {
		t.Error("nothing has a price")
	}
}
