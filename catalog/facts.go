package catalog

import "slices"

// facts are the keywords of one schema object, each read once and of the right type; the others are as absent.
type facts struct {
	says     comment
	ref      string
	hasRef   bool
	typed    bool // type is there, whatever it holds
	types    []string
	constant *node
	enum     *node
	nullable bool

	properties, patterns, additional *node
	required                         []string

	items, prefixItems, additionalItems *node
	minItems                            string

	allOf, anyOf, oneOf []member
	never               bool // not: {} or not: true
}

// read collects the keywords of a schema object.
func read(n *node) facts {
	var f facts
	for i := range n.members {
		f.keyword(n.members[i].key, &n.members[i].val)
	}
	return f
}

func (f *facts) keyword(key string, v *node) {
	switch key {
	case "$ref":
		f.ref, f.hasRef = v.text, v.isString()
	case "type":
		f.readType(v)
	case "const":
		f.constant = v
	case "enum":
		if v.isArray() {
			f.enum = v
		}
	case "nullable":
		f.nullable = v.kind == 't'
	case "properties":
		if v.isObject() {
			f.properties = v
		}
	case "patternProperties":
		if v.isObject() {
			f.patterns = v
		}
	case "additionalProperties":
		f.additional = v
	case "required":
		for _, m := range v.list() {
			if m.val.isString() {
				f.required = append(f.required, m.val.text)
			}
		}
	case "items":
		f.items = v
	case "prefixItems":
		if v.isArray() {
			f.prefixItems = v
		}
	case "additionalItems":
		f.additionalItems = v
	case "allOf":
		f.allOf = v.list()
	case "anyOf":
		f.anyOf = v.list()
	case "oneOf":
		f.oneOf = v.list()
	case "not":
		f.never = v.kind == 't' || v.isObject() && len(v.members) == 0
		f.says.keyword(key, v)
	default:
		if key == "minItems" && v.kind == '0' {
			f.minItems = v.text
		}
		f.says.keyword(key, v)
	}
}

func (f *facts) readType(v *node) {
	f.typed = true
	add := func(n *node) {
		if n.isString() && !slices.Contains(f.types, n.text) {
			f.types = append(f.types, n.text)
		}
	}
	add(v)
	for i := range v.list() {
		add(&v.members[i].val)
	}
	if slices.Contains(f.types, "integer") && !slices.Contains(f.types, "number") {
		f.says.tag(tag{name: "integer"})
	}
}

// kinds gives the types of the value, those implied by other keywords if none is named.
func (f *facts) kinds() []string {
	switch {
	case f.typed:
		return f.types
	case f.properties != nil || f.patterns != nil || f.additional != nil || len(f.required) > 0:
		return []string{"object"}
	case f.items != nil || f.prefixItems != nil:
		return []string{"array"}
	}
	return nil
}
