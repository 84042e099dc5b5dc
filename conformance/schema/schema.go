// Package schema holds messages against the protocol's JSON Schemas, in both directions: each message by itself, and
// as part of a conversation in which answers belong to requests.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/exec-ext/exec-ext/hostapi"
)

const location = "protocol.schema.json"

// ErrUnknownMethod is given for a method that the protocol does not have in that direction.
var ErrUnknownMethod = errors.New("no such method in this direction")

// A Validator knows the schemas of all params and results. It may be used concurrently.
type Validator struct {
	params map[way]*jsonschema.Schema
	result map[way]*jsonschema.Schema // nil for a notification
}

// A way is a method and who sends it.
type way struct{ from, method string }

// New compiles the schemas that `exec-ext schema` prints.
func New() (*Validator, error) {
	text, err := hostapi.Schemas()
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var doc struct {
		Methods []struct{ Method, From string }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(location, tree); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	v := &Validator{params: map[way]*jsonschema.Schema{}, result: map[way]*jsonschema.Schema{}}
	for i, m := range doc.Methods {
		w := way{m.From, m.Method}
		if v.params[w], err = c.Compile(fmt.Sprintf("%s#/methods/%d/params", location, i)); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", m.Method, err)
		}
		if !hasResult(tree, i) {
			v.result[w] = nil
			continue
		}
		if v.result[w], err = c.Compile(fmt.Sprintf("%s#/methods/%d/result", location, i)); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", m.Method, err)
		}
	}
	return v, nil
}

func hasResult(tree any, i int) bool {
	doc, _ := tree.(map[string]any)
	rows, _ := doc["methods"].([]any)
	row, _ := rows[i].(map[string]any)
	return row["result"] != nil
}

// Params holds the params of a message; raw is nil if there are none. A host that writes null has none either: an
// extension takes it so.
func (v *Validator) Params(from, method string, raw json.RawMessage) error {
	s, ok := v.params[way{from, method}]
	if !ok {
		return ErrUnknownMethod
	}
	if raw == nil || from == hostapi.FromHost && string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	return check(s, raw)
}

// Result holds the result of a request that from sent.
func (v *Validator) Result(from, method string, raw json.RawMessage) error {
	s, ok := v.result[way{from, method}]
	if !ok {
		return ErrUnknownMethod
	}
	if s == nil {
		return errors.New("a notification is not answered")
	}
	return check(s, raw)
}

// IsRequest says whether from's method is answered.
func (v *Validator) IsRequest(from, method string) bool { return v.result[way{from, method}] != nil }

func check(s *jsonschema.Schema, raw json.RawMessage) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	var invalid *jsonschema.ValidationError
	if err = s.Validate(value); errors.As(err, &invalid) {
		return errors.New(leaves(invalid))
	}
	return err
}

// leaves words what is wrong in the end, without the schemas on the way there.
func leaves(e *jsonschema.ValidationError) string {
	if len(e.Causes) == 0 {
		at := "$"
		for _, step := range e.InstanceLocation {
			at += "." + step
		}
		return at + ": " + strings.TrimSpace(strings.TrimPrefix(lastLine(e.Error()), "- "))
	}
	var parts []string
	for _, c := range e.Causes {
		parts = append(parts, leaves(c))
	}
	return strings.Join(parts, "; ")
}

// lastLine is the sentence of a leaf, without the place in front of it.
func lastLine(text string) string {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if _, after, ok := strings.Cut(line, "': "); ok {
		return after
	}
	return line
}
