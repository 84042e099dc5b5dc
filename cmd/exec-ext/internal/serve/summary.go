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

// summary is what a host shows of a run: the number of calls and the latest of them. It is no part of the
// model's context.
func summary(entries []*callEntry, state string) hostapi.Summary {
	return hostapi.Summary{Text: summaryText(entries, state), Total: len(entries), State: state}
}

func summaryText(entries []*callEntry, state string) string {
	if state == stateFailed {
		return "failed"
	}
	var b strings.Builder
	if len(entries) > summaryLines {
		b.WriteString("... ")
	}
	fmt.Fprintf(&b, "%d tool call", len(entries))
	if len(entries) != 1 {
		b.WriteString("s")
	}
	for _, e := range entries[max(0, len(entries)-summaryLines):] {
		b.WriteString("\n" + e.name)
	}
	return b.String()
}
