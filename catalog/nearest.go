package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest lists at most n names of the pool that a mistyped name may have meant, best first: those it differs from in
// a third of its letters at most.
func (p *Pool) Nearest(name string, n int) []string {
	type near struct {
		name     string
		distance int
	}
	want := letters(name)
	limit := max(len(want), 3) / 3
	var all []near
	nearer := make([]int, limit+1) // how many names are found at each distance
	row := make([]int, len(want)+limit+1)
	for _, s := range p.spellings() {
		d := min(distance(want, s.full, limit, row), distance(want, s.own, limit, row))
		if d > limit {
			continue
		}
		all = append(all, near{s.name, d})
		nearer[d]++
		for limit > 0 && sum(nearer[:limit]) >= n {
			limit-- // further ones would not be listed
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), compare(a.name, b.name))
	})
	var names []string
	for _, a := range all[:min(n, len(all))] {
		names = append(names, a.name)
	}
	return names
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// A spelling holds the letters of a name and of its part within the server.
type spelling struct {
	name      string
	full, own []rune
}

// spellings gives those of the pool, made once.
func (p *Pool) spellings() []spelling {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spelled == nil {
		for e := range p.all() {
			p.spelled = append(p.spelled, spelling{e.tool.Name, letters(e.tool.Name), letters(lastPart(e.tool.Name))})
		}
	}
	return p.spelled
}

// lastPart is the tool's own name within its server.
func lastPart(name string) string {
	_, rest, _ := strings.Cut(name, "__")
	_, rest, _ = strings.Cut(rest, "__")
	return rest
}

// distance counts the edits between two names. Past the limit it stops counting. It works in row, which has room for
// a and limit more.
func distance(a, b []rune, limit int, row []int) int {
	if d := len(a) - len(b); max(d, -d) > limit {
		return limit + 1
	}
	row = row[:len(b)+1]
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j, y := range b {
			next := min(row[j], row[j+1]) + 1
			if x == y {
				next = min(next, diagonal)
			} else {
				next = min(next, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], next
			least = min(least, next)
		}
		if least > limit {
			return least
		}
	}
	return row[len(b)]
}
