package match

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// operator applies one operator to got, which is nil if there is no value.
func (m *matcher) operator(path, name string, arg, got json.RawMessage) {
	if name == "$absent" {
		if got != nil {
			m.differ(path, "nothing", short(got))
		}
		return
	}
	apply, ok := map[string]func(string, json.RawMessage, json.RawMessage){
		"$any":      func(string, json.RawMessage, json.RawMessage) {},
		"$type":     m.kind,
		"$contains": m.contains,
		"$lacks":    m.lacks,
		"$match":    m.regexp,
		"$json":     m.spelling,
		"$atLeast":  m.bound,
		"$atMost":   m.bound,
		"$length":   m.length,
		"$oneOf":    m.oneOf,
		"$all":      m.all,
		"$only":     m.only,
		"$each":     m.each,
		"$bind":     m.bind,
		"$ref":      m.ref,
	}[name]
	switch {
	case !ok:
		m.wrong(path, "no operator is called %s", name)
	case got == nil:
		m.differ(path, name+" "+short(arg), "nothing")
	case name == "$atMost":
		m.most(path, arg, got)
	default:
		apply(path, arg, got)
	}
}

func (m *matcher) kind(path string, arg, got json.RawMessage) {
	want := m.text(path, arg)
	have := kindOf(got)
	if have != want && !(want == "number" && have == "integer") {
		m.differ(path, "a value of type "+want, have+" "+short(got))
	}
}

// contains: a text holds all of these, or a list has an element for each pattern.
func (m *matcher) contains(path string, arg, got json.RawMessage) {
	for _, part := range m.parts(path, arg) {
		if !m.holds(part, got) {
			m.differ(path, "something with "+plain(part), plain(got))
		}
	}
}

func (m *matcher) lacks(path string, arg, got json.RawMessage) {
	for _, part := range m.parts(path, arg) {
		if m.holds(part, got) {
			m.differ(path, "nothing with "+plain(part), plain(got))
		}
	}
}

func (m *matcher) holds(part, got json.RawMessage) bool {
	if text, ok := asText(got); ok {
		piece, ok := asText(part)
		return ok && strings.Contains(text, piece)
	}
	list, err := elements(got)
	if err != nil {
		return false
	}
	for _, e := range list {
		if m.fits(part, e) {
			return true
		}
	}
	return false
}

func (m *matcher) regexp(path string, arg, got json.RawMessage) {
	re, err := regexp.Compile(m.text(path, arg))
	if err != nil {
		m.wrong(path, "%v", err)
		return
	}
	if text, ok := asText(got); !ok || !re.MatchString(text) {
		m.differ(path, "a text that matches "+short(arg), plain(got))
	}
}

// spelling compares bytes: order of members and spelling of numbers count, white space between tokens does not.
func (m *matcher) spelling(path string, arg, got json.RawMessage) {
	want := compact(json.RawMessage(m.text(path, arg)))
	if have := compact(got); string(want) != string(have) {
		m.differ(path, "exactly "+short(want), short(have))
	}
}

func (m *matcher) bound(path string, arg, got json.RawMessage) {
	if want, have, ok := numbers(arg, got); !ok || have < want {
		m.differ(path, "at least "+short(arg), short(got))
	}
}

func (m *matcher) most(path string, arg, got json.RawMessage) {
	if want, have, ok := numbers(arg, got); !ok || have > want {
		m.differ(path, "at most "+short(arg), short(got))
	}
}

// length counts UTF-16 code units of a text, elements of a list, members of an object.
func (m *matcher) length(path string, arg, got json.RawMessage) {
	n, ok := size(got)
	if !ok {
		m.differ(path, "something with a length", short(got))
		return
	}
	m.value(path+".length", arg, json.RawMessage(fmt.Sprint(n)))
}

func (m *matcher) oneOf(path string, arg, got json.RawMessage) {
	for _, choice := range m.parts(path, arg) {
		if m.fits(choice, got) {
			return
		}
	}
	m.differ(path, "one of "+short(arg), short(got))
}

func (m *matcher) all(path string, arg, got json.RawMessage) {
	for _, part := range m.parts(path, arg) {
		m.value(path, part, got)
	}
}

// only: an object that matches and has no other members.
func (m *matcher) only(path string, arg, got json.RawMessage) {
	m.object(path, arg, got)
	want, _ := members(arg)
	have, _ := members(got)
	for name := range have {
		if want[name] == nil {
			m.differ(path+"."+name, "nothing", short(have[name]))
		}
	}
}

// each: every element of a list fits.
func (m *matcher) each(path string, arg, got json.RawMessage) {
	list, err := elements(got)
	if err != nil {
		m.differ(path, "a list", short(got))
		return
	}
	for i, e := range list {
		m.value(fmt.Sprintf("%s[%d]", path, i), arg, e)
	}
}

func (m *matcher) bind(path string, arg, got json.RawMessage) {
	m.vars[m.text(path, arg)] = got
}

func (m *matcher) ref(path string, arg, got json.RawMessage) {
	name := m.text(path, arg)
	bound, ok := m.vars[name]
	switch {
	case !ok:
		m.wrong(path, "nothing is bound to %s", name)
	case string(compact(bound)) != string(compact(got)):
		m.differ(path, short(bound)+" as before", short(got))
	}
}

func (m *matcher) text(path string, arg json.RawMessage) string {
	s, ok := asText(arg)
	if !ok {
		m.wrong(path, "%s is no text", short(arg))
	}
	return s
}

func (m *matcher) parts(path string, arg json.RawMessage) []json.RawMessage {
	list, err := elements(arg)
	if err != nil || len(list) == 0 {
		m.wrong(path, "%s is no list with elements", short(arg))
	}
	return list
}
