// Package announce decides what to declare to the model and what to say to it about the pool. It is pure: the only
// memory is the marker lines in the history it is given.
package announce

import "github.com/exec-ext/exec-ext/catalog"

// Tool is the name under which the pool is declared when it is folded.
const Tool = "Exec"

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

// Prepare decides declaration and announcement from one pool. Same input, same bytes, in any process.
func Prepare(s Situation) Plan {
	mode := decideMode(s)
	plan := Plan{Mode: mode.mode, Reason: mode.reason, Declare: declare(mode.mode, s.Pool)}
	plan.Announcement = decide(look(s, mode)).announcement
	return plan
}

// declare lists what goes into tools[]. Nothing is known of it while the pool is unavailable.
func declare(mode string, pool *catalog.Pool) []string {
	switch {
	case pool == nil:
		return nil
	case mode == modeExec:
		return []string{Tool}
	case mode == modeNone:
		return []string{}
	}
	return append([]string{}, pool.Names()...)
}
