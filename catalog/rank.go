package catalog

import (
	"bytes"
	"math/bits"
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

// A rank tells how well a tool fits a request: the more of the words occur in it the better, then the higher score.
// The hits are in the upper half, the score is in the lower one.
type rank uint64

const oneHit rank = 1 << 32

// find gives the tools a request matches: those with more of its words first, then by where the words occur, then
// by name. It gives no more than the request's limit.
func (p *Pool) find(r request, o Options) []Hit {
	x := p.indexed(o)
	words := x.wanted(r.words)
	whole := strings.ReplaceAll(nameWords(r.query), " ", "")
	ranks := make([]rank, len(x.hits))
	inParallel(len(x.bunches), 16, func() func(int) {
		s := ranker{request: r, words: words, whole: whole, held: make([]uint64, len(words)), with: make([]int, len(words)+1)}
		return func(i int) {
			b := &x.bunches[i]
			s.rank(ranks[i*together:][:len(b.tools)], b)
		}
	})
	found := fitting(ranks)
	if len(words) > 0 {
		found = highestFirst(found, ranks, 0)
	}
	if len(words) > 1 {
		found = highestFirst(found, ranks, 32)
	}
	if r.limit > 0 && r.limit < len(found) {
		found = found[:r.limit]
	}
	out := make([]Hit, len(found))
	for i, at := range found {
		out[i] = x.hits[at]
	}
	return out
}

// fitting lists the tools that have hits, by name.
func fitting(ranks []rank) []int32 {
	n := 0
	for _, rank := range ranks {
		n += int(min(rank, 1))
	}
	found := make([]int32, 0, n)
	for i, rank := range ranks {
		if rank > 0 {
			found = append(found, int32(i))
		}
	}
	return found
}

// A ranker goes from bunch to bunch, and passes over tools with less of the words than as many others as are wanted.
type ranker struct {
	request request
	words   []wanted
	whole   string   // the letters of the query
	held    []uint64 // for each word the tools of a bunch that may hold it, as bits
	with    []int    // how many tools have so many of the words
	least   int      // how many words a tool must have at least
}

// rank weighs how well each tool of a bunch fits the request. It has no hits if no word occurs or others have more;
// without words all tools have one.
func (s *ranker) rank(ranks []rank, b *bunch) {
	of := b.of(s.request)
	if len(s.words) == 0 {
		for ; of != 0; of &= of - 1 {
			ranks[bits.TrailingZeros64(of)] = oneHit
		}
		return
	}
	var may [together]int // how many of the words each tool may hold
	for i := range s.words {
		s.held[i] = of & b.grams.holding(s.words[i].word)
		for held := s.held[i]; held != 0; held &= held - 1 {
			may[bits.TrailingZeros64(held)]++
		}
	}
	for tool := range ranks {
		if may[tool] > 0 && may[tool] >= s.least {
			ranks[tool] = s.tool(b, tool, may[tool])
		}
	}
}

// tool weighs how well a tool fits that may hold some of the words.
func (s *ranker) tool(b *bunch, tool, may int) (r rank) {
	t := &b.tools[tool]
	for i := range s.words {
		if s.held[i]>>tool&1 == 0 {
			continue
		}
		if where := b.where(t, &s.words[i]); where > 0 {
			r += oneHit + where
		} else if may--; may < s.least {
			return 0
		}
	}
	if r%oneHit >= inName && b.bare(t, s.whole) {
		r += isWhole
	}
	if limit := s.request.limit; limit > 0 && r > 0 {
		s.with[r/oneHit]++
		for s.least < len(s.words) && sum(s.with[s.least+1:]) >= limit {
			s.least++ // those with less would not be listed
		}
	}
	return r
}

// of gives the tools that a request is for, as bits.
func (b *bunch) of(r request) (tools uint64) {
	if r.anyone {
		return ^uint64(0) >> (together - len(b.tools))
	}
	for i := range b.tools {
		if b.tools[i].of.group == r.server {
			tools |= 1 << i
		}
	}
	return tools
}

// where weighs the best place in which a word occurs, 0 if there is none.
func (b *bunch) where(t *folded, w *wanted) rank {
	switch at := w.in(b.text, t.name, t.end); {
	case at == t.end:
		return 0
	case at >= t.params:
		return inParams
	case at >= t.about:
		return inAbout
	case w.word == string(b.text[t.own:t.about-1]), w.word == string(b.text[t.name:t.about-1]):
		return isName
	case bytes.Contains(b.text[t.parts:t.name], w.apart):
		return isPart
	}
	return inName
}

// bare tells whether the letters of a tool's name within its server are these.
func (b *bunch) bare(t *folded, letters string) bool {
	for _, c := range b.text[t.parts:t.name] {
		if c == ' ' {
			continue
		}
		if letters == "" || letters[0] != c {
			return false
		}
		letters = letters[1:]
	}
	return letters == ""
}

// highestFirst orders tools by the part of their ranks above so many bits, the highest first, and keeps the order of
// equal ones.
func highestFirst(tools []int32, ranks []rank, shift int) []int32 {
	var next []int32 // by number: first how many tools have it, then where the next one of them goes
	for _, t := range tools {
		n := int(uint32(ranks[t] >> shift))
		if n >= len(next) {
			next = append(next, make([]int32, n+1-len(next))...)
		}
		next[n]++
	}
	start := int32(0)
	for n, count := range slices.Backward(next) {
		next[n] = start
		start += count
	}
	out := make([]int32, len(tools))
	for _, t := range tools {
		n := uint32(ranks[t] >> shift)
		out[next[n]] = t
		next[n]++
	}
	return out
}
