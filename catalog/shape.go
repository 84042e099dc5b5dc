package catalog

// A shape is a TypeScript type as a tree, with what is to be said at each place.
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

func unknown() *shape             { return &shape{word: "unknown"} }
func never() *shape               { return &shape{word: "never"} }
func (s *shape) is(w string) bool { return s.kind == word && s.word == w }

// bare tells of {}, the type of an object of which nothing is known.
func (s *shape) bare() bool {
	return s.kind == object && len(s.fields) == 0 && s.index == nil
}

// without gives the same type, about which nothing is said at its own place.
func (s *shape) without() *shape {
	c := *s
	c.says = comment{}
	return &c
}

// unite makes a union. Nested unions about which nothing is said are taken apart, what prints the same stands
// once, and never is left out.
func unite(parts []*shape) *shape {
	u := &shape{kind: union}
	seen := map[string]bool{}
	for _, p := range parts {
		members := []*shape{p}
		if p.kind == union && p.says.empty() {
			members = p.parts
		}
		for _, m := range members {
			text := m.String()
			if !seen[text] && text != "never" {
				seen[text] = true
				u.parts = append(u.parts, m)
			}
		}
	}
	switch len(u.parts) {
	case 0:
		return never()
	case 1:
		return u.parts[0]
	}
	return u
}

// intersect makes an intersection of types that hold for one value. What their places say is joined.
func intersect(parts []*shape) *shape {
	var says comment
	var kept, flat []*shape
	for _, p := range parts {
		says.join(p.says)
		if p.kind == intersection {
			flat = append(flat, p.parts...)
		} else {
			flat = append(flat, p)
		}
	}
	var empty *shape
	for _, p := range flat {
		switch {
		case p.is("never"):
			return &shape{word: "never", says: says}
		case p.is("unknown"):
		case p.bare(): // {} adds nothing to another type
			empty = p
		default:
			kept = append(kept, p.without())
		}
	}
	switch {
	case len(kept) > 1:
		return &shape{kind: intersection, parts: kept, says: says}
	case len(kept) == 1:
		kept[0].says = says
		return kept[0]
	case empty != nil:
		return &shape{kind: object, says: says}
	}
	return &shape{word: "unknown", says: says}
}
