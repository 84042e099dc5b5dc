package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scan searches as plainly as can be: it looks at every tool and sorts.
func scan(p *Pool, query, server string, limit int) []string {
	type seen struct {
		name        string
		hits, score int
	}
	var all []seen
	words := queryWords(query)
	for e := range p.all() {
		if server != "" && e.group != server {
			continue
		}
		s := seen{name: e.tool.Name}
		for _, w := range words {
			if score := scanFor(w, e); score > 0 {
				s.hits++
				s.score += score
			}
		}
		own := strings.ReplaceAll(nameWords(lastPart(e.tool.Name)), " ", "")
		if s.score >= inName && own == strings.ReplaceAll(nameWords(query), " ", "") {
			s.score += isWhole
		}
		if s.hits > 0 || len(words) == 0 {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b seen) int {
		return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(b.score, a.score), compare(a.name, b.name))
	})
	names := []string{}
	for _, s := range all {
		names = append(names, s.name)
	}
	if limit > 0 && limit < len(names) {
		names = names[:limit]
	}
	return names
}

func scanFor(w string, e *entry) int {
	name, own := fold(e.tool.Name), fold(lastPart(e.tool.Name))
	switch {
	case w == own || w == name:
		return isName
	case strings.Contains(name, w) && slices.Contains(strings.Split(nameWords(lastPart(e.tool.Name)), " "), w):
		return isPart
	case strings.Contains(name, w):
		return inName
	case strings.Contains(fold(e.tool.Description), w):
		return inAbout
	case slices.ContainsFunc(strings.Split(e.made.params, "\n"), func(f string) bool { return strings.Contains(fold(f), w) }):
		return inParams
	}
	return 0
}

func toolOf(name, about, schema string) string {
	n, _ := json.Marshal(name)
	d, _ := json.Marshal(about)
	return fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":%s}`, n, d, schema)
}

// TestS7_2_FindsWhatAScanFinds compares the index with a scan of every tool: the same tools in the same order, for
// pools around the sizes at which the index changes its layout, in several scripts, with and without server and limit.
func TestS7_2_FindsWhatAScanFinds(t *testing.T) {
	bits := []string{"create", "Issue", "issues", "list", "e", "zz", "Größe", "größe", "ÉTÉ", "e\u0301te\u0301", "天气", "天", "查询天气", "Погода", "погода",
		"ПОГОДУ", "straße", "ﬁle", "file", "ＡＢ", "ab", "x", "_", "-", "2", "q\"", "Ω", "🙂", "\u0300", "がく", "か"}
	piece := rapid.OneOf(rapid.SampledFrom(bits), rapid.StringMatching(`[a-cA-C_é天]{1,3}`))
	text := func(t *rapid.T, least, most int, by, what string) string {
		return strings.Join(rapid.SliceOfN(piece, least, most).Draw(t, what), by)
	}
	rapid.Check(t, func(t *rapid.T) {
		var tools []string
		size := rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(60, 70), rapid.IntRange(120, 140)).Draw(t, "size")
		for i := range size {
			name := fmt.Sprintf("mcp__%s__%s", rapid.SampledFrom([]string{"gh", "天", "a-b"}).Draw(t, "server"), text(t, 1, 3, rapid.SampledFrom([]string{"", "_", "-"}).Draw(t, "by"), "name"))
			field, _ := json.Marshal(text(t, 1, 2, "_", "field"))
			tool := fmt.Sprintf(`{"properties":{%s:{},"n%d":{}}}`, field, i)
			tools = append(tools, toolOf(name, text(t, 0, 4, " ", "about"), tool))
		}
		p, _ := NewPool(Snapshot{Tools: raws(tools)})
		for range 5 {
			query := text(t, 0, 3, rapid.SampledFrom([]string{" ", "", "\u00a0 "}).Draw(t, "between"), "query")
			in := map[string]any{"query": query}
			server := rapid.SampledFrom([]string{"", "", "gh", "天", "nowhere"}).Draw(t, "only")
			if server != "" {
				in["server"] = server
			}
			limit := rapid.SampledFrom([]int{0, 0, 1, 2, 63, 64, 1000}).Draw(t, "limit")
			if limit > 0 {
				in["limit"] = limit
			}
			input, _ := json.Marshal(in)
			got := names(t, p, string(input))
			if want := scan(p, strings.TrimSpace(query), server, limit); !slices.Equal(got, want) {
				t.Fatalf("%s:\n got %q\nwant %q", input, got, want)
			}
		}
	})
}

// TestS7_2_FindsWhatAScanFinds_Real does so for the sample of servers and a large generated pool.
func TestS7_2_FindsWhatAScanFinds_Real(t *testing.T) {
	p, _ := NewPool(Snapshot{Tools: append(wholeSample(t), generated(1500, 5)...)})
	p.Render(defaults)
	for _, query := range []string{"", "e", "an", "create", "create issue", "label größe zzz", "_", "mcp__", "mcp", "天气", "a-b", "hi\"", "srv07", "calendar event list", "ba ce di fo", "ssue"} {
		input, _ := json.Marshal(map[string]string{"query": query})
		if got, want := names(t, p, string(input)), scan(p, query, "", 0); !slices.Equal(got, want) {
			t.Errorf("%q: %d found, want %d, or in another order", query, len(got), len(want))
		}
	}
}

// TestNearest_All compares what Nearest lists with all names sorted by their distance.
func TestNearest_All(t *testing.T) {
	p, _ := NewPool(Snapshot{Tools: generated(2200, 9)})
	all := p.Names()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(all).Draw(t, "name")
		from := rapid.IntRange(0, len(name)-1).Draw(t, "from")
		name = name[from:rapid.IntRange(from, len(name)).Draw(t, "to")] + rapid.StringMatching(`[a-e_]{0,4}`).Draw(t, "tail")
		n := rapid.IntRange(1, 5).Draw(t, "n")
		want, far := letters(name), max(len(letters(name)), 3)/3
		near := map[string]int{}
		for _, name := range all {
			row := make([]int, 200)
			if d := min(distance(want, letters(name), far, row), distance(want, letters(lastPart(name)), far, row)); d <= far {
				near[name] = d
			}
		}
		names := slices.SortedFunc(maps.Keys(near), func(a, b string) int { return cmp.Or(near[a]-near[b], compare(a, b)) })
		names = names[:min(n, len(names))]
		if got := p.Nearest(name, n); !slices.Equal(got, names) {
			t.Fatalf("%q: got %q, want %q", name, got, names)
		}
	})
}
