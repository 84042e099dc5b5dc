package catalog

import (
	"slices"
	"strings"
)

// A comment is what is to be said about one place of a type: descriptions, then constraint tags, in the schema's
// own words.
type comment struct {
	texts []string
	tags  []tag
}

// A tag is one constraint. Lines of text follow it: none for a flag, several for a default with line ends.
type tag struct {
	name  string
	lines []string
}

// keyword notes what a schema keyword says, if it documents or constrains.
func (c *comment) keyword(key string, v *node) {
	switch key {
	case "description":
		if v.isString() {
			c.text(v.text)
		}
	case "deprecated", "uniqueItems", "readOnly", "writeOnly":
		if v.kind == 't' {
			c.flag(key)
		}
	case "format", "pattern", "contentEncoding", "contentMediaType":
		c.tag(key, v, bare)
	case "default", "examples", "example",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "divisibleBy",
		"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
		"contains", "minContains", "maxContains", "unevaluatedItems", "contentSchema",
		"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies":
		c.tag(key, v, quoted)
	case "propertyNames", "unevaluatedProperties":
		if !says(key, v) {
			c.tag(key, v, quoted)
		}
	}
}

// says tells of two keywords whether the type says it anyway: every name is a string, and an object type without
// index signature takes no other fields.
func says(key string, v *node) bool {
	if key == "unevaluatedProperties" {
		return v.kind == 'f'
	}
	return v.isObject() && (len(v.members) == 0 || len(v.members) == 1 && v.get("type").isString())
}

// A spelling of a string value: quoted as JSON, or bare where that reads the same.
type spelling bool

const (
	quoted spelling = false
	bare   spelling = true
)

func (c *comment) tag(name string, v *node, s spelling) {
	switch {
	case v.isString() && len(lines(v.text)) > 1:
		c.add(tag{name: name, lines: lines(v.text)})
	case v.isString() && s == bare && v.text != "" && !strings.ContainsAny(v.text, " \t\r\n@\""):
		c.add(tag{name: name, lines: []string{v.text}})
	default:
		c.add(tag{name: name, lines: []string{v.json()}})
	}
}

func (c *comment) flag(name string) { c.add(tag{name: name}) }

func (c *comment) add(t tag) {
	for _, have := range c.tags {
		// a default or an example further away (of a $ref's target) gives way to the nearer one
		if have.name == t.name && (t.name == "default" || slices.Equal(have.lines, t.lines)) {
			return
		}
	}
	c.tags = append(c.tags, t)
}

func (c *comment) text(s string) {
	if strings.TrimSpace(s) != "" && !slices.Contains(c.texts, s) {
		c.texts = append(c.texts, s)
	}
}

// join takes over what another schema says about the same value.
func (c *comment) join(d comment) {
	for _, s := range d.texts {
		c.text(s)
	}
	for _, t := range d.tags {
		c.add(t)
	}
}

func (c comment) empty() bool { return len(c.texts) == 0 && len(c.tags) == 0 }

// lines splits a text at its line ends (\n, \r\n, \r). Blank lines before the first and after the last are left out.
func lines(s string) []string {
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	if !strings.Contains(s, "\n") {
		return []string{s}
	}
	all := strings.Split(s, "\n")
	for len(all) > 0 && strings.TrimSpace(all[0]) == "" {
		all = all[1:]
	}
	for len(all) > 0 && strings.TrimSpace(all[len(all)-1]) == "" {
		all = all[:len(all)-1]
	}
	return all
}

// lines gives the comment's text line by line. Tags stand on one line, after a description of one line; what has
// line ends of its own keeps its lines.
func (c comment) lines() []string {
	var out []string
	for _, s := range c.texts {
		out = append(out, lines(s)...)
	}
	open := len(out) == 1 // the last line takes further tags
	for _, t := range c.tags {
		head := "@" + t.name
		if len(t.lines) == 1 {
			head += " " + t.lines[0]
		}
		if open {
			out[len(out)-1] += " " + head
		} else {
			out = append(out, head)
		}
		open = true
		if len(t.lines) > 1 {
			out = append(out, t.lines...)
			open = false
		}
	}
	return out
}

// unclosed breaks every comment terminator in s with one space.
func unclosed(s string) string { return strings.ReplaceAll(s, "*/", "* /") }
