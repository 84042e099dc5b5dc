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

	// Reuse, if not nil, is an earlier pool: what it has rendered of tools whose bytes are equal is not rendered
	// again. It changes no answer.
	Reuse *Pool
}

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

// A Hit is one search result, ready for a script.
type Hit struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Signature   string `json:"signature"`
}
