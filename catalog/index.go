package catalog

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes texts comparable: letter case, compatibility forms and accents go. Marks that are letters of their own
// (kana voicing, Indic vowels) stay.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(s)) {
		if r < 0x300 || r > 0x36F { // combining diacritical marks
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// A folded is what search looks at of one tool.
type folded struct {
	ready             bool
	name, description string
	params            string // one a line
}

func (e *entry) fold(depth int) folded {
	params := e.rendering(depth).params
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.folded.ready {
		e.folded = folded{true, fold(e.tool.Name), fold(e.tool.Description), fold(strings.Join(params, "\n"))}
	}
	return e.folded
}

// An index is the pool as search reads it.
type index struct{}

// found is a tool that matched.
type found struct {
	e     *entry
	words int // so many of the query's words occur
	score int
}

// find gives the tools a request matches, best first.
func (p *Pool) find(r request, o Options) []*entry {
	var all []found
	for _, g := range p.groups {
		if !r.anyone && g.name != r.server {
			continue
		}
		for _, e := range g.entries {
			f := found{e: e}
			if len(r.words) > 0 {
				f.match(e.fold(o.Depth), r.words)
				if f.words == 0 {
					continue
				}
			}
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.score, a.score), compare(a.e.tool.Name, b.e.tool.Name))
	})
	out := make([]*entry, len(all))
	for i, f := range all {
		out[i] = f.e
	}
	return out
}

// match weighs where each word occurs: the whole name or its last part, a part of the name, inside the name, in the
// description, in the name of a parameter.
func (f *found) match(t folded, words []string) {
	for _, w := range words {
		s := 0
		switch {
		case t.name == w || strings.HasSuffix(t.name, "__"+w):
			s = 16
		case hasPart(t.name, w):
			s = 8
		case strings.Contains(t.name, w):
			s = 4
		case strings.Contains(t.description, w):
			s = 2
		case strings.Contains(t.params, w):
			s = 1
		}
		if s > 0 {
			f.words++
			f.score += s
		}
	}
}

// hasPart tells whether w stands in s with no letter or digit at either side.
func hasPart(s, w string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], w)
		if i < 0 {
			return false
		}
		i += from
		before, _ := lastRune(s[:i])
		after, _ := firstRune(s[i+len(w):])
		if !before && !after {
			return true
		}
		from = i + 1
	}
}

func lastRune(s string) (alnum bool, r rune) {
	for _, r = range s {
	}
	return s != "" && (unicode.IsLetter(r) || unicode.IsDigit(r)), r
}

func firstRune(s string) (alnum bool, r rune) {
	for _, r = range s {
		return unicode.IsLetter(r) || unicode.IsDigit(r), r
	}
	return false, 0
}
