package catalog

import (
	"slices"
	"strings"
)

// What a word counts by where it occurs.
const (
	inParams = 1 << iota
	inAbout
	inName
	isPart // of the name
	isName
	isWhole // the whole query is the tool's name
)

// find gives the tools a request matches: those with more of its words first, then by where the words occur, then
// by name.
func (p *Pool) find(r request, o Options) []*entry {
	whole := bare(nameWords(r.query))
	words := make([]pairs, len(r.words))
	for i, w := range r.words {
		words[i].add(w)
	}
	ranks := map[int][]*entry{} // each by name
	for _, f := range p.indexed(o) {
		if !r.anyone && f.of.group != r.server {
			continue
		}
		hits, score := 0, 0
		for i, w := range r.words {
			if !f.pairs.cover(&words[i]) {
				continue
			}
			if s := f.where(w); s > 0 {
				hits++
				score += s
			}
		}
		if hits == 0 && len(r.words) > 0 {
			continue
		}
		if score >= inName && whole == f.bare {
			score += isWhole
		}
		rank := hits*2*isWhole*len(r.words) + score
		ranks[rank] = append(ranks[rank], f.of)
	}
	return bestFirst(ranks)
}

func bestFirst(ranks map[int][]*entry) []*entry {
	var order []int
	for rank := range ranks {
		order = append(order, rank)
	}
	slices.Sort(order)
	var out []*entry
	for _, rank := range slices.Backward(order) {
		out = append(out, ranks[rank]...)
	}
	return out
}

// where weighs the best place in which a word occurs, 0 if there is none.
func (f *folded) where(w string) int {
	switch {
	case f.own == w || f.name == w:
		return isName
	case strings.Contains(f.name, w):
		if hasWord(f.parts, w) {
			return isPart
		}
		return inName
	case strings.Contains(f.about, w):
		return inAbout
	case strings.Contains(f.params, w):
		return inParams
	}
	return 0
}

// hasWord tells whether w stands between blanks in s, which begins and ends with one.
func hasWord(s, w string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], w)
		if i < 0 {
			return false
		}
		i += from
		if s[i-1] == ' ' && s[i+len(w)] == ' ' {
			return true
		}
		from = i + 1
	}
}
