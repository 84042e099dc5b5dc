package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// An entry is one tool and what was made of it. All of it follows from the tool's own bytes, so pools share entries.
type entry struct {
	raw   []byte // the whole tool as the server sent it, our copy
	tool  Tool   // its schemas are parts of raw
	group string

	mu    sync.Mutex
	depth int // of made
	width int // of made
	made  *rendering
}

// A rendering is what a tool comes to in the catalog.
type rendering struct {
	head      string // the description's line as a comment, with its line end; "" without a description
	signature string
	cost      int    // estimated tokens of both, counted once
	params    string // names of the input's fields, one a line
}

// readTool reads a tool as tools/list sent it. An error says why it can't be listed.
func readTool(raw json.RawMessage) (*entry, error) {
	e := &entry{raw: bytes.Clone(raw)}
	src := e.raw
	if !utf8.Valid(src) {
		src = bytes.ToValidUTF8(src, []byte(string(utf8.RuneError)))
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(src), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if dec.PeekKind() != '{' {
		return nil, errors.New("it is no object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("it can't be read: %w", err)
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("it can't be read: %w", err)
		}
		name := key.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("it can't be read: %w", err)
		}
		end := int(dec.InputOffset())
		e.member(name, src[end-len(value):end:end])
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("it can't be read: %w", err)
	}
	if e.tool.Name == "" {
		return nil, errors.New("it has no name")
	}
	e.group = group(e.tool.Name)
	return e, nil
}

func (e *entry) member(name string, value []byte) {
	switch name {
	case "name":
		e.tool.Name = stringOf(value)
	case "description":
		e.tool.Description = stringOf(value)
	case "inputSchema":
		e.tool.InputSchema = value
	case "outputSchema":
		e.tool.OutputSchema = value
	}
}

// stringOf decodes a JSON string; any other value is as absent.
func stringOf(value []byte) string {
	if value[0] != '"' {
		return ""
	}
	s, _ := jsontext.AppendUnquote(nil, value)
	return string(s)
}

// group gives the key by which a name is grouped: what stands between its first two double underscores.
func group(name string) string {
	_, rest, _ := strings.Cut(name, "__")
	key, _, _ := strings.Cut(rest, "__")
	return key
}

// A renderer renders tools one after the other, with the memory of the one before.
type renderer struct {
	read   nodeReader
	shapes shapes
	out    printer
}

// render gives what an entry comes to, made anew only where depth or width differ from the last time.
func (r *renderer) render(e *entry, o Options) *rendering {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.made == nil || e.depth != o.Depth || e.width != o.DescriptionChars {
		e.depth, e.width, e.made = o.Depth, o.DescriptionChars, r.tool(e.tool, o)
	}
	return e.made
}

func (r *renderer) tool(t Tool, o Options) *rendering {
	r.shapes.reset()
	input, names := r.schema(t.InputSchema, o.Depth)
	output, _ := r.schema(t.OutputSchema, o.Depth)
	m := &rendering{
		head:      headline(t.Description, o.DescriptionChars),
		signature: r.out.signature(access(t.Name), input, output),
		params:    strings.Join(names, "\n"),
	}
	m.cost = tokens(units(m.head) + units(m.signature))
	return m
}

// schema gives a schema's shape and the names of its own fields. What is no schema is unknown.
func (r *renderer) schema(raw json.RawMessage, depth int) (*shape, []string) {
	if raw == nil {
		return r.shapes.unknown(), nil
	}
	root, err := r.read.parse(raw)
	if err != nil {
		return r.shapes.unknown(), nil
	}
	var names []string
	for _, m := range root.get("properties").fields() {
		names = append(names, m.key)
	}
	b := builder{shapes: &r.shapes, root: root, limit: depth}
	return b.build(root, 0, 0), names
}

// headline writes the first line of a description, cut to width, as a comment on a line; "" if there is none.
func headline(description string, width int) string {
	line := cut(unclosed(firstLine(description)), width)
	if line == "" {
		return ""
	}
	return "/** " + line + " */\n"
}

// firstLine gives the first line of a text that is not blank, without the blanks around it.
func firstLine(s string) string {
	for len(s) > 0 {
		line := s
		for _, end := range []string{"\n", "\r", "\u2028", "\u2029"} {
			line, _, _ = strings.Cut(line, end)
		}
		if text := strings.TrimSpace(line); text != "" {
			return text
		}
		_, size := utf8.DecodeRuneInString(s[len(line):])
		s = s[len(line)+size:]
	}
	return ""
}
