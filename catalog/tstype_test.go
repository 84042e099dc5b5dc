package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A tsType is TypeScript read back from a signature, by a parser that shares nothing with the printer.
type tsType struct {
	kind   string // word, object, array, tuple, union, intersection
	word   string
	doc    string // comment in front, its markers removed
	fields []tsField
	index  *tsType
	parts  []*tsType
	must   int // required items of a tuple
	rest   *tsType
}

type tsField struct {
	name     string
	optional bool
	of       *tsType // its doc is the field's
}

// A tsCall is a signature read back.
type tsCall struct {
	access        string // name or ["name"]
	name          string
	input, output *tsType
}

type tsParser struct {
	s   string
	doc string // of the comment last read
}

// parseCall reads a whole signature and fails on anything that is left over.
func parseCall(signature string) (call tsCall, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	p := &tsParser{s: signature}
	p.want("tools")
	if p.take(".") {
		call.name = p.identifier()
		call.access = "." + call.name
	} else {
		p.want("[")
		call.name = p.str()
		call.access = "[" + call.name + "]"
		p.want("]")
		if p.take(".") {
			call.access += "." + p.identifier()
		}
	}
	p.want("(input:")
	call.input = p.typ()
	p.want("): Promise<")
	call.output = p.typ()
	p.want(">")
	if p.s != "" {
		panic("left over: " + p.s)
	}
	return call, nil
}

func (p *tsParser) fail(what string) {
	panic(fmt.Sprintf("wanted %s before %.60q", what, p.s))
}

func (p *tsParser) want(s string) {
	if !p.take(s) {
		p.fail(s)
	}
}

// take skips blanks and comments; a comment read is kept in doc.
func (p *tsParser) take(s string) bool {
	p.skip()
	if !strings.HasPrefix(p.s, s) {
		return false
	}
	p.s = p.s[len(s):]
	return true
}

func (p *tsParser) skip() {
	for {
		p.s = strings.TrimLeft(p.s, " \t\n")
		if !strings.HasPrefix(p.s, "/*") {
			return
		}
		end := strings.Index(p.s[2:], "*/")
		if end < 0 {
			p.fail("the end of a comment")
		}
		p.doc = commentText(p.s[2 : end+2])
		p.s = p.s[end+4:]
	}
}

func commentText(s string) string {
	s = strings.TrimPrefix(s, "*")
	lines := strings.Split(s, "\n")
	for i := range lines {
		if i > 0 {
			lines[i] = strings.TrimPrefix(strings.TrimLeft(lines[i], "\t "), "*")
		}
		lines[i] = strings.TrimPrefix(lines[i], " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func (p *tsParser) takeDoc() string {
	p.skip()
	d := p.doc
	p.doc = ""
	return d
}

func (p *tsParser) identifier() string {
	p.skip()
	n := 0
	for _, r := range p.s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' && r != '$' {
			break
		}
		n += utf8.RuneLen(r)
	}
	if n == 0 {
		p.fail("a name")
	}
	name := p.s[:n]
	p.s = p.s[n:]
	return name
}

func (p *tsParser) str() string {
	p.skip()
	for i := 1; i < len(p.s); i++ {
		switch p.s[i] {
		case '\\':
			i++
		case '\n':
			p.fail("a string on one line")
		case '"':
			var s string
			if err := json.Unmarshal([]byte(p.s[:i+1]), &s); err != nil {
				p.fail(err.Error())
			}
			p.s = p.s[i+1:]
			return s
		}
	}
	p.fail("a string")
	return ""
}

func (p *tsParser) typ() *tsType {
	return p.joined("union", "|", func() *tsType { return p.joined("intersection", "&", p.one) })
}

func (p *tsParser) joined(kind, by string, part func() *tsType) *tsType {
	t := part()
	if !p.take(by) {
		return t
	}
	t = &tsType{kind: kind, parts: []*tsType{t}}
	for more := true; more; more = p.take(by) {
		t.parts = append(t.parts, part())
	}
	return t
}

func (p *tsParser) one() *tsType {
	doc := p.takeDoc()
	t := p.bare()
	t.doc = strings.TrimSpace(doc + "\n" + t.doc)
	return t
}

func (p *tsParser) bare() *tsType {
	switch {
	case p.take("{"):
		return p.object()
	case p.take("["):
		return p.tuple()
	case p.take("("):
		t := p.typ()
		p.want(")")
		return t
	case p.take("Array<"):
		t := &tsType{kind: "array", parts: []*tsType{p.typ()}}
		p.want(">")
		return t
	case strings.HasPrefix(p.s, `"`):
		before := p.s
		p.str()
		return &tsType{kind: "word", word: before[:len(before)-len(p.s)]}
	}
	n := strings.IndexAny(p.s, " \t\n;>,)]|&?}")
	if n <= 0 {
		p.fail("a type")
	}
	t := &tsType{kind: "word", word: p.s[:n]}
	p.s = p.s[n:]
	return t
}

func (p *tsParser) object() *tsType {
	t := &tsType{kind: "object"}
	for !p.take("}") {
		doc := p.takeDoc()
		if p.take("[key: string]:") {
			t.index = p.typ()
			t.index.doc = strings.TrimSpace(doc + "\n" + t.index.doc)
			p.take(";")
			continue
		}
		var f tsField
		if strings.HasPrefix(p.s, `"`) {
			f.name = p.str()
		} else {
			f.name = p.identifier()
		}
		f.optional = p.take("?")
		p.want(":")
		f.of = p.typ()
		f.of.doc = strings.TrimSpace(doc + "\n" + f.of.doc)
		p.want(";")
		t.fields = append(t.fields, f)
	}
	return t
}

func (p *tsParser) tuple() *tsType {
	t := &tsType{kind: "tuple"}
	for !p.take("]") {
		if p.take("...") {
			t.rest = p.typ().parts[0]
			continue
		}
		t.parts = append(t.parts, p.typ())
		if !p.take("?") {
			t.must = len(t.parts)
		}
		p.take(",")
	}
	return t
}
