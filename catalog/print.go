package catalog

import (
	"strings"
	"unicode"
)

// A printer writes shapes as TypeScript.
type printer struct {
	out    []byte
	indent int
}

// signature writes one tool's call: how to reach it, its parameter and its return type.
func (p *printer) signature(access string, input, output *shape) string {
	p.out, p.indent = p.out[:0], 0
	p.text(access)
	p.text("(input: ")
	p.place(input)
	p.text("): Promise<")
	p.place(output)
	p.text(">")
	return string(p.out)
}

// String gives the shape as it stands at the left margin, its own comment included.
func (s *shape) String() string {
	if s.kind == word && s.says.empty() {
		return s.word
	}
	var p printer
	p.place(s)
	return string(p.out)
}

func (p *printer) text(s string) { p.out = append(p.out, s...) }

func (p *printer) newline() {
	p.out = append(p.out, '\n')
	for range p.indent {
		p.out = append(p.out, '\t')
	}
}

// place writes a type inside a line, its comment before it.
func (p *printer) place(s *shape) {
	if !s.says.empty() {
		p.comment(s.says)
		p.text(" ")
	}
	p.shape(s)
}

// comment writes tags on one line, after the description if that is one line too. What has line ends of its own
// keeps its lines.
func (p *printer) comment(c comment) {
	if c.inline() {
		p.text("/**")
		if c.text != "" {
			p.text(" ")
			p.unclosed(c.text)
		}
		for _, t := range c.tags {
			p.tag(t)
		}
		p.text(" */")
		return
	}
	p.text("/**")
	if c.text != "" {
		p.lines(c.text)
	}
	for _, s := range c.more {
		p.lines(s)
	}
	open := false // the last line takes further tags
	for _, t := range c.tags {
		if !open {
			p.newline()
			p.text(" *")
		}
		if open = !hasLines(t.value); open {
			p.tag(t)
		} else {
			p.tag(tag{name: t.name})
			p.lines(t.value)
		}
	}
	p.newline()
	p.text(" */")
}

func (p *printer) tag(t tag) {
	p.text(" @")
	p.text(t.name)
	if t.value != "" {
		p.text(" ")
		p.unclosed(t.value)
	}
}

func (p *printer) lines(s string) {
	for l := range strings.SplitSeq(s, "\n") {
		p.newline()
		p.text(" *")
		if l != "" {
			p.text(" ")
			p.unclosed(l)
		}
	}
}

// unclosed writes text inside a comment: without control characters, and every terminator in it broken with one space.
func (p *printer) unclosed(s string) { p.text(unclosed(s)) }

func unclosed(s string) string {
	if mayControl(s) {
		s = strings.Map(printed, s)
	}
	return strings.ReplaceAll(s, "*/", "* /")
}

// mayControl tells by the bytes of a text whether control characters may be in it.
func mayControl(s string) bool {
	const del, firstOfC1 = 0x7F, 0xC2
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' && c != '\n' || c == del || c == firstOfC1 {
			return true
		}
	}
	return false
}

// printed drops a control character: it says nothing to a model, some providers refuse it, and a terminal would obey it.
func printed(r rune) rune {
	if unicode.IsControl(r) && r != '\t' && r != '\n' {
		return -1
	}
	return r
}

func (p *printer) shape(s *shape) {
	switch s.kind {
	case word:
		p.text(s.word)
	case object:
		p.object(s)
	case array:
		p.text("Array<")
		p.place(s.parts[0])
		p.text(">")
	case tuple:
		p.tuple(s)
	case union:
		p.joined(s.parts, " | ")
	case intersection:
		p.joined(s.parts, " & ")
	}
}

func (p *printer) joined(parts []*shape, by string) {
	for i, s := range parts {
		if i > 0 {
			p.text(by)
		}
		p.enclosed(s, s.kind == union && by == " & ")
	}
}

// enclosed writes a type inside a line, in parentheses if it needs them there.
func (p *printer) enclosed(s *shape, needed bool) {
	if needed {
		p.text("(")
	}
	p.place(s)
	if needed {
		p.text(")")
	}
}

func (p *printer) tuple(s *shape) {
	p.text("[")
	for i, part := range s.parts {
		if i > 0 {
			p.text(", ")
		}
		optional := i >= s.must
		p.enclosed(part, optional && (part.kind == union || part.kind == intersection))
		if optional {
			p.text("?")
		}
	}
	if s.rest != nil {
		p.text(", ...Array<")
		p.place(s.rest)
		p.text(">")
	}
	p.text("]")
}

func (p *printer) object(s *shape) {
	switch {
	case s.bare():
		p.text("{}")
		return
	case len(s.fields) == 0:
		p.text("{ [key: string]: ")
		p.place(s.index)
		p.text(" }")
		return
	}
	p.text("{")
	p.indent++
	for _, f := range s.fields {
		p.newline()
		p.field(f)
	}
	if s.index != nil {
		p.newline()
		p.text("[key: string]: ")
		p.place(s.index)
		p.text(";")
	}
	p.indent--
	p.newline()
	p.text("}")
}

func (p *printer) field(f field) {
	if !f.of.says.empty() {
		p.comment(f.of.says)
		p.newline()
	}
	if isIdentifier(f.name) {
		p.text(f.name)
	} else {
		p.text(quote(f.name))
	}
	if f.optional {
		p.text("?")
	}
	p.text(": ")
	p.shape(f.of)
	p.text(";")
}
