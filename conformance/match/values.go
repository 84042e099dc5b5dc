package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strconv"
	"strings"
	"unicode/utf16"
)

func keys(m map[string]json.RawMessage) iter.Seq[string] { return maps.Keys(m) }

func members(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if len(raw) == 0 || raw[0] != '{' {
		return nil, errors.New("no object")
	}
	var out map[string]json.RawMessage
	err := json.Unmarshal(raw, &out)
	return out, err
}

func elements(raw json.RawMessage) ([]json.RawMessage, error) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, errors.New("no list")
	}
	var out []json.RawMessage
	err := json.Unmarshal(raw, &out)
	return out, err
}

func asText(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// equal compares scalars by value.
func equal(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if s, ok := asText(a); ok {
		t, ok := asText(b)
		return ok && s == t
	}
	x, y, ok := numbers(a, b)
	return ok && x == y
}

func numbers(a, b json.RawMessage) (x, y float64, ok bool) {
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	return x, y, errX == nil && errY == nil
}

func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if bytes.ContainsAny(raw, ".eE") {
		return "number"
	}
	return "integer"
}

func size(raw json.RawMessage) (int, bool) {
	if s, ok := asText(raw); ok {
		return len(utf16.Encode([]rune(s))), true
	}
	if list, err := elements(raw); err == nil {
		return len(list), true
	}
	m, err := members(raw)
	return len(m), err == nil
}

// compact drops white space between tokens; what is no JSON stays as it is.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

const shown = 300 // bytes of a value in a difference

// short is a value for a person, cut.
func short(raw json.RawMessage) string {
	s := string(compact(raw))
	if len(s) > shown {
		return strings.ToValidUTF8(s[:shown], "") + fmt.Sprintf("... (%d bytes)", len(s))
	}
	return s
}

// plain is a value for a person; a text with lines is given as it is, so that the lines can be compared.
func plain(raw json.RawMessage) string {
	if s, ok := asText(raw); ok && strings.Contains(s, "\n") {
		return s
	}
	return short(raw)
}

const around = 3 // equal lines shown before and after the first that differ

// lines compares two texts line by line: what is equal at both ends is left out.
func lines(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	start := 0
	for start < len(w) && start < len(g) && w[start] == g[start] {
		start++
	}
	end := 0
	for end < len(w)-start && end < len(g)-start && w[len(w)-1-end] == g[len(g)-1-end] {
		end++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the texts differ from line %d on", start+1)
	write := func(mark string, list []string) {
		const most = 12
		for i, line := range list {
			if i == most {
				fmt.Fprintf(&b, "\n  %s ... %d more lines", mark, len(list)-most)
				return
			}
			b.WriteString("\n  " + mark + " " + line)
		}
	}
	write(" ", w[max(0, start-around):start])
	write("-", w[start:len(w)-end])
	write("+", g[start:len(g)-end])
	write(" ", w[len(w)-end:min(len(w), len(w)-end+around)])
	return b.String()
}
