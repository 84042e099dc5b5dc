package catalog

import (
	"slices"
	"strings"
)

// A shape is a TypeScript type as a tree, with what is to be said at each place. A shape stands in one place only.
type shape struct {
	kind   shapeKind
	word   string // of a word
	says   comment
	fields []field  // of an object
	index  *shape   // of an object: the type of its other members, nil if there is none
	loose  bool     // of an object: index tells of some names only, others are free
	parts  []*shape // of a union, an intersection, an array (one) or a tuple
	rest   *shape   // of a tuple: its further items, nil if there is none
	must   int      // of a tuple: so many of its parts are required
}

type shapeKind uint8

const (
	word   shapeKind = iota // a keyword or a literal
	object                  // fields and index
	array
	tuple
	union
	intersection
)

type field struct {
	name     string
	optional bool
	of       *shape
}

func (s *shape) is(w string) bool { return s.kind == word && s.word == w }

// bare tells of {}, the type of an object of which nothing is known.
func (s *shape) bare() bool {
	return s.kind == object && len(s.fields) == 0 && s.index == nil
}

// closed tells of a type that is a list of values: an enum, a const, null, or a choice among them.
func (s *shape) closed() bool {
	switch s.kind {
	case union:
		return !slices.ContainsFunc(s.parts, func(p *shape) bool { return !p.closed() })
	case intersection:
		return slices.ContainsFunc(s.parts, (*shape).closed)
	case word:
		return s.is("null") || s.is("true") || s.is("false") || strings.ContainsRune(`"-0123456789`, rune(s.word[0]))
	}
	return false
}

// hush takes away what is said at the shape's own place.
func (s *shape) hush() comment {
	says := s.says
	s.says = comment{}
	return says
}

// Shapes makes shapes, many at a time. After reset it makes new ones of the old.
type shapes struct {
	slab  []shape
	taken int
}

func (m *shapes) reset() { m.taken = 0 }

func (m *shapes) make(s shape) *shape {
	const slab = 64
	if m.taken == len(m.slab) {
		m.slab, m.taken = make([]shape, max(slab, 2*len(m.slab))), 0
	}
	m.taken++
	m.slab[m.taken-1] = s
	return &m.slab[m.taken-1]
}

func (m *shapes) word(w string) *shape { return m.make(shape{word: w}) }
func (m *shapes) unknown() *shape      { return m.word("unknown") }
func (m *shapes) never() *shape        { return m.word("never") }

// unite makes a union. Nested unions about which nothing is said are taken apart, what prints the same stands
// once, and never is left out.
func (m *shapes) unite(parts []*shape) *shape {
	if len(parts) == 1 {
		return parts[0]
	}
	kept := make([]*shape, 0, len(parts))
	var seen texts
	add := func(s *shape) {
		if text := s.String(); text != "never" && seen.add(text) {
			kept = append(kept, s)
		}
	}
	for _, p := range parts {
		if p.kind != union || !p.says.empty() {
			add(p)
			continue
		}
		for _, inner := range p.parts {
			add(inner)
		}
	}
	switch len(kept) {
	case 0:
		return m.never()
	case 1:
		return kept[0]
	}
	return m.make(shape{kind: union, parts: kept})
}

// texts is a set, cheap while it is small.
type texts struct {
	few  [8]string
	n    int // of few
	many map[string]bool
}

func (t *texts) has(s string) bool { return slices.Contains(t.few[:t.n], s) || t.many[s] }

// add tells whether s is new.
func (t *texts) add(s string) bool {
	switch {
	case t.has(s):
		return false
	case t.n < len(t.few):
		t.few[t.n] = s
		t.n++
	case t.many == nil:
		t.many = map[string]bool{s: true}
	default:
		t.many[s] = true
	}
	return true
}

// A meet collects the types that hold for one value at a time into their intersection, and what is said of it.
type meet struct {
	says  comment
	first *shape
	more  []*shape
	empty bool // {} is one of them; it adds nothing to another type
	never bool
}

// add takes over a type and what is said at its place. Nil and unknown add nothing.
func (m *meet) add(s *shape) {
	if s == nil {
		return
	}
	m.says.join(s.hush())
	switch {
	case s.is("never"):
		m.never = true
	case s.is("unknown"), s.kind == word && m.has(s.word):
	case s.bare():
		m.empty = true
	case s.kind == intersection && m.first == nil:
		m.first, m.more = s.parts[0], append(m.more, s.parts[1:]...)
	case s.kind == intersection:
		m.more = append(m.more, s.parts...)
	case m.first == nil:
		m.first = s
	default:
		m.more = append(m.more, s)
	}
}

// has tells whether a word is there already.
func (m *meet) has(w string) bool {
	return m.first != nil && (m.first.is(w) || slices.ContainsFunc(m.more, func(s *shape) bool { return s.is(w) }))
}

func (m *meet) shape(from *shapes) *shape {
	s := m.first
	switch {
	case m.never:
		s = from.never()
	case len(m.more) > 0:
		s = from.make(shape{kind: intersection, parts: append([]*shape{m.first}, m.more...)})
		from.loosen(s)
	case m.first != nil:
	case m.empty:
		s = from.make(shape{kind: object})
	default:
		s = from.unknown()
	}
	s.says = m.says
	return s
}

// loosen lets index signatures that tell of some names only take any type, since in an intersection they would hold
// for the fields of the other parts too.
func (m *shapes) loosen(s *shape) {
	switch {
	case s.kind == union || s.kind == intersection:
		for _, p := range s.parts {
			m.loosen(p)
		}
	case s.loose:
		s.index, s.loose = m.unite([]*shape{s.index, m.unknown()}), false
	}
}
