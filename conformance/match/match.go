// Package match holds a JSON value against a pattern. A pattern is JSON itself: a scalar is equal by value, a list has
// equal length and matches element by element, an object matches if each of its members does, whatever else is there.
// An object whose names all begin with $ is a set of operators, all of which must hold; INTERPRETING.md lists them.
package match

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Vars are values bound by $bind and used by $ref.
type Vars map[string]json.RawMessage

// Fill puts bound values in the place of {"$ref": "name"}, however deep; all other bytes stay as they are.
func (v Vars) Fill(raw json.RawMessage) json.RawMessage {
	out := string(raw)
	for name, value := range v {
		for _, ref := range []string{`{"$ref":%q}`, `{"$ref": %q}`} {
			out = strings.ReplaceAll(out, fmt.Sprintf(ref, name), string(value))
		}
	}
	return json.RawMessage(out)
}

// A Difference is one place where a value does not fit.
type Difference struct {
	Path, Want, Got string
}

// String gives the difference on one line, or on several where the texts have lines.
func (d Difference) String() string {
	if strings.Contains(d.Want, "\n") || strings.Contains(d.Got, "\n") {
		return d.Path + ": " + lines(d.Want, d.Got)
	}
	return fmt.Sprintf("%s: want %s, got %s", d.Path, d.Want, d.Got)
}

// Match compares got, one JSON value, with a pattern. It gives the differences, none if it fits. What it binds goes
// into vars also where something else does not fit. A pattern that is wrong itself is an error.
func Match(pattern, got json.RawMessage, vars Vars) ([]Difference, error) {
	m := &matcher{vars: vars}
	m.value("$", pattern, got)
	return m.found, m.err
}

type matcher struct {
	vars  Vars
	found []Difference
	err   error
}

func (m *matcher) differ(path, want, got string) {
	m.found = append(m.found, Difference{path, want, got})
}

func (m *matcher) wrong(path, format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf("pattern at %s: "+format, append([]any{path}, args...)...)
	}
}

// value compares one value; got is nil if there is none.
func (m *matcher) value(path string, pattern, got json.RawMessage) {
	pattern, got = bytes.TrimSpace(pattern), bytes.TrimSpace(got)
	if len(pattern) == 0 {
		m.wrong(path, "it is empty")
		return
	}
	if ops, ok := operators(pattern); ok {
		for _, name := range slices.Sorted(keys(ops)) {
			m.operator(path, name, ops[name], got)
		}
		return
	}
	if got == nil {
		m.differ(path, short(pattern), "nothing")
		return
	}
	switch pattern[0] {
	case '{':
		m.object(path, pattern, got)
	case '[':
		m.list(path, pattern, got)
	default:
		if !equal(pattern, got) {
			m.differ(path, plain(pattern), plain(got))
		}
	}
}

func (m *matcher) object(path string, pattern, got json.RawMessage) {
	want, err := members(pattern)
	if err != nil {
		m.wrong(path, "%v", err)
		return
	}
	have, err := members(got)
	if err != nil {
		m.differ(path, "an object", short(got))
		return
	}
	for _, name := range slices.Sorted(keys(want)) {
		m.value(path+"."+name, want[name], have[name])
	}
}

func (m *matcher) list(path string, pattern, got json.RawMessage) {
	want, err := elements(pattern)
	if err != nil {
		m.wrong(path, "%v", err)
		return
	}
	have, err := elements(got)
	switch {
	case err != nil:
		m.differ(path, "a list", short(got))
	case len(want) != len(have):
		m.differ(path, fmt.Sprintf("%d elements", len(want)), fmt.Sprintf("%d: %s", len(have), short(got)))
	default:
		for i := range want {
			m.value(fmt.Sprintf("%s[%d]", path, i), want[i], have[i])
		}
	}
}

// operators gives the members of a pattern that is a set of operators.
func operators(pattern json.RawMessage) (map[string]json.RawMessage, bool) {
	if pattern[0] != '{' {
		return nil, false
	}
	ops, err := members(pattern)
	if err != nil || len(ops) == 0 {
		return nil, false
	}
	for name := range ops {
		if !strings.HasPrefix(name, "$") {
			return nil, false
		}
	}
	return ops, true
}

// fits says whether got fits a pattern, binding only if it does.
func (m *matcher) fits(pattern, got json.RawMessage) bool {
	trial := &matcher{vars: Vars{}}
	for k, v := range m.vars {
		trial.vars[k] = v
	}
	trial.value("$", pattern, got)
	if trial.err != nil {
		m.err = trial.err
	}
	if len(trial.found) > 0 || trial.err != nil {
		return false
	}
	for k, v := range trial.vars {
		m.vars[k] = v
	}
	return true
}
