package extkit

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/exec-ext/exec-ext/conformance/schema"
	"github.com/exec-ext/exec-ext/hostapi"
)

// A watch holds what must be true in every check, whatever it is about. It is called with the peer's lock held.
type watch struct {
	seq     map[string]int64           // of the last progress, by run
	over    map[string]bool            // runs that were answered
	runs    map[string]string          // request ids of exec/run, to runs
	callIDs map[string]map[string]bool // by run
	indexes map[string]map[int]bool    // by run
}

func newWatch() *watch {
	return &watch{
		seq: map[string]int64{}, over: map[string]bool{}, runs: map[string]string{},
		callIDs: map[string]map[string]bool{}, indexes: map[string]map[int]bool{},
	}
}

func runKey(session, run string) string { return session + "\x00" + run }

// host looks at a message of the fake host.
func (w *watch) host(m schema.Message) {
	if m.Method != hostapi.MethodExecRun || m.ID == nil {
		return
	}
	var p hostapi.ExecRunParams
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	key := runKey(p.SessionID, p.RunID)
	w.runs[string(m.ID)] = key
	if w.over[key] { // the same runId again is another run
		delete(w.over, key)
		delete(w.seq, key)
		delete(w.callIDs, key)
		delete(w.indexes, key)
	}
}

// extension looks at a message of the extension and says what is wrong with it.
func (w *watch) extension(m schema.Message, h *host) []string {
	switch {
	case m.Method == hostapi.MethodExecProgress:
		return w.progress(m.Params)
	case m.Method == hostapi.MethodHostCallTool:
		return w.call(m.Params, h)
	case m.Method == hostapi.MethodHostPermission && h != nil && h.setting.Permission != "separate":
		return []string{"host/permission is asked of a host that checks in its funnel"}
	case m.Answers == hostapi.MethodExecRun:
		return w.result(m)
	}
	return nil
}

func (w *watch) progress(params json.RawMessage) []string {
	var p hostapi.ExecProgressParams
	if json.Unmarshal(params, &p) != nil {
		return nil
	}
	key := runKey(p.SessionID, p.RunID)
	last, before := w.seq[key]
	w.seq[key] = p.Seq
	var faults []string
	if before && p.Seq <= last {
		faults = append(faults, fmt.Sprintf("exec/progress of run %s has seq %d after %d", p.RunID, p.Seq, last))
	}
	if w.over[key] {
		faults = append(faults, fmt.Sprintf("exec/progress of run %s after its result", p.RunID))
	}
	return faults
}

func (w *watch) call(params json.RawMessage, h *host) []string {
	var c hostapi.HostCallToolParams
	if json.Unmarshal(params, &c) != nil {
		return nil
	}
	key := runKey(c.SessionID, c.RunID)
	if w.callIDs[key] == nil {
		w.callIDs[key], w.indexes[key] = map[string]bool{}, map[int]bool{}
	}
	var faults []string
	add := func(format string, args ...any) {
		faults = append(faults, fmt.Sprintf("host/callTool %s: ", c.Name)+fmt.Sprintf(format, args...))
	}
	if w.over[key] {
		add("it comes after the result of run %s", c.RunID)
	}
	if c.CallID == "" || w.callIDs[key][c.CallID] {
		add("callId %q is not new", c.CallID)
	}
	if c.Index < 1 || w.indexes[key][c.Index] {
		add("index %d is not new", c.Index)
	}
	if len(c.Arguments) == 0 || c.Arguments[0] != '{' {
		add("arguments %s are no object", c.Arguments)
	}
	w.callIDs[key][c.CallID], w.indexes[key][c.Index] = true, true
	if h == nil {
		return faults
	}
	if h.names != nil && !h.names[c.Name] {
		add("it is not in the pool")
	}
	if wrong := h.spend(c); wrong != "" {
		add("%s", wrong)
	}
	return faults
}

// result holds what an ExecResult says of itself together.
func (w *watch) result(m schema.Message) []string {
	key, known := w.runs[string(m.ID)]
	delete(w.runs, string(m.ID))
	if m.Error != nil { // there was no run
		return nil
	}
	if known {
		w.over[key] = true
	}
	var r hostapi.ExecResult
	if json.Unmarshal(m.Result, &r) != nil {
		return nil
	}
	var faults []string
	hold := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, "ExecResult: "+fmt.Sprintf(format, args...))
		}
	}
	if known {
		_, run, _ := strings.Cut(key, "\x00")
		hold(r.RunID == run, "runId is %q, the request's is %q", r.RunID, run)
	}
	failed := r.Status != hostapi.StatusCompleted
	hold(r.IsError == failed, "isError is %v with status %s", r.IsError, r.Status)
	hold(failed == (r.ErrorKind != ""), "errorKind %q with status %s", r.ErrorKind, r.Status)
	hold(failed == (r.Error != nil && r.Error.Message != ""), "error %v with status %s", r.Error, r.Status)
	hold(kinds()[r.Status] == nil || contains(kinds()[r.Status], r.ErrorKind), "errorKind %q does not belong to status %s", r.ErrorKind, r.Status)
	hold(!failed || r.ReturnValue == nil, "a failed run has a returnValue")
	hold(failed == (r.Summary.State == "failed"), "summary.state is %s with status %s", r.Summary.State, r.Status)
	hold(r.Summary.State != "running", "summary.state is running at the end")
	faults = append(faults, contentFaults(r.Content)...)
	omitted := 0
	for _, n := range r.CallsOmitted {
		omitted += n
	}
	hold(len(r.Calls)+omitted == r.Summary.Total, "summary.total is %d with %d calls", r.Summary.Total, len(r.Calls)+omitted)
	ids := map[string]bool{}
	for _, c := range r.Calls {
		hold(!ids[c.CallID], "callId %s is in calls twice", c.CallID)
		ids[c.CallID] = true
	}
	return faults
}

// kinds are the error kinds of each status.
func kinds() map[string][]string {
	return map[string][]string{
		hostapi.StatusCompleted:      {""},
		hostapi.StatusCodeError:      {"invalid_input", "syntax_error", "script_error", "unserializable", "denied"},
		hostapi.StatusBudgetExceeded: {"tool_call_limit", "memory", "result_too_long"},
		hostapi.StatusTimeout:        {"timeout", "stalled"},
		hostapi.StatusCancelled:      {"cancelled"},
		hostapi.StatusSandboxError:   {"crash", "internal", "host_lost", "overloaded"},
		hostapi.StatusNotAvailable:   {"not_available", "denied", "no_pool", "reentrant"},
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// contentFaults: one text block that is not empty, then images.
func contentFaults(content []json.RawMessage) []string {
	for i, raw := range content {
		var b struct{ Type, Text, Data, MIMEType string }
		if json.Unmarshal(raw, &b) != nil {
			return []string{"ExecResult: a content block is no object"}
		}
		switch {
		case i == 0 && (b.Type != "text" || b.Text == ""):
			return []string{"ExecResult: the first content block is not a text that holds something"}
		case i > 0 && (b.Type != "image" || b.Data == "" || b.MIMEType == ""):
			return []string{"ExecResult: a later content block is no image"}
		}
	}
	if len(content) == 0 {
		return []string{"ExecResult: no content"}
	}
	return nil
}
