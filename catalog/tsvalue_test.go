package catalog

import (
	"encoding/json"
	"slices"
)

// accepts tells whether a value fits a type as a reader of the type would judge: fields that no part of the type
// names are wrong, unless the type is {}.
func (t *tsType) accepts(v any) bool {
	return slices.ContainsFunc(t.alternatives(), func(all []*tsType) bool { return acceptAll(all, v) })
}

// alternatives spells a type out as a choice of intersections of plain types.
func (t *tsType) alternatives() [][]*tsType {
	switch t.kind {
	case "union":
		var out [][]*tsType
		for _, p := range t.parts {
			out = append(out, p.alternatives()...)
		}
		return out
	case "intersection":
		out := [][]*tsType{nil}
		for _, p := range t.parts {
			var next [][]*tsType
			for _, have := range out {
				for _, more := range p.alternatives() {
					next = append(next, slices.Concat(have, more))
				}
			}
			out = next
		}
		return out
	}
	return [][]*tsType{{t}}
}

func acceptAll(all []*tsType, v any) bool {
	for _, t := range all {
		if !t.acceptsPlain(v) {
			return false
		}
	}
	o, isObject := v.(map[string]any)
	if !isObject {
		return true
	}
	for key := range o {
		open := slices.ContainsFunc(all, func(t *tsType) bool { return t.knows(key) })
		if !open {
			return false
		}
	}
	return true
}

func (t *tsType) knows(key string) bool {
	return t.kind != "object" || t.index != nil || len(t.fields) == 0 || t.field(key) != nil
}

func (t *tsType) field(name string) *tsField {
	for i := range t.fields {
		if t.fields[i].name == name {
			return &t.fields[i]
		}
	}
	return nil
}

func (t *tsType) acceptsPlain(v any) bool {
	switch t.kind {
	case "object":
		return t.acceptsObject(v)
	case "array":
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(x any) bool { return !t.parts[0].accepts(x) })
	case "tuple":
		return t.acceptsTuple(v)
	}
	switch v := v.(type) {
	case string:
		return t.word == "unknown" || t.word == "string" || t.word == quote(v)
	case json.Number:
		return t.word == "unknown" || t.word == "number" || sameNumber(t.word, v)
	case bool:
		return t.word == "unknown" || t.word == "boolean" || t.word == map[bool]string{true: "true", false: "false"}[v]
	case nil:
		return t.word == "unknown" || t.word == "null"
	}
	return t.word == "unknown" || t.word == "object"
}

func sameNumber(word string, n json.Number) bool {
	a, err := json.Number(word).Float64()
	b, _ := n.Float64()
	return err == nil && a == b
}

func (t *tsType) acceptsObject(v any) bool {
	if len(t.fields) == 0 && t.index == nil {
		return v != nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for _, f := range t.fields {
		x, has := o[f.name]
		if has && !f.of.accepts(x) || !has && !f.optional {
			return false
		}
	}
	for key, x := range o {
		if t.index != nil && t.field(key) == nil && !t.index.accepts(x) {
			return false
		}
	}
	return true
}

func (t *tsType) acceptsTuple(v any) bool {
	list, ok := v.([]any)
	if !ok || len(list) < t.must || len(list) > len(t.parts) && t.rest == nil {
		return false
	}
	for i, x := range list {
		of := t.rest
		if i < len(t.parts) {
			of = t.parts[i]
		}
		if !of.accepts(x) {
			return false
		}
	}
	return true
}
