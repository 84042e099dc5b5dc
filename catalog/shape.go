package catalog

import "slices"

// A shape is a TypeScript type as a tree, with what is to be said at each place. A shape stands in one place only.
type shape struct {
	kind   shapeKind
	word   string // of a word
	says   comment
	fields []field  // of an object
	index  *shape   // of an object: the type of its other members, nil if there is none
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

func aWord(w string) *shape       { return &shape{word: w} }
func unknown() *shape             { return aWord("unknown") }
func never() *shape               { return aWord("never") }
func (s *shape) is(w string) bool { return s.kind == word && s.word == w }

// bare tells of {}, the type of an object of which nothing is known.
func (s *shape) bare() bool {
	return s.kind == object && len(s.fields) == 0 && s.index == nil
}

// hush takes away what is said at the shape's own place.
func (s *shape) hush() comment {
	says := s.says
	s.says = comment{}
	return says
}

// unite makes a union. Nested unions about which nothing is said are taken apart, what prints the same stands
// once, and never is left out.
func unite(parts []*shape) *shape {
	if len(parts) == 1 {
		return parts[0]
	}
	kept := make([]*shape, 0, len(parts))
	var seen texts
	for _, p := range parts {
		members := []*shape{p}
		if p.kind == union && p.says.empty() {
			members = p.parts
		}
		for _, m := range members {
			if text := m.String(); text != "never" && seen.add(text) {
				kept = append(kept, m)
			}
		}
	}
	switch len(kept) {
	case 0:
		return never()
	case 1:
		return kept[0]
	}
	return &shape{kind: union, parts: kept}
}

// texts is a set, cheap while it is small.
type texts struct {
	few  []string
	many map[string]bool
}

func (t *texts) has(s string) bool { return t.many[s] || slices.Contains(t.few, s) }

// add tells whether s is new.
func (t *texts) add(s string) bool {
	const few = 16
	switch {
	case t.has(s):
		return false
	case len(t.few) < few:
		t.few = append(t.few, s)
	case t.many == nil:
		t.many = map[string]bool{}
		fallthrough
	default:
		t.many[s] = true
	}
	return true
}

// A meet collects the types that hold for one value at a time into their intersection, and what is said of it.
type meet struct {
	says  comment
	parts []*shape
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
	case s.is("unknown"):
	case s.bare():
		m.empty = true
	case s.kind == intersection:
		m.parts = append(m.parts, s.parts...)
	default:
		m.parts = append(m.parts, s)
	}
}

func (m *meet) shape() *shape {
	s := unknown()
	switch {
	case m.never:
		s = never()
	case len(m.parts) > 1:
		s = &shape{kind: intersection, parts: m.parts}
	case len(m.parts) == 1:
		s = m.parts[0]
	case m.empty:
		s = &shape{kind: object}
	}
	s.says = m.says
	return s
}
