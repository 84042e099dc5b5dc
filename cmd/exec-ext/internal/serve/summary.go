package serve

import (
	"fmt"
	"strings"

	"github.com/exec-ext/exec-ext/hostapi"
)

// States of a summary.
const (
	stateRunning = "running"
	stateDone    = "done"
	stateFailed  = "failed"
)

// summaryLines is how many calls a summary shows, the latest ones.
const summaryLines = 2

// summary is what a host shows of a run: the number of calls and the names of the latest, at most summaryLines. It
// is no part of the model's context.
func summary(total int, latest []string, state string) hostapi.Summary {
	return hostapi.Summary{Text: summaryText(total, latest, state), Total: total, State: state}
}

func summaryText(total int, latest []string, state string) string {
	if state == stateFailed {
		return "failed"
	}
	var b strings.Builder
	if total > len(latest) {
		b.WriteString("... ")
	}
	fmt.Fprintf(&b, "%d tool call", total)
	if total != 1 {
		b.WriteString("s")
	}
	for _, name := range latest {
		b.WriteString("\n" + clip(name, nameChars))
	}
	return b.String()
}
