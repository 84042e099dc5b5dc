package announce

import "github.com/exec-ext/exec-ext/catalog"

// ExecState is what the host's own rules say of Exec.
type ExecState string

// The states. The empty one counts as on.
const (
	ExecOn            ExecState = "on"
	ExecNotRegistered ExecState = "not_registered"
	ExecDenied        ExecState = "denied"
	ExecExcluded      ExecState = "excluded"
)

const (
	modeExec = "exec" // the pool is folded into one tool
	modeFlat = "flat" // every tool of the pool is declared by itself
	modeNone = "none" // there is nothing to declare
)

// A modeRow is one line of the declaration's decision table.
type modeRow struct {
	mode   string
	reason string
	when   string // the condition in words
	holds  func(Situation) bool
}

// modeRows is the decision table of the declaration. The first row that holds decides; the last one always does.
func modeRows() []modeRow {
	exec := func(state ExecState) func(Situation) bool {
		return func(s Situation) bool { return s.Exec == state }
	}
	return []modeRow{
		{modeFlat, "host_cannot_call", "the host cannot call tools for a script",
			func(s Situation) bool { return !s.HostCanCall }},
		{modeFlat, "disabled", "enableExec is false", func(s Situation) bool { return !s.Enabled }},
		{modeFlat, "not_registered", "Exec is not registered with the host", exec(ExecNotRegistered)},
		{modeFlat, "denied", "a rule denies Exec", exec(ExecDenied)},
		{modeFlat, "excluded", "Exec is excluded by disallowedTools or by the session's own tool list", exec(ExecExcluded)},
		{modeFlat, reasonUnavailable, "the pool is unavailable", func(s Situation) bool { return s.Pool == nil }},
		{modeNone, "pool_empty", "the pool is empty", func(s Situation) bool { return s.Pool.Len() == 0 }},
		{modeExec, "pool_nonempty", "the pool has tools", func(Situation) bool { return true }},
	}
}

const reasonUnavailable = "pool_unavailable"

func decideMode(s Situation) modeRow {
	for _, row := range modeRows() {
		if row.holds(s) {
			return row
		}
	}
	panic("announce: the last row of the mode table did not hold")
}

// StateOf adds to the host's word on Exec what patterns say of it: deny (of the pool snapshot) makes it denied,
// disallowed (of the config) excluded. Patterns mean here what they mean for every other name, so "Ex*" and "*" hit
// Exec too: a rule that covers its name must not be without effect. Of several states the first in the order of the
// mode table counts.
func StateOf(base ExecState, deny, disallowed []string) ExecState {
	switch {
	case base == ExecNotRegistered:
		return ExecNotRegistered
	case base == ExecDenied || catalog.Denied(Tool, deny):
		return ExecDenied
	case base == ExecExcluded || catalog.Denied(Tool, disallowed):
		return ExecExcluded
	}
	return ExecOn
}
