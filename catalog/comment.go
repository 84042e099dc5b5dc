package catalog

import (
	"slices"
	"strings"
)

// A comment is what is to be said about one place of a type: descriptions, then constraint tags, in the schema's
// own words.
type comment struct {
	text string   // the first description; line ends are \n
	more []string // further ones, of other schemas for the same value
	tags []tag
}

// A tag is one constraint. The value is empty for a flag; one with line ends keeps its lines.
type tag struct{ name, value string }

// keyword notes what a schema keyword says, if it documents or constrains.
func (c *comment) keyword(key string, v *node) {
	switch key {
	case "description":
		if v.isString() {
			c.describe(v.text)
		}
	case "deprecated", "uniqueItems", "readOnly", "writeOnly":
		if v.kind == 't' {
			c.tag(tag{name: key})
		}
	case "format", "pattern", "contentEncoding", "contentMediaType":
		c.tag(tag{key, bareText(v)})
	case "default":
		c.tag(tag{key, defaultText(v)})
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "divisibleBy",
		"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
		"contains", "minContains", "maxContains", "unevaluatedItems", "contentSchema", "examples", "example",
		"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies":
		c.tag(tag{key, v.json()})
	case "propertyNames", "unevaluatedProperties":
		if !said(key, v) {
			c.tag(tag{key, v.json()})
		}
	}
}

// bareText writes a string without quotes where that can't be misread.
func bareText(v *node) string {
	if v.isString() && v.text != "" && !strings.ContainsAny(v.text, " \t\r\n@\"") {
		return v.text
	}
	return v.json()
}

// defaultText writes a default as JSON, a string of several lines as it is.
func defaultText(v *node) string {
	if v.isString() {
		if s := trimLines(v.text); hasLines(s) {
			return s
		}
	}
	return v.json()
}

// said tells of two keywords whether the type says it anyway: every name is a string, and an object type without
// index signature takes no other fields.
func said(key string, v *node) bool {
	if key == "unevaluatedProperties" {
		return v.kind == 'f'
	}
	return v.isObject() && (len(v.members) == 0 || len(v.members) == 1 && v.get("type").isString())
}

// tag adds a constraint, unless it is there already. A default further away (of a $ref's target) gives way to the
// nearer one. Past so many tags that no honest schema has them, none is looked for.
func (c *comment) tag(t tag) {
	const many = 64
	for i := 0; i < len(c.tags) && len(c.tags) < many; i++ {
		if have := c.tags[i]; have == t || have.name == t.name && t.name == "default" {
			return
		}
	}
	c.tags = append(c.tags, t)
}

// describe adds a description, unless it is the first one again.
func (c *comment) describe(s string) {
	switch s = trimLines(s); {
	case strings.TrimSpace(s) == "" || s == c.text:
	case c.text == "":
		c.text = s
	default:
		c.more = append(c.more, s)
	}
}

// join takes over what another schema says about the same value.
func (c *comment) join(d comment) {
	if c.empty() {
		*c = d
		return
	}
	c.describe(d.text)
	for _, s := range d.more {
		c.describe(s)
	}
	for _, t := range d.tags {
		c.tag(t)
	}
}

func (c comment) empty() bool { return c.text == "" && len(c.tags) == 0 }

// size counts the bytes of it.
func (c comment) size() int {
	n := len(c.text)
	for _, s := range c.more {
		n += len(s)
	}
	for _, t := range c.tags {
		n += len(t.name) + len(t.value)
	}
	return n
}

// inline tells whether all of it fits on one line: a description of at most one line, and tags without line ends.
func (c comment) inline() bool {
	return len(c.more) == 0 && !hasLines(c.text) && !slices.ContainsFunc(c.tags, func(t tag) bool { return hasLines(t.value) })
}

func hasLines(s string) bool { return strings.IndexByte(s, '\n') >= 0 }

// trimLines makes \n of every line end (\r\n, \r) and leaves out blank lines before the first and after the last.
func trimLines(s string) string {
	if !hasLines(s) && strings.IndexByte(s, '\r') < 0 {
		return s
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(s, "\n")
	for len(lines) > 1 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 1 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}
