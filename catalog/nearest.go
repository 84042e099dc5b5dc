package catalog

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Nearest lists at most n names of the pool that a mistyped name may have meant, best first.
func (p *Pool) Nearest(name string, n int) []string {
	type near struct {
		name     string
		distance int
	}
	want := letters(name)
	var all []near
	for _, g := range p.groups {
		for _, e := range g.entries {
			have := letters(e.tool.Name)
			d := min(distance(want, have), distance(want, letters(lastPart(e.tool.Name))))
			if d <= max(len(want), 3)/3 {
				all = append(all, near{e.tool.Name, d})
			}
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

// lastPart is the tool's own name within its server.
func lastPart(name string) string {
	_, rest, _ := strings.Cut(name, "__")
	_, rest, _ = strings.Cut(rest, "__")
	return rest
}

// letters folds a name and leaves its separators out.
func letters(s string) []rune {
	var out []rune
	for _, r := range fold(s) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, r)
		}
	}
	return out
}

// distance counts the edits between two names.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			next := min(row[j], row[j+1]) + 1
			if x == y {
				next = min(next, diagonal)
			} else {
				next = min(next, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
