// Package catalog turns a pool of MCP tools into what a model reads: TypeScript signatures under a token budget,
// and search over the whole pool. It is pure: no process, clock, context or logger.
package catalog

import "encoding/json"

// The search entry's place in the sandbox: tools["$codemode"].search(...).
const (
	Namespace  = "$codemode"
	SearchName = "search"
	Prefix     = "mcp__" // every tool of the pool starts with it in profile mcp
)

// A Tool is one entry of the pool. Schemas are the server's bytes: key order and number spelling kept.
type Tool struct {
	Name         string // the flat name mcp__server__tool
	Description  string
	InputSchema  json.RawMessage // nil if absent
	OutputSchema json.RawMessage // nil if absent
}

// A Snapshot is what the host said, before any rule.
type Snapshot struct {
	Tools []json.RawMessage // as tools/list sent them, name being the flat name
	Deny  []string          // exact names, prefixes ending in "*", or "Exec"
}

// A Pool is the set of tools that exist now: immutable, shared, and made by NewPool only.
type Pool struct{}

// NewPool applies the deny patterns, drops names without Prefix, keeps the first of equal names, and says in
// warnings what it dropped and why. It never fails: a tool with a malformed schema stays, a tool without a usable
// name is dropped.
func NewPool(s Snapshot) (pool *Pool, warnings []string) { panic("not built yet") }

func (p *Pool) Len() int                        { panic("not built yet") }
func (p *Pool) Lookup(name string) (Tool, bool) { panic("not built yet") }

// Names lists the pool in catalog order of groups, then by name.
func (p *Pool) Names() []string { panic("not built yet") }

// Nearest lists at most n names of the pool that a mistyped name may have meant, best first.
func (p *Pool) Nearest(name string, n int) []string { panic("not built yet") }

// Options of a rendering.
type Options struct {
	BudgetTokens     int
	Depth            int
	DescriptionChars int // width of a tool's own description, the three dots of a cut included
}

// A Listing is the catalog as text, without marker line.
type Listing struct {
	Text            string
	Digest          string // hex sha256 of Text
	Truncated       bool
	Shown, Total    int
	Servers         []ServerCount // in catalog order
	EstimatedTokens int           // of Text
}

// ServerCount is one group: Name is the group key ("github").
type ServerCount struct {
	Name  string `json:"name"`
	Total int    `json:"total"`
	Shown int    `json:"shown"`
}

// Render gives the whole catalog within the budget; at least one entry unless the pool is empty. Same pool and
// options, same bytes.
func (p *Pool) Render(o Options) Listing { panic("not built yet") }

// A Hit is one search result, ready for a script.
type Hit struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Signature   string `json:"signature"`
}

// Search validates raw input against the search schema and matches over the whole pool. An error's text names the
// shape wanted. note is "" or a sentence for the model when nothing was found.
func (p *Pool) Search(input json.RawMessage, o Options) (hits []Hit, note string, err error) {
	panic("not built yet")
}
