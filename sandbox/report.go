package sandbox

import (
	"slices"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// A Report is section 7 of the protocol, as it goes on the wire.
type Report struct {
	Mode       string     `json:"mode"`  // "process"
	Level      string     `json:"level"` // full, partial, process
	Guarantees Guarantees `json:"guarantees"`
	Layers     []Layer    `json:"layers"`
}

// Guarantees, each by self-probe in a worker.
type Guarantees struct {
	Filesystem string `json:"filesystem"` // denied, open
	Network    string `json:"network"`    // denied, open
	Exec       string `json:"exec"`       // denied, open
	Processes  string `json:"processes"`  // denied, open
	Memory     string `json:"memory"`     // hard, watched, open
}

// A Layer is one mechanism of the lock-down.
type Layer struct {
	ID     string `json:"id"`
	Active bool   `json:"active"`
	Proven bool   `json:"proven"`
	Detail string `json:"detail,omitempty"`
}

// newReport joins what the parent does around a worker with what the worker could do to itself.
func newReport(outside []Layer, head wire.ReadyHead) Report {
	rep := Report{Mode: "process", Layers: slices.Clone(outside)}
	for _, l := range head.Layers {
		rep.Layers = append(rep.Layers, Layer(l))
	}
	denied := 0
	guarantee := func(name string) string {
		if head.Guarantees[name] == "denied" {
			denied++
			return "denied"
		}
		return "open"
	}
	rep.Guarantees = Guarantees{
		Filesystem: guarantee("filesystem"),
		Network:    guarantee("network"),
		Exec:       guarantee("exec"),
		Processes:  guarantee("processes"),
		Memory:     "watched",
	}
	if head.Guarantees["memory"] == "hard" {
		rep.Guarantees.Memory = "hard"
	} else if !slices.ContainsFunc(rep.Layers, func(l Layer) bool { return l.ID == "memory_watch" && l.Active }) {
		rep.Guarantees.Memory = "open"
	}
	switch denied {
	case 4:
		rep.Level = "full"
	case 0:
		rep.Level = "process"
	default:
		rep.Level = "partial"
	}
	return rep
}
