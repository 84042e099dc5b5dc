package catalog

import (
	"cmp"
	"strconv"
)

// A builder turns the schemas of one tool into shapes.
type builder struct {
	*shapes
	root  *node
	limit int // deepest level that is not unknown
	spent int // nodes visited so far, those with much to say counted more than once

	places  int                        // counted by next
	open    map[visit]bool             // what is being built
	refs    map[string]*node           // targets of the references met
	anchors map[string]*node           // by name, nil until one is asked for
	wide    map[*node]map[string]*node // members of objects that have many
}

// Past so many nodes references are no longer followed, so that a fan-out of references ends.
const unrolled = 20000

// What is said about a node counts as a further node from this many bytes on.
const longComment = 256

// A visit is a reference target being built for a place of the value. A target within itself at the same place is a
// circle without a step.
type visit struct {
	place int
	of    *node
}

// next numbers a place one step further into the value.
func (b *builder) next() int {
	b.places++
	return b.places
}

// build gives the type of a schema at a depth. A part that is no schema is unknown, and so is all below the
// limit but an enum one step below.
func (b *builder) build(n *node, depth int, place int) *shape {
	b.spent++
	switch {
	case n != nil && n.kind == 'f':
		return b.never()
	case !n.isObject() || depth > b.limit+1:
		return b.unknown()
	}
	f := read(n)
	b.spent += f.says.size() / longComment
	m := meet{says: f.says}
	m.add(b.own(&f, depth))
	if f.hasRef {
		m.add(b.follow(f.ref, depth, place))
	}
	for i := range f.allOf {
		m.add(b.build(&f.allOf[i].val, depth+step(len(f.allOf)), place))
	}
	for _, choice := range [][]member{f.anyOf, f.oneOf} {
		if len(choice) > 0 {
			m.add(b.choose(choice, depth, place))
		}
	}
	s := m.shape(b.shapes)
	if f.nullable {
		says := s.hush()
		s = b.unite([]*shape{s, b.word("null")})
		s.says = says
	}
	if depth > b.limit {
		return b.edge(s)
	}
	return s
}

// edge gives what is shown of a place one step below the limit: unknown, but for a list of values. Those are part of the
// field they belong to, as a literal is, not a step further in.
func (b *builder) edge(s *shape) *shape {
	if !s.closed() {
		return b.unknown()
	}
	s.hush()
	return s
}

// step is the depth a member adds: none if it stands alone.
func step(members int) int {
	if members > 1 {
		return 1
	}
	return 0
}

// choose gives the union of a choice. With one branch beside null, what that branch says is said of the whole.
func (b *builder) choose(branches []member, depth int, place int) *shape {
	some := 0
	for i := range branches {
		if !isNull(&branches[i].val) {
			some++
		}
	}
	var parts []*shape
	var says comment
	for i := range branches {
		s := b.build(&branches[i].val, depth+step(some), place)
		if some == 1 && !isNull(&branches[i].val) {
			says = s.hush()
		}
		parts = append(parts, s)
	}
	u := b.unite(parts)
	if some == 1 {
		u.says.join(says)
	}
	return u
}

// isNull tells of a schema that takes null alone and says nothing else.
func isNull(n *node) bool {
	if !n.isObject() {
		return false
	}
	if t := n.get("type"); t.isString() {
		return t.text == "null"
	}
	c := n.get("const")
	return c != nil && c.kind == 'n'
}

// own gives the type that the keywords of the node itself state, nil if they state none.
func (b *builder) own(f *facts, depth int) *shape {
	switch {
	case f.never:
		return b.never()
	case f.constant != nil:
		return b.literal(f.constant, depth)
	case f.enum != nil:
		parts := make([]*shape, 0, len(f.enum.members))
		for i := range f.enum.members {
			parts = append(parts, b.literal(&f.enum.members[i].val, depth))
		}
		return b.unite(parts)
	}
	if f.kinds == nil {
		if kind := cmp.Or(f.kind, f.implied()); kind != "" {
			return b.kind(kind, f, depth)
		}
		return nil
	}
	parts := make([]*shape, 0, len(f.kinds))
	for _, k := range f.kinds {
		parts = append(parts, b.kind(k, f, depth))
	}
	return b.unite(parts)
}

// kind gives the type of one JSON Schema type name.
func (b *builder) kind(name string, f *facts, depth int) *shape {
	if depth > b.limit && (name == "object" || name == "array") {
		return b.unknown()
	}
	switch name {
	case "string", "number", "boolean", "null":
		return b.word(name)
	case "integer":
		return b.word("number")
	case "object":
		return b.object(f, depth)
	case "array":
		return b.array(f, depth)
	}
	return b.unknown()
}

func (b *builder) object(f *facts, depth int) *shape {
	s := b.make(shape{kind: object})
	var required, declared texts
	for _, name := range f.required {
		required.add(name)
	}
	if n := len(f.properties.fields()); n > 0 {
		s.fields = make([]field, 0, n)
	}
	for i := range f.properties.fields() {
		m := &f.properties.members[i]
		s.fields = append(s.fields, field{name: m.key, optional: !required.has(m.key), of: b.build(&m.val, depth+1, b.next())})
		if len(f.required) > 0 {
			declared.add(m.key)
		}
	}
	for _, name := range f.required {
		if declared.add(name) {
			s.fields = append(s.fields, field{name: name, of: b.unknown()})
		}
	}
	s.index = b.index(f, s.fields, depth)
	s.loose = s.index != nil && f.additional == nil
	return s
}

// index gives the type of an object's members that have no field of their own, nil if there are none. TypeScript
// wants it to cover the fields too.
func (b *builder) index(f *facts, fields []field, depth int) *shape {
	var parts []*shape
	for i := range f.patterns.fields() {
		m := &f.patterns.members[i]
		s := b.build(&m.val, depth+1, b.next())
		s.says.tag(tag{"keys", quote(m.key)})
		parts = append(parts, s)
	}
	switch extra := f.additional; {
	case extra == nil || extra.kind != 'f' && extra.kind != 't' && !extra.isObject():
	case extra.kind != 'f':
		parts = append(parts, b.build(extra, depth+1, b.next()))
	case len(fields) == 0 && len(parts) == 0:
		return b.never()
	}
	if len(parts) == 0 {
		return nil
	}
	return b.cover(parts, fields)
}

// cover gives a union of types that takes the fields too.
func (b *builder) cover(types []*shape, fields []field) *shape {
	var have texts
	for _, t := range types {
		if t.is("unknown") {
			return b.unite(types)
		}
		have.add(t.silent())
	}
	optional := false
	for _, f := range fields {
		optional = optional || f.optional
		if !have.has(f.of.silent()) {
			types = append(types, b.widen(f.of))
		}
	}
	if optional {
		types = append(types, b.word("undefined"))
	}
	return b.unite(types)
}

// silent writes the type without what is said at its own place.
func (s *shape) silent() string {
	c := *s
	c.hush()
	return c.String()
}

// widen gives a short type that takes every value of s: on one line, "object" for what is longer.
func (b *builder) widen(s *shape) *shape {
	switch s.kind {
	case word:
		return b.word(s.word)
	case union:
		var parts []*shape
		for _, p := range s.parts {
			parts = append(parts, b.widen(p))
		}
		return b.unite(parts)
	}
	if text := s.silent(); !hasLines(text) {
		return b.word(text)
	}
	return b.word("object")
}

func (b *builder) array(f *facts, depth int) *shape {
	first, rest := f.prefixItems.list(), f.items
	if f.items.isArray() {
		first, rest = f.items.members, f.additionalItems
	}
	further := b.unknown()
	if rest != nil {
		further = b.build(rest, depth+1, b.next())
	}
	if len(first) == 0 {
		return b.make(shape{kind: array, parts: []*shape{further}})
	}
	s := b.make(shape{kind: tuple})
	for i := range first {
		s.parts = append(s.parts, b.build(&first[i].val, depth+1, b.next()))
	}
	if n, err := strconv.ParseFloat(f.minItems, 64); err == nil {
		s.must = int(min(n, float64(len(first))))
	}
	if !further.is("never") {
		s.rest = further
	}
	return s
}

// literal gives the type that takes one value alone.
func (b *builder) literal(n *node, depth int) *shape {
	switch {
	case n.kind != '{' && n.kind != '[':
		return b.word(n.json())
	case depth > b.limit:
		return b.unknown()
	}
	s := b.make(shape{kind: object})
	if n.kind == '[' {
		s.kind, s.must = tuple, len(n.members)
	}
	for i := range n.members {
		m := &n.members[i]
		of := b.literal(&m.val, depth+1)
		if s.kind == object {
			s.fields = append(s.fields, field{name: m.key, of: of})
		} else {
			s.parts = append(s.parts, of)
		}
	}
	return s
}
