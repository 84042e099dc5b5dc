package catalog

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An index is the pool as search reads it, by name.
type index []*folded

// A folded is what search looks at of one tool.
type folded struct {
	of     *entry
	name   string // the flat name
	own    string // the name within its server
	bare   string // the letters of own
	parts  string // the words of own, each between blanks
	about  string // the description
	params string // names of the input's fields, one a line
	pairs  pairs  // of name, about and params
}

// indexed gives the pool's index, made once.
func (p *Pool) indexed(o Options) index {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index == nil {
		seats := p.renderAll(o)
		entries := slices.AppendSeq(make([]*entry, 0, p.Len()), p.all())
		x := make(index, len(entries))
		inParallel(len(entries), func() func(int) {
			return func(i int) { x[i] = entries[i].fold(seats[i].params) }
		})
		slices.SortFunc(x, func(a, b *folded) int { return compare(a.of.tool.Name, b.of.tool.Name) })
		p.index = &x
	}
	return *p.index
}

func (e *entry) fold(params string) *folded {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.folded == nil {
		own := lastPart(e.tool.Name)
		f := &folded{
			of: e, name: fold(e.tool.Name), own: fold(own), parts: nameWords(own),
			about: fold(e.tool.Description), params: fold(params),
		}
		f.bare = bare(f.parts)
		f.pairs.add(f.name)
		f.pairs.add(f.about)
		f.pairs.add(f.params)
		e.folded = f
	}
	return e.folded
}

// nameWords folds a name and puts blanks around its words, which separators or a change to capitals set apart.
func nameWords(name string) string {
	b := make([]byte, 1, len(name)+8)
	b[0] = ' '
	small := false // the last character was a small letter or a digit
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			small = false
			if b[len(b)-1] != ' ' {
				b = append(b, ' ')
			}
			continue
		case small && unicode.IsUpper(r):
			b = append(b, ' ')
		}
		small = !unicode.IsUpper(r)
		b = utf8.AppendRune(b, r)
	}
	if b[len(b)-1] != ' ' {
		b = append(b, ' ')
	}
	return fold(string(b))
}

// bare is what nameWords gave without the blanks.
func bare(words string) string { return strings.ReplaceAll(words, " ", "") }

// Pairs tell cheaply that a text does not hold a word: they are the set, by hash, of its pairs of adjacent bytes.
type pairs [8]uint64

func (p *pairs) add(s string) {
	for i := 1; i < len(s); i++ {
		h := (uint32(s[i-1])<<8 | uint32(s[i])) * 0x9E3779B1 >> 23
		p[h>>6] |= 1 << (h & 63)
	}
}

// cover tells whether p has all pairs of q.
func (p *pairs) cover(q *pairs) bool {
	var missing uint64
	for i := range p {
		missing |= q[i] &^ p[i]
	}
	return missing == 0
}
