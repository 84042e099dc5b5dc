package conformance

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Piece is bytes that a vector writes: a string as UTF-8, or an object with one of the members.
type Piece struct {
	Text  string  `json:"text"`
	Hex   string  `json:"hex"`   // digits, blanks between them
	Frame *string `json:"frame"` // the text as one message in the framing under test
	Times int     `json:"times"` // so often; 0 = once
}

// UnmarshalJSON reads either form.
func (p *Piece) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &p.Text) == nil {
		return nil
	}
	type plain Piece
	if err := json.Unmarshal(raw, (*plain)(p)); err != nil {
		return errors.New("a piece is a string or an object of text, hex, frame and times")
	}
	return nil
}

// Bytes gives all bytes; frame makes one message of a body.
func (p Piece) Bytes(frame func([]byte) []byte) ([]byte, error) {
	b, err := p.Once(frame)
	if err != nil {
		return nil, err
	}
	return bytes.Repeat(b, max(1, p.Times)), nil
}

// Once gives the bytes that come Times times.
func (p Piece) Once(frame func([]byte) []byte) ([]byte, error) {
	switch {
	case p.Hex != "":
		b, err := hex.DecodeString(strings.ReplaceAll(p.Hex, " ", ""))
		if err != nil {
			return nil, fmt.Errorf("hex: %w", err)
		}
		return b, nil
	case p.Frame != nil:
		return frame([]byte(*p.Frame)), nil
	}
	return []byte(p.Text), nil
}

// Action is what a step does: the one name that is true. None, or several, are an error.
func Action(given map[string]bool) (string, error) {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name] {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return "", errors.New("a step does exactly one thing, not " + strings.Join(found, " and "))
	}
	return found[0], nil
}

// Writes gives what each `write` step of the vector puts on the wire, as far as it is no longer than limit: seeds for
// fuzzing.
func (v Vector) Writes(frame func([]byte) []byte, limit int) ([][]byte, error) {
	var s struct {
		Steps []struct {
			Write []Piece `json:"write"`
		} `json:"steps"`
	}
	if err := json.Unmarshal(v.Raw, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", v.ID, err)
	}
	var out [][]byte
	for _, step := range s.Steps {
		var all []byte
		for _, p := range step.Write {
			b, err := p.Bytes(frame)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.ID, err)
			}
			if all = append(all, b...); len(all) > limit {
				break
			}
		}
		if len(all) > 0 && len(all) <= limit {
			out = append(out, all)
		}
	}
	return out, nil
}

// Strings are all texts that stand in the vector, however deep: seeds for fuzzing.
func (v Vector) Strings() []string {
	var tree any
	if json.Unmarshal(v.Raw, &tree) != nil {
		return nil
	}
	var out []string
	var walk func(x any)
	walk = func(x any) {
		switch x := x.(type) {
		case string:
			out = append(out, x)
		case []any:
			for _, e := range x {
				walk(e)
			}
		case map[string]any:
			for _, e := range x {
				walk(e)
			}
		}
	}
	walk(tree)
	return out
}
