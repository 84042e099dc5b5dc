// Package announce decides what to declare to the model and what to say to it about the pool. It is pure: the only
// memory is the marker lines in the history it is given.
package announce

import "github.com/exec-ext/exec-ext/catalog"

// ExecState is what the host's own rules say of Exec.
type ExecState string

const (
	ExecOn            ExecState = "on"
	ExecNotRegistered ExecState = "not_registered"
	ExecDenied        ExecState = "denied"
	ExecExcluded      ExecState = "excluded"
)

// A Situation is everything a turn's decision depends on.
type Situation struct {
	HostCanCall bool
	Enabled     bool
	Exec        ExecState
	Pool        *catalog.Pool // nil = unavailable
	Render      catalog.Options
	ChannelOpen bool
	History     []string // texts of meta messages still in the context, oldest first
}

// A Plan is the answer of turn/prepare without the parts that need no decision.
type Plan struct {
	Mode         string   // exec, flat, none
	Reason       string   // as pool_nonempty
	Declare      []string // nil = absent (pool unavailable)
	Announcement Announcement
}

// An Announcement is what to append, if anything.
type Announcement struct {
	Action string // none, append
	Kind   string // full, diff, empty, retired; "" for none
	Text   string // with the marker as its last line
	Marker *Marker
	Reason string
}

// A Marker is the JSON object of the line <!-- mcp-catalog {...} -->.
type Marker struct {
	V         int            `json:"v"`
	Kind      string         `json:"kind"`
	Digest    string         `json:"digest"`
	Base      string         `json:"base,omitempty"`
	Truncated bool           `json:"truncated"`
	Servers   map[string]int `json:"servers"`
}

// Prepare decides declaration and announcement from one pool. Same input, same bytes, in any process.
func Prepare(s Situation) Plan { panic("not built yet") }

// Read finds the markers in a history, oldest first; an unreadable one is left out.
func Read(history []string) []Marker { panic("not built yet") }
