package catalog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A server is one file of the sample: what a server lists, and values that its tools take or refuse.
type server struct {
	Server   string
	Tools    []map[string]json.RawMessage
	Examples map[string]struct{ Valid, Invalid []json.RawMessage }
}

// sample reads testdata/servers.
func sample(t testing.TB) []server {
	files, _ := filepath.Glob("testdata/servers/*.json")
	if len(files) < 20 {
		t.Fatalf("%d servers in the sample, want 20 at least", len(files))
	}
	var out []server
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var s server
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		out = append(out, s)
	}
	return out
}

// raw gives the tools with their flat names, as a host sends them.
func (s server) raw() []json.RawMessage {
	var out []json.RawMessage
	for _, t := range s.Tools {
		var b strings.Builder
		name, _ := json.Marshal(s.flat(t))
		b.WriteString(`{"name":` + string(name))
		for _, key := range []string{"description", "inputSchema", "outputSchema"} {
			if v, has := t[key]; has {
				b.WriteString(`,"` + key + `":` + string(v))
			}
		}
		out = append(out, json.RawMessage(b.String()+"}"))
	}
	return out
}

func (s server) flat(tool map[string]json.RawMessage) string {
	var name string
	_ = json.Unmarshal(tool["name"], &name)
	return Prefix + s.Server + "__" + name
}

func (s server) pool(t testing.TB) *Pool {
	p, warnings := NewPool(Snapshot{Tools: s.raw()})
	if len(warnings) > 0 {
		t.Fatal(s.Server, warnings)
	}
	return p
}

// TestS5_1_SampleIsSound holds every signature of the sample, read back by a parser of its own, against the schemas.
func TestS5_1_SampleIsSound(t *testing.T) {
	for _, s := range sample(t) {
		p := s.pool(t)
		for _, tool := range s.Tools {
			name := s.flat(tool)
			hit, ok := p.Hit(name, everything)
			if !ok {
				t.Errorf("%s is not in the pool", name)
				continue
			}
			call, err := parseCall(hit.Signature)
			if err != nil {
				t.Errorf("%s: %v in\n%s", name, err, hit.Signature)
				continue
			}
			if call.name != name {
				t.Errorf("%s: the signature calls %q", name, call.name)
			}
			if tool["outputSchema"] == nil && call.output.word != "unknown" {
				t.Errorf("%s: returns %v without an output schema", name, call.output)
			}
			hold(t, name+" input", tool["inputSchema"], call.input)
			hold(t, name+" output", tool["outputSchema"], call.output)
		}
	}
}

// hold checks a type against what its schema obliges to.
func hold(t *testing.T, where string, schema json.RawMessage, typ *tsType) {
	for _, o := range obligations(schema) {
		found := typ.find(o.path)
		at := where + " " + strings.Join(o.path, ".")
		if len(found) == 0 {
			t.Errorf("%s: no such field", at)
			continue
		}
		if len(o.path) > 0 && o.path[len(o.path)-1] != "[*]" && o.required != slices.ContainsFunc(found, func(f tsField) bool { return !f.optional }) {
			t.Errorf("%s: required is %v in the schema", at, o.required)
		}
		var docs, words []string
		for _, f := range found {
			f.of.gather(&docs, &words)
		}
		said := strings.Join(docs, "\n")
		for _, text := range o.texts {
			if !holdsLines(said, text) {
				t.Errorf("%s: %q is not said in %q", at, text, said)
			}
		}
		for _, tag := range o.tags {
			if !strings.Contains(said, "@"+tag) {
				t.Errorf("%s: no @%s in %q", at, tag, said)
			}
		}
		for _, l := range o.literals {
			if !slices.ContainsFunc(words, func(w string) bool { return sameLiteral(w, l) }) {
				t.Errorf("%s: %s is not among %v", at, l, words)
			}
		}
	}
}

// sameLiteral compares two spellings of a JSON scalar.
func sameLiteral(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && x == y
}

// holdsLines tells whether all lines of a text stand in said, whole and in order.
func holdsLines(said, text string) bool {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "*/", "* /").Replace(text)
	for l := range strings.SplitSeq(text, "\n") {
		_, after, found := strings.Cut(said, strings.TrimSpace(l))
		if !found {
			return false
		}
		said = after
	}
	return true
}

// find gives the fields at a path; arrays, choices and intersections add no step.
func (t *tsType) find(path []string) []tsField {
	if len(path) == 0 {
		return []tsField{{of: t}}
	}
	var out []tsField
	for _, p := range t.parts {
		out = append(out, p.find(path)...)
	}
	if t.rest != nil {
		out = append(out, t.rest.find(path)...)
	}
	for _, f := range t.fields {
		if f.name == path[0] {
			out = append(out, down(f, path[1:])...)
		}
	}
	if t.index != nil && path[0] == "[*]" {
		out = append(out, down(tsField{of: t.index, optional: true}, path[1:])...)
	}
	return out
}

func down(f tsField, path []string) []tsField {
	if len(path) == 0 {
		return []tsField{f}
	}
	return f.of.find(path)
}

// gather collects what is said and which words stand at a place, its items and branches included.
func (t *tsType) gather(docs, words *[]string) {
	*docs = append(*docs, t.doc)
	if t.kind == "word" {
		*words = append(*words, t.word)
	}
	for _, p := range t.parts {
		p.gather(docs, words)
	}
	if t.rest != nil {
		t.rest.gather(docs, words)
	}
}

// TestS5_1_TypesTakeWhatTheSchemaTakes holds hand-made values against the types: those a tool takes fit, those it
// refuses do not.
func TestS5_1_TypesTakeWhatTheSchemaTakes(t *testing.T) {
	valid, invalid := 0, 0
	for _, s := range sample(t) {
		p := s.pool(t)
		for tool, examples := range s.Examples {
			hit, ok := p.Hit(Prefix+s.Server+"__"+tool, everything)
			if !ok {
				t.Fatalf("%s has no tool %s", s.Server, tool)
			}
			call, err := parseCall(hit.Signature)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range examples.Valid {
				if valid++; !call.input.accepts(decode(t, v)) {
					t.Errorf("%s does not take %s:\n%s", hit.Name, v, hit.Signature)
				}
			}
			for _, v := range examples.Invalid {
				if invalid++; call.input.accepts(decode(t, v)) {
					t.Errorf("%s takes %s:\n%s", hit.Name, v, hit.Signature)
				}
			}
		}
	}
	if valid < 40 || invalid < 90 {
		t.Errorf("only %d valid and %d invalid values", valid, invalid)
	}
}

func decode(t *testing.T, raw json.RawMessage) any {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
