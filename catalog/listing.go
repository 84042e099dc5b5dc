package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// A seat is one entry of the catalog with its price.
type seat struct {
	name  string
	block string
	cost  int // estimated tokens
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
	l.EstimatedTokens = tokens(l.Text)
	return l
}

// seats gives the entries of each group in the order of their seats.
func (p *Pool) seats(o Options) [][]seat {
	groups := make([][]seat, len(p.groups))
	for i, g := range p.groups {
		for _, e := range g.entries {
			block := e.block(o)
			groups[i] = append(groups[i], seat{e.tool.Name, block, tokens(block)})
		}
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

func listingText(groups [][]seat, l Listing) string {
	if l.Total == 0 {
		return textEmpty
	}
	lines := []string{textHead}
	for i, g := range groups {
		for _, s := range g[:l.Servers[i].Shown] {
			lines = append(lines, s.block)
		}
	}
	if l.Truncated {
		lines = append(lines, textPartial(l.Shown, l.Total))
		for _, s := range l.Servers {
			lines = append(lines, textServer(s))
		}
		lines = append(lines, textSearch, searchSignature())
	}
	return strings.Join(lines, "\n")
}
