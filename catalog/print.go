package catalog

// A printer writes shapes as TypeScript.
type printer struct {
	out    []byte
	indent int
}

// signature writes one tool's call: how to reach it, its parameter and its return type.
func signature(name string, input, output *shape) string {
	var p printer
	p.text(access(name))
	p.text("(input: ")
	p.place(input)
	p.text("): Promise<")
	p.place(output)
	p.text(">")
	return string(p.out)
}

// String gives the shape as it stands at the left margin, its own comment included.
func (s *shape) String() string {
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

func (p *printer) comment(c comment) {
	ls := c.lines()
	if len(ls) == 1 {
		p.text("/** ")
		p.text(unclosed(ls[0]))
		p.text(" */")
		return
	}
	p.text("/**")
	for _, l := range ls {
		p.newline()
		p.text(" *")
		if l != "" {
			p.text(" ")
			p.text(unclosed(l))
		}
	}
	p.newline()
	p.text(" */")
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
		inner := s.kind == union && by == " & "
		if inner {
			p.text("(")
		}
		p.place(s)
		if inner {
			p.text(")")
		}
	}
}

func (p *printer) tuple(s *shape) {
	p.text("[")
	for i, part := range s.parts {
		if i > 0 {
			p.text(", ")
		}
		optional := i >= s.must
		wrap := optional && (part.kind == union || part.kind == intersection)
		if !part.says.empty() {
			p.comment(part.says)
			p.text(" ")
		}
		if wrap {
			p.text("(")
		}
		p.shape(part)
		if wrap {
			p.text(")")
		}
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
