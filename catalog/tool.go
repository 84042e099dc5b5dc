package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// An entry is one tool with what was rendered of it. It depends on the tool's own bytes alone, so pools share it.
type entry struct {
	raw  []byte // the whole tool as the server sent it, our copy
	tool Tool   // its schemas are parts of raw

	mu     sync.Mutex
	depth  int // of made; 0 = nothing made yet
	made   rendering
	folded folded
}

// A rendering is what the schemas of one tool come to at one depth.
type rendering struct {
	signature string
	params    []string // names of the input's fields
}

// readTool reads a tool as tools/list sent it. An error says why it can't be listed: it has no name.
func readTool(raw json.RawMessage) (*entry, error) {
	e := &entry{raw: bytes.Clone(raw)}
	if raw = e.raw; !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte(string(utf8.RuneError)))
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if dec.PeekKind() != '{' {
		return nil, fmt.Errorf("it is no object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("it is no object: %w", err)
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
		e.member(name, raw[end-len(value):end:end])
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("it can't be read: %w", err)
	}
	if e.tool.Name == "" {
		return nil, fmt.Errorf("it has no name")
	}
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

// rendering gives what the schemas come to, made once for a depth.
func (e *entry) rendering(depth int) rendering {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.depth != depth || e.made.signature == "" {
		e.depth, e.made = depth, renderTool(e.tool, depth)
	}
	return e.made
}

func renderTool(t Tool, depth int) rendering {
	input, names := renderSchema(t.InputSchema, depth)
	output, _ := renderSchema(t.OutputSchema, depth)
	return rendering{signature: signature(t.Name, input, output), params: names}
}

// renderSchema gives a schema's shape and the names of its own fields. What is no schema is unknown.
func renderSchema(raw json.RawMessage, depth int) (*shape, []string) {
	if raw == nil {
		return unknown(), nil
	}
	root, err := parse(string(raw))
	if err != nil {
		return unknown(), nil
	}
	var names []string
	for _, m := range root.get("properties").fields() {
		names = append(names, m.key)
	}
	b := builder{root: root, limit: depth}
	return b.build(root, 0, &trail{at: root}), names
}

// block writes the tool's entry in the catalog: the first line of its description, cut to width, and its signature.
func (e *entry) block(o Options) string {
	head := oneLine(unclosed(cut(firstLine(e.tool.Description), o.DescriptionChars)))
	sig := e.rendering(o.Depth).signature
	if head == "" {
		return sig
	}
	return "/** " + head + " */\n" + sig
}

// firstLine gives the first line of a text that is not blank, without the blanks around it.
func firstLine(s string) string {
	for len(s) > 0 {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			i = len(s)
		}
		if line := strings.TrimSpace(s[:i]); line != "" {
			return line
		}
		s = s[min(i+1, len(s)):]
	}
	return ""
}
