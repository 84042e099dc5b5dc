// Package report is what a conformance run says: checks with their results, baselines of known failures, the exit code
// and four ways to write it down.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Exit codes of a conformance command.
const (
	ExitPassed  = 0 // every check passed, or failed as the baseline says
	ExitFailed  = 1 // a check failed
	ExitUsage   = 2 // the command line is wrong
	ExitNoStart = 3 // a file cannot be read or is wrong, the command under test could not be started, or the kit is at fault
)

// A Check is one thing that is looked at. ID and Variant together never change their meaning.
type Check struct {
	ID        string
	Variant   string // such as the framing; "" = there is one only
	Level     string
	Scenarios []string // of the acceptance list
	Title     string
}

// Name is the check's id, with its variant in brackets.
func (c Check) Name() string {
	if c.Variant == "" {
		return c.ID
	}
	return c.ID + " [" + c.Variant + "]"
}

// An Outcome is how a check ended.
type Outcome string

// Outcomes. Known is a failure that the baseline lists.
const (
	Pass  Outcome = "pass"
	Fail  Outcome = "fail"
	Known Outcome = "known"
	Skip  Outcome = "skip"
)

// A Result is the outcome of a check. Detail says what differed, or why it was skipped; it may have several lines.
type Result struct {
	Check
	Outcome Outcome
	Detail  string
	Took    time.Duration
}

// Clip is the beginning of some bytes for a detail, quoted; of what is cut the length is told.
func Clip(b []byte) string {
	const most = 400
	if len(b) > most {
		return fmt.Sprintf("%q... (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}

// A Report is a whole run.
type Report struct {
	Suite   string // "extension" or "host"
	Command []string
	Results []Result
	Notes   []string // about the baseline
}

// Sort puts the results in the order of their ids and variants, whatever order they ended in.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Variant, b.Variant))
	})
}

// Count counts the results with an outcome.
func (r *Report) Count(o Outcome) int {
	n := 0
	for _, res := range r.Results {
		if res.Outcome == o {
			n++
		}
	}
	return n
}

// ExitCode is ExitPassed or ExitFailed.
func (r *Report) ExitCode() int {
	if r.Count(Fail) > 0 {
		return ExitFailed
	}
	return ExitPassed
}
