package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/exec-ext/exec-ext/conformance"
)

// Whatever a server lists as its tool: the catalog is the same bytes twice, is text, shows at least one tool, and search
// lists the whole pool.
func FuzzTool(f *testing.F) {
	vectors, err := conformance.Load()
	if err != nil {
		f.Fatal(err)
	}
	found := 0
	for _, v := range vectors {
		var pool struct{ Tools []json.RawMessage }
		if json.Unmarshal(v.Raw, &pool) != nil {
			continue
		}
		for _, tool := range pool.Tools {
			if tool[0] == '{' {
				f.Add([]byte(tool))
				found++
			}
		}
	}
	if found == 0 {
		f.Fatal("the vectors hold no tools")
	}
	options := Options{BudgetTokens: 200, Depth: 8, DescriptionChars: 120}
	f.Fuzz(func(t *testing.T, tool []byte) {
		tools := []json.RawMessage{tool, json.RawMessage(`{"name":"mcp__other__one","inputSchema":{"type":"object"}}`)}
		pool, _ := NewPool(Snapshot{Tools: tools})
		first := pool.Render(options)
		again, _ := NewPool(Snapshot{Tools: tools})
		if second := again.Render(options); second.Text != first.Text {
			t.Fatalf("first\n%s\nthen\n%s", first.Text, second.Text)
		}
		sum := sha256.Sum256([]byte(first.Text))
		if first.Shown < 1 || first.Total != pool.Len() || !utf8.ValidString(first.Text) || first.Digest != hex.EncodeToString(sum[:]) {
			t.Fatalf("%+v", first)
		}
		hits, _, err := pool.Search(nil, options)
		if err != nil || len(hits) != pool.Len() {
			t.Fatalf("%d hits of %d: %v", len(hits), pool.Len(), err)
		}
	})
}
