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

// A wanted is one word of a request.
type wanted struct {
	word  string
	apart string // between blanks
	rare  int    // where its rarest byte is
	held  uint64 // the tools of a bunch that may hold it, as bits
}

// wanted prepares words for being looked for.
func (x *index) wanted(words []string) []wanted {
	out := make([]wanted, len(words))
	for i, word := range words {
		w := wanted{word: word, apart: " " + word + " "}
		for at := range len(word) {
			if x.bytes[word[at]] < x.bytes[word[w.rare]] {
				w.rare = at
			}
		}
		out[i] = w
	}
	return out
}

// in tells whether the word occurs in s. It goes from one rare byte to the next.
func (w *wanted) in(s string) bool {
	for at := w.rare; at < len(s); at++ {
		i := strings.IndexByte(s[at:], w.word[w.rare])
		if i < 0 {
			return false
		}
		at += i
		if strings.HasPrefix(s[at-w.rare:], w.word) {
			return true
		}
	}
	return false
}

// A rank tells how well a tool fits a request: the more of the words occur in it the better, then the higher score.
type rank struct{ hits, score int32 }

// find gives the tools a request matches: those with more of its words first, then by where the words occur, then
// by name. It gives no more than the request's limit.
func (p *Pool) find(r request, o Options) []*entry {
	x := p.indexed(o)
	whole := strings.ReplaceAll(nameWords(r.query), " ", "")
	ranks := make([]rank, x.size)
	inParallel(len(x.bunches), 16, func() func(int) {
		words := x.wanted(r.words)
		return func(i int) {
			b := &x.bunches[i]
			some := b.holding(words)
			for tool := range b.tools {
				if some>>tool&1 != 0 && (r.anyone || b.tools[tool].of.group == r.server) {
					ranks[i*together+tool] = b.rank(tool, words, whole)
				}
			}
		}
	})
	var found []int32 // by name
	for i := range ranks {
		if ranks[i].hits > 0 {
			found = append(found, int32(i))
		}
	}
	found = highestFirst(found, func(i int32) int32 { return ranks[i].score })
	found = highestFirst(found, func(i int32) int32 { return ranks[i].hits })
	if r.limit > 0 && r.limit < len(found) {
		found = found[:r.limit]
	}
	out := make([]*entry, len(found))
	for i, at := range found {
		out[i] = x.bunches[at/together].tools[at%together].of
	}
	return out
}

// holding notes which tools of the bunch may hold each of the words, and gives those that may hold any. Without words
// that is all of them.
func (b *bunch) holding(words []wanted) (some uint64) {
	if len(words) == 0 {
		return ^uint64(0)
	}
	for i := range words {
		words[i].held = b.grams.holding(words[i].word)
		some |= words[i].held
	}
	return some
}

// rank weighs how well a tool fits the words. It has no hits if none occurs; without words all tools have one.
func (b *bunch) rank(tool int, words []wanted, whole string) (r rank) {
	if len(words) == 0 {
		return rank{hits: 1}
	}
	t := &b.tools[tool]
	for i := range words {
		if words[i].held>>tool&1 == 0 {
			continue
		}
		if s := b.where(t, &words[i]); s > 0 {
			r.hits++
			r.score += s
		}
	}
	if r.score >= inName && whole == b.part(t, foldedBare) {
		r.score += isWhole
	}
	return r
}

// highestFirst orders tools by a small number, the highest first, and keeps the order of equal ones.
func highestFirst(tools []int32, of func(int32) int32) []int32 {
	var next []int // by number: first how many tools have it, then where the next one of them goes
	for _, t := range tools {
		n := int(of(t))
		if n >= len(next) {
			next = append(next, make([]int, n+1-len(next))...)
		}
		next[n]++
	}
	start := 0
	for n, count := range slices.Backward(next) {
		next[n] = start
		start += count
	}
	out := make([]int32, len(tools))
	for _, t := range tools {
		n := of(t)
		out[next[n]] = t
		next[n]++
	}
	return out
}

// where weighs the best place in which a word occurs, 0 if there is none.
func (b *bunch) where(t *folded, w *wanted) int32 {
	switch {
	case w.word == b.part(t, foldedOwn), w.word == b.part(t, foldedName):
		return isName
	case w.in(b.part(t, foldedName)):
		if strings.Contains(b.part(t, foldedParts), w.apart) {
			return isPart
		}
		return inName
	case w.in(b.part(t, foldedAbout)):
		return inAbout
	case w.in(b.part(t, foldedParams)):
		return inParams
	}
	return 0
}
