package catalog

import (
	"slices"
	"unicode"
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
			of: e, name: fold(e.tool.Name), own: fold(own), bare: string(letters(own)), parts: fold(nameWords(own)),
			about: fold(e.tool.Description), params: fold(params),
		}
		f.pairs.add(f.name)
		f.pairs.add(f.about)
		f.pairs.add(f.params)
		e.folded = f
	}
	return e.folded
}

// nameWords puts blanks around the words of a name, which separators or a change to capitals set apart.
func nameWords(name string) string {
	b := []rune{' '}
	var last rune
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			r = ' '
		case unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)):
			b = append(b, ' ')
		}
		if r != ' ' || b[len(b)-1] != ' ' {
			b = append(b, r)
		}
		last = r
	}
	return string(append(b, ' '))
}

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
