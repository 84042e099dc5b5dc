package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// A seat is one entry of the catalog.
type seat struct {
	name string
	*entry
	*rendering
}

// cheaper is the order of entries in a group: by cost, then by name.
func cheaper(a, b seat) int {
	return cmp.Or(cmp.Compare(a.cost, b.cost), compare(a.name, b.name))
}

// Render gives the whole catalog within the budget; at least one entry unless the pool is empty. Same pool and
// options, same bytes.
func (p *Pool) Render(o Options) Listing {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text == nil || p.last != o {
		l := p.render(o)
		p.last, p.text = o, &l
	}
	l := *p.text
	l.Servers = slices.Clone(l.Servers)
	return l
}

func (p *Pool) render(o Options) Listing {
	groups := p.seats(o)
	shown := choose(groups, o.BudgetTokens)
	l := Listing{Total: p.Len()}
	for i, g := range p.groups {
		l.Servers = append(l.Servers, ServerCount{Name: g.name, Total: len(groups[i]), Shown: shown[i]})
		l.Shown += shown[i]
	}
	l.Truncated = l.Shown < l.Total
	l.Text = listingText(groups, l)
	sum := sha256.Sum256([]byte(l.Text))
	l.Digest = hex.EncodeToString(sum[:])
	l.EstimatedTokens = tokens(units(l.Text))
	return l
}

// renderAll renders every entry, in the order of all.
func (p *Pool) renderAll(o Options) []seat {
	entries := slices.AppendSeq(make([]*entry, 0, p.Len()), p.all())
	seats := make([]seat, len(entries))
	inParallel(len(entries), 32, func() func(int) {
		var r renderer
		return func(i int) { seats[i] = seat{entries[i].tool.Name, entries[i], r.render(entries[i], o)} }
	})
	return seats
}

// seats gives the entries of each group in the order of their seats.
func (p *Pool) seats(o Options) [][]seat {
	all := p.renderAll(o)
	groups := make([][]seat, len(p.groups))
	for i, g := range p.groups {
		groups[i], all = all[:len(g.entries)], all[len(g.entries):]
		slices.SortFunc(groups[i], cheaper)
	}
	return groups
}

// choose gives how many entries of each group are shown. In rounds, each group tries its next entry; one that does
// not fit any more takes its group out. If none fits, the cheapest of all is shown.
func choose(groups [][]seat, budget int) []int {
	shown := make([]int, len(groups))
	out := make([]bool, len(groups))
	seated := 0
	for going := true; going; {
		going = false
		for i, g := range groups {
			if out[i] || shown[i] == len(g) {
				continue
			}
			if g[shown[i]].cost > budget {
				out[i] = true
				continue
			}
			budget -= g[shown[i]].cost
			shown[i]++
			seated++
			going = true
		}
	}
	if seated == 0 && len(groups) > 0 {
		best := 0
		for i := range groups {
			if cheaper(groups[i][0], groups[best][0]) < 0 {
				best = i
			}
		}
		shown[best] = 1
	}
	return shown
}

// listingText puts the catalog together: the entries and, if some are missing, the PARTIAL line, a line for each
// server and how to search.
func listingText(groups [][]seat, l Listing) string {
	if l.Total == 0 {
		return textEmpty
	}
	parts := []string{textHead}
	for i, g := range groups {
		for _, s := range g[:l.Servers[i].Shown] {
			parts = append(parts, "\n", s.head, s.signature)
		}
	}
	if l.Truncated {
		parts = append(parts, "\n", textPartial(l.Shown, l.Total))
		for _, s := range l.Servers {
			parts = append(parts, "\n", textServer(s))
		}
		parts = append(parts, "\n", textSearch, "\n", searchSignature())
	}
	return strings.Join(parts, "")
}
