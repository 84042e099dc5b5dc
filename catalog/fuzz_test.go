package catalog

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// FuzzSchema renders any bytes as a schema: it never panics, ends, gives the same bytes again, and what it gives reads
// back as one signature with balanced comments.
func FuzzSchema(f *testing.F) {
	seeds := 0
	for _, s := range sample(f) {
		for _, tool := range s.Tools {
			for _, key := range []string{"inputSchema", "outputSchema"} {
				if schema := tool[key]; schema != nil {
					f.Add([]byte(schema), 8)
					seeds++
				}
			}
		}
	}
	if seeds < 50 {
		f.Fatalf("%d seeds", seeds)
	}
	f.Fuzz(func(t *testing.T, schema []byte, depth int) {
		start := time.Now()
		o := Options{BudgetTokens: 1 << 40, Depth: 1 + (depth&0x7fffffff)%32, DescriptionChars: 120}
		var b strings.Builder
		b.WriteString(`{"name":"mcp__f__t","description":"d","inputSchema":`)
		b.Write(schema)
		b.WriteString(`,"outputSchema":`)
		b.Write(schema)
		b.WriteString(`}`)
		raw := json.RawMessage(b.String())
		p, warnings := NewPool(Snapshot{Tools: []json.RawMessage{raw}})
		if p.Len() == 0 {
			if len(warnings) == 0 {
				t.Fatal("a tool went without a word")
			}
			return
		}
		text := p.Render(o).Text
		again, _ := NewPool(Snapshot{Tools: []json.RawMessage{raw}})
		if again.Render(o).Text != text {
			t.Fatal("two texts")
		}
		if name := p.Names()[0]; name == "mcp__f__t" {
			hit, _ := p.Hit(name, o)
			if call, err := parseCall(hit.Signature); err != nil || call.name != name {
				t.Fatalf("%v in\n%s", err, hit.Signature)
			}
		}
		p.Search(json.RawMessage(`{"query":"a"}`), o)
		if d := time.Since(start); d > 20*time.Second {
			t.Fatalf("took %v for %d bytes", d, len(schema))
		}
	})
}

// FuzzSearchInput holds any bytes against the search schema: an error names the shape, a valid input finds a list.
func FuzzSearchInput(f *testing.F) {
	for _, s := range []string{`{}`, `{"query":"a b","server":"gh","limit":1}`, `{"q":1}`, `[]`, `"x"`, `{"limit":1e400}`, `{"query":"\ud800"}`} {
		f.Add([]byte(s))
	}
	p := poolOf(f, toolJSON("mcp__gh__a", "b", `{"type":"object","properties":{"c":{}}}`))
	f.Fuzz(func(t *testing.T, input []byte) {
		hits, note, err := p.Search(input, defaults)
		switch {
		case err != nil && (hits != nil || !strings.Contains(err.Error(), "query?: string")):
			t.Fatalf("%v, %v", hits, err)
		case err == nil && (hits == nil || len(hits) == 0 != (note != "")):
			t.Fatalf("%v, %q", hits, note)
		}
	})
}
