package catalog

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// An obligation is what a schema wants to see at one path of the type. A path is field names, "[*]" for the values
// of a map; arrays, choices, references and allOf add no step.
type obligation struct {
	path     []string
	depth    int      // levels above it, counted as the renderer does
	required bool     // at least one place requires it
	texts    []string // descriptions, to stand at the field or inside it
	tags     []string // names
	literals []string // enum and const values as they are written
}

// An obliger walks a schema that was decoded by encoding/json, so it shares nothing with the renderer.
type obliger struct {
	root any
	out  map[string]*obligation
}

func obligations(schema json.RawMessage) map[string]*obligation {
	var root any
	d := json.NewDecoder(strings.NewReader(string(schema)))
	d.UseNumber()
	if d.Decode(&root) != nil {
		return nil
	}
	w := obliger{root, map[string]*obligation{}}
	w.walk(root, nil, 0, nil)
	return w.out
}

func (w *obliger) at(path []string, depth int) *obligation {
	key := fmt.Sprintf("%q", path)
	if w.out[key] == nil {
		w.out[key] = &obligation{path: path, depth: depth}
	}
	o := w.out[key]
	o.depth = max(o.depth, depth)
	return o
}

func list(v any) []any          { l, _ := v.([]any); return l }
func dict(v any) map[string]any { m, _ := v.(map[string]any); return m }

// walk follows one schema. within holds the schemas entered without a step, so that circles end.
func (w *obliger) walk(v any, path []string, depth int, within []string) {
	s, ok := v.(map[string]any)
	if !ok || depth > 8 || len(w.out) > 3000 {
		return
	}
	w.note(s, w.at(path, depth))
	if ref, ok := s["$ref"].(string); ok && !slices.Contains(within, ref) {
		if target := w.target(ref); target != nil {
			w.walk(target, path, depth, append(slices.Clone(within), ref))
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		members := list(s[key])
		some := 0
		for _, m := range members {
			t := dict(m)
			if c, has := t["const"]; t["type"] != "null" && (!has || c != nil) {
				some++
			}
		}
		step := 0
		if some > 1 {
			step = 1
		}
		for _, m := range members {
			w.walk(m, path, depth+step, within)
		}
	}
	w.object(s, path, depth)
	w.array(s, path, depth)
}

func (w *obliger) note(s map[string]any, o *obligation) {
	if d, ok := s["description"].(string); ok && strings.TrimSpace(d) != "" {
		o.texts = append(o.texts, d)
	}
	for _, tag := range []string{"default", "minItems", "maxItems", "format", "pattern", "minimum", "maximum", "minLength", "maxLength", "multipleOf", "if", "then", "dependentRequired"} {
		if _, has := s[tag]; has {
			o.tags = append(o.tags, tag)
		}
	}
	if s["deprecated"] == true {
		o.tags = append(o.tags, "deprecated")
	}
	values := list(s["enum"])
	if c, has := s["const"]; has {
		values = []any{c}
	}
	for _, v := range values {
		switch v.(type) {
		case map[string]any, []any:
		default:
			text, _ := json.Marshal(v)
			o.literals = append(o.literals, string(text))
		}
	}
}

// is tells whether the schema's type leaves room for a kind.
func is(s map[string]any, kind string) bool {
	t, has := s["type"]
	return !has || t == kind || slices.Contains(list(t), any(kind))
}

func (w *obliger) object(s map[string]any, path []string, depth int) {
	if !is(s, "object") {
		return
	}
	for name, sub := range dict(s["properties"]) {
		p := append(slices.Clone(path), name)
		o := w.at(p, depth+1)
		o.required = o.required || slices.Contains(list(s["required"]), any(name))
		w.walk(sub, p, depth+1, nil)
	}
	for _, name := range list(s["required"]) {
		if n, ok := name.(string); ok {
			w.at(append(slices.Clone(path), n), depth+1).required = true
		}
	}
	extra := []any{s["additionalProperties"]}
	for _, sub := range dict(s["patternProperties"]) {
		extra = append(extra, sub)
	}
	for _, sub := range extra {
		if dict(sub) != nil {
			w.walk(sub, append(slices.Clone(path), "[*]"), depth+1, nil)
		}
	}
}

func (w *obliger) array(s map[string]any, path []string, depth int) {
	if !is(s, "array") || s["type"] == nil && (s["properties"] != nil || s["required"] != nil) {
		return
	}
	for _, sub := range slices.Concat([]any{s["items"]}, list(s["items"]), list(s["prefixItems"]), []any{s["additionalItems"]}) {
		w.walk(sub, path, depth+1, nil)
	}
}

func (w *obliger) target(ref string) any {
	fragment, local := strings.CutPrefix(ref, "#")
	fragment, err := url.PathUnescape(fragment)
	if !local || err != nil {
		return nil
	}
	if fragment == "" {
		return w.root
	}
	if fragment[0] != '/' {
		return nil // an anchor: left to the examples
	}
	at := w.root
	for _, step := range strings.Split(fragment, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if l := list(at); l != nil {
			if i, err := strconv.Atoi(step); err == nil && i < len(l) {
				at = l[i]
				continue
			}
			return nil
		}
		at = dict(at)[step]
	}
	return at
}
