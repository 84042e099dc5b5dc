package announce

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fenced finds the blocks of HISTORY.md by language and kind of history.
var fenced = regexp.MustCompile("(?s)```(\\w+) ([\\w-]+)\n(.*?)```")

func documented(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("HISTORY.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, m := range fenced.FindAllStringSubmatch(string(page), -1) {
		blocks[m[1]+" "+m[2]] = m[3]
	}
	if len(blocks) != 6 {
		t.Fatalf("%d examples", len(blocks))
	}
	return blocks
}

// textsWithMarkers collects every string of a JSON document that ends in a marker line, in document order.
func textsWithMarkers(t *testing.T, document string) []string {
	t.Helper()
	var texts []string
	decoder := json.NewDecoder(strings.NewReader(document))
	for {
		token, err := decoder.Token()
		if err != nil {
			break
		}
		if text, ok := token.(string); ok && strings.Contains(text, markerName) {
			if m := Read([]string{text}); len(m) != 1 || !strings.HasSuffix(text, "\n"+m[0].line()) {
				t.Errorf("not an announcement: %q", text)
			}
			texts = append(texts, text)
		}
	}
	return texts
}

func TestTheWorkedExamplesAreHistories(t *testing.T) {
	blocks := documented(t)
	for _, kind := range []string{"openai", "anthropic", "ai-sdk"} {
		document := blocks["json "+kind]
		if !json.Valid([]byte(document)) {
			t.Errorf("%s: not JSON", kind)
		}
		markers := Read(textsWithMarkers(t, document))
		if len(markers) != 2 || markers[0].Kind != kindFull || markers[1].Kind != kindDiff || standsOn(markers) == nil {
			t.Errorf("%s: %v is no full catalog with a difference on it", kind, markers)
		}
	}
}

// Where the places of the examples matter to a provider, they are checked as a provider checks them.
func TestTheWorkedExamplesKeepTheProvidersOrder(t *testing.T) {
	blocks := documented(t)
	var entries []struct {
		Message struct {
			Role      string
			ToolCalls []any `json:"tool_calls"`
		}
	}
	parse(t, blocks["json openai"], &entries)
	for i, e := range entries {
		if len(e.Message.ToolCalls) > 0 && entries[i+1].Message.Role != "tool" {
			t.Errorf("openai: entry %d stands between a call and its answer", i+1)
		}
	}
	var store struct {
		Messages []struct {
			Role    string
			Content []struct{ Type string }
		}
	}
	parse(t, blocks["json anthropic"], &store)
	for i, m := range store.Messages {
		if i > 0 && m.Role == store.Messages[i-1].Role {
			t.Errorf("anthropic: turn %d does not alternate", i)
		}
		for j, block := range m.Content {
			if block.Type == "tool_result" && j > 0 && m.Content[j-1].Type != "tool_result" {
				t.Errorf("anthropic: block %d of turn %d: a result after something else", j, i)
			}
		}
	}
}

func parse(t *testing.T, document string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(document), into); err != nil {
		t.Fatal(err)
	}
}

// The functions of the examples, run by Node on the examples' own stores: they find our texts and no others, and
// append at the end without touching what was there.
func TestTheWorkedExamplesRun(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on this machine")
	}
	blocks := documented(t)
	text := Prepare(normal(poolOf(t, nil, share{"git", 2, ""}))).Announcement.Text
	for _, kind := range []string{"openai", "anthropic", "ai-sdk"} {
		type report struct {
			Before, After, Silent []string
			Kept                  bool
		}
		said, err := json.Marshal(map[string]any{"action": "append", "message": map[string]any{"role": "user", "isMeta": true, "text": text}})
		if err != nil {
			t.Fatal(err)
		}
		script := filepath.Join(t.TempDir(), "example.mjs")
		source := blocks["js "+kind] + `
const store = ` + blocks["json "+kind] + `;
const before = JSON.stringify(store), said = ` + string(said) + `;
const next = append(store, said);
console.log(JSON.stringify({
  before: history(store), after: history(next), silent: history(append(store, { action: "none", reason: "unchanged" })),
  kept: JSON.stringify(store) === before,
}));`
		if err := os.WriteFile(script, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(node, script).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, out)
		}
		var got report
		parse(t, string(out), &got)
		before := textsWithMarkers(t, blocks["json "+kind])
		want := report{Before: before, After: append(slices.Clone(before), text), Silent: before, Kept: true}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}
