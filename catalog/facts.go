package catalog

import "slices"

// facts are the keywords of one schema object, each read once and of the right type; the others are as absent.
type facts struct {
	says     comment
	ref      string
	hasRef   bool
	typed    bool     // type is there, whatever it holds
	kind     string   // the type, if one is named
	kinds    []string // the types, if a list is
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
	f.idle()
	return f
}

// idle says the fields and items of a schema whose type leaves no room for them: real servers write "object" where
// they mean a list of objects, and nothing else tells what goes in.
func (f *facts) idle() {
	if !f.typed {
		return
	}
	if f.properties != nil && len(f.properties.members) > 0 && !f.names("object") {
		f.says.tag(tag{"properties", f.properties.json()})
	}
	if f.items != nil && len(f.items.members) > 0 && !f.names("array") {
		f.says.tag(tag{"items", f.items.json()})
	}
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
	if v.isString() {
		f.kind = v.text
	}
	for _, m := range v.list() {
		if m.val.isString() {
			f.kinds = append(f.kinds, m.val.text)
		}
	}
	if f.names("integer") && !f.names("number") {
		f.says.tag(tag{name: "integer"})
	}
}

func (f *facts) names(kind string) bool { return f.kind == kind || slices.Contains(f.kinds, kind) }

// implied is the type that other keywords stand for where none is named.
func (f *facts) implied() string {
	switch {
	case f.typed:
		return ""
	case f.properties != nil || f.patterns != nil || f.additional != nil || len(f.required) > 0:
		return "object"
	case f.items != nil || f.prefixItems != nil:
		return "array"
	}
	return ""
}
