package refhost

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// leafPrefix begins the flat name of every leaf.
const leafPrefix = "mcp__"

// flatName is the name under which the pool has a tool.
func flatName(server, tool string) string { return leafPrefix + server + "__" + tool }

// flatten puts the flat name in the place of a tool's own and leaves every other byte as it was sent. The error says
// why the tool cannot be used.
func flatten(server string, raw json.RawMessage) (tool, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return tool{}, errors.New("a tool that is not an object")
	}
	own := ""
	start, end := int64(-1), int64(-1)
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return tool{}, err
		}
		isName := key.String() == "name"
		value, err := dec.ReadValue()
		if err != nil {
			return tool{}, err
		}
		if isName { // of two, the last one counts
			end = dec.InputOffset()
			start = end - int64(len(value))
			if err := json.Unmarshal(value, &own); err != nil {
				own = ""
			}
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return tool{}, err
	}
	if own == "" {
		return tool{}, errors.New("a tool without a name")
	}
	t := tool{own: own, flat: flatName(server, own)}
	quoted, err := json.Marshal(t.flat)
	if err != nil {
		return tool{}, err
	}
	t.raw = slices.Concat(raw[:start], quoted, raw[end:])
	return t, nil
}
