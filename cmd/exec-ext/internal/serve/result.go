package serve

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/sandbox"
)

// warningsShown is how many warnings a result holds, of a run or of turn/prepare; the last of them counts the rest.
const warningsShown = 20

// overlongFail is the value of Config.OverlongResult that makes a value over the limit a failure.
const overlongFail = "fail"

// result puts a report into the wire's form. It is the one place where a result's text is made.
func (r report) result(e *execution) hostapi.ExecResult {
	value := r.value(e.config, e.limits)
	if value.tooLong && e.config.OverlongResult == overlongFail {
		r.kind = kindResultTooLong
		r.outcome.Failure = &sandbox.Failure{Kind: kindResultTooLong, Name: "RangeError", Message: resultTooLong(value.total)}
		r.outcome.Value, value = nil, valueText{}
	}
	status := statusOf(r.kind, r.funnel != nil)
	out := hostapi.ExecResult{
		RunID: e.id, IsError: status != hostapi.StatusCompleted, Status: status, ErrorKind: r.kind,
		Logs: hostapi.Logs(r.outcome.Logs), ReturnValue: value.raw, Calls: []hostapi.CallRecord{}, Clamped: e.clamped,
		Stats: hostapi.Stats{
			WallMs: r.outcome.Stats.Wall.Milliseconds(), ActiveMs: r.outcome.Stats.Active.Milliseconds(),
			QueuedMs: r.queued.Milliseconds(), PeakMemoryBytes: r.outcome.Stats.PeakMemoryBytes,
		},
	}
	if value.tooLong {
		out.Truncated = &hostapi.Truncated{Result: &hostapi.TruncatedResult{ShownChars: units(value.text), TotalChars: value.total}}
	}
	if f := r.outcome.Failure; f != nil {
		out.Error = &hostapi.ExecError{Name: cmp.Or(f.Name, errorName(r.kind)), Message: f.Message, Line: f.Line, Column: f.Column, Frame: f.Frame}
		if reason := e.cancelReason(); f.Kind == sandbox.KindCancelled && reason != "" {
			out.Error.Message += cancelReasonGiven(reason)
		}
	}
	images := r.ledgered(&out)
	out.Warnings = atMost(out.Warnings, warningsShown)
	out.Content = append([]json.RawMessage{textBlock(r.modelText(e.config.ResultFormat, &out, value, images.dropped))}, images.kept...)
	return out
}

// ledgered fills in what the calls left behind and gives the images.
func (r report) ledgered(out *hostapi.ExecResult) (images struct {
	kept    []json.RawMessage
	dropped int
}) {
	state := stateDone
	if out.IsError {
		state = stateFailed
	}
	out.Warnings = slices.Clone(r.outcome.Warnings)
	if r.funnel == nil {
		out.Summary = summary(0, nil, state)
		return images
	}
	f := r.funnel
	out.Calls, out.CallsOmitted = f.ledger.records()
	out.Summary = f.ledger.summary(state)
	out.Warnings = append(out.Warnings, f.taken()...)
	if !out.IsError {
		if lost := f.ledger.named(callInFlight, callCancelled); len(lost) > 0 {
			out.Warnings = append(out.Warnings, callsNotAwaited(lost))
		}
	}
	images.kept, images.dropped = f.images.blocks()
	return images
}

// taken gives the funnel's warnings.
func (f *funnel) taken() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.warnings)
}

// A valueText is a return value as the model reads it.
type valueText struct {
	present bool
	text    string          // cut if tooLong
	raw     json.RawMessage // nil for undefined or if tooLong
	tooLong bool
	total   int // UTF-16 code units of the whole text
}

// value writes the return value as text: a string as it is, any other value as compact JSON.
func (r report) value(c hostapi.Config, l hostapi.Limits) valueText {
	raw := r.outcome.Value
	if raw == nil || r.outcome.Failure != nil {
		return valueText{}
	}
	text := string(raw)
	if raw[0] == '"' {
		text = ""
		if hostapi.Decode(raw, &text) != nil {
			text = string(raw)
		}
	}
	v := valueText{present: true, text: text, raw: raw, total: units(text)}
	if limit := int(l.ResultChars); v.total > limit {
		v.text, v.raw, v.tooLong = clip(text, limit), nil, true
	}
	return v
}

// atMost keeps n of the warnings; where there are more, the last one kept counts the rest.
func atMost(warnings []string, n int) []string {
	if len(warnings) <= n {
		return warnings
	}
	return append(slices.Clone(warnings[:n-1]), moreWarnings(len(warnings)-n+1))
}

func textBlock(text string) json.RawMessage {
	block, err := marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text})
	if err != nil {
		panic("serve: a text block of two strings cannot be marshalled: " + err.Error())
	}
	return block
}

// callSplit sorts the calls of a failed run by what may have changed in the world.
type callSplit struct{ completed, uncertain []nameCount }

func (r report) split() callSplit {
	if r.funnel == nil {
		return callSplit{}
	}
	l := r.funnel.ledger
	return callSplit{completed: l.named(callOK), uncertain: l.named(callInFlight)}
}
