package extkit

import (
	"encoding/json"
	"strings"

	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/hostapi"
)

// A runForm is one script with what must come of it. A member that is not given is not looked at; without status or
// kind the run must complete.
type runForm struct {
	Code      *text           `json:"code"`
	CodeTimes *repeat         `json:"codeTimes"` // in front of code
	Input     json.RawMessage `json:"input"`     // in the place of {code}
	Limits    json.RawMessage `json:"limits"`
	Exec      string          `json:"exec"`
	NoPool    bool            `json:"noPool"`    // the request carries an unavailable pool
	CancelRun *string         `json:"cancelRun"` // exec/cancel with this reason right behind the request

	Status       string          `json:"status"` // "any": it is not looked at
	Kind         string          `json:"kind"`
	Value        json.RawMessage `json:"value"`     // pattern of returnValue
	ValueText    string          `json:"valueText"` // returnValue to the byte
	Text         json.RawMessage `json:"text"`      // pattern of what the model reads
	Logs         json.RawMessage `json:"logs"`      // pattern of logs.text
	Error        json.RawMessage `json:"error"`     // pattern of error.message
	Warnings     json.RawMessage `json:"warnings"`  // pattern of the list
	Result       json.RawMessage `json:"result"`    // pattern of the whole ExecResult
	Calls        *[]string       `json:"calls"`     // that reached the host: name, blank, bytes of the arguments
	MostInFlight json.RawMessage `json:"mostInFlight"`
	WithinMs     int64           `json:"withinMs"`
}

func (f *runForm) input() (json.RawMessage, error) {
	if f.Input != nil || f.Code == nil {
		return f.Input, nil
	}
	code := string(*f.Code)
	if f.CodeTimes != nil {
		code = strings.Repeat(f.CodeTimes.Piece, f.CodeTimes.Times) + code
	}
	return marshal(map[string]string{"code": code})
}

// anyStatus in a form says that result holds the status, if anything does.
const anyStatus = "any"

// runID of a form's run; in its own session it is the only one.
const runID = "run"

// run runs the script of the form and holds the result against it.
func (c *check) run(f *runForm) error {
	input, err := f.input()
	if err != nil {
		return err
	}
	params := hostapi.ExecRunParams{SessionID: c.session(), RunID: runID, Input: input, Limits: f.Limits, Exec: f.Exec}
	if f.NoPool {
		params.Pool = &hostapi.PoolSnapshot{Status: "unavailable", Reason: "no manager in this session"}
	}
	raw, err := marshal(params)
	if err != nil {
		return err
	}
	id, err := c.peer.request(hostapi.MethodExecRun, raw, false)
	if err != nil {
		return c.fail("exec/run: %v", err)
	}
	if f.CancelRun != nil {
		cancel, err := marshal(hostapi.ExecCancelParams{SessionID: c.session(), RunID: runID, Reason: *f.CancelRun})
		if err != nil {
			return err
		}
		if err := c.peer.notify(hostapi.MethodExecCancel, cancel); err != nil {
			return c.fail("exec/cancel: %v", err)
		}
	}
	m, err := c.peer.answer(c.ctx, id)
	if err != nil {
		return c.fail("exec/run: %v", err)
	}
	if m.Error != nil {
		return c.fail("exec/run is answered with the error %s", m.Error)
	}
	return c.holdResult(f, m.Result)
}

// session is the session of a form's requests; the checks that share a process share none.
func (c *check) session() string { return c.vector.ID }

func (c *check) holdResult(f *runForm, raw json.RawMessage) error {
	var r hostapi.ExecResult
	if err := json.Unmarshal(raw, &r); err != nil {
		return c.fail("exec/run: %v", err)
	}
	shown := modelText(r)
	before := len(c.problems)
	c.holdOutcome(f, r)
	if f.ValueText != "" {
		quoted, err := marshal(f.ValueText)
		if err != nil {
			return err
		}
		_ = c.fits("returnValue", json.RawMessage(`{"$json":`+string(quoted)+`}`), r.ReturnValue)
	}
	if f.Value != nil {
		_ = c.fits("returnValue", f.Value, r.ReturnValue)
	}
	_ = c.fitsText("text", f.Text, shown)
	_ = c.fitsText("logs", f.Logs, r.Logs.Text)
	if r.Error != nil {
		_ = c.fitsText("error", f.Error, r.Error.Message)
	}
	if f.Warnings != nil {
		warnings, err := marshal(append([]string{}, r.Warnings...))
		if err != nil {
			return err
		}
		_ = c.fits("warnings", f.Warnings, warnings)
	}
	if f.Result != nil {
		_ = c.fits("ExecResult", f.Result, raw)
	}
	if f.Calls != nil {
		_ = c.calls(*f.Calls)
	}
	if f.MostInFlight != nil {
		most, err := marshal(c.host.mostInFlight())
		if err != nil {
			return err
		}
		_ = c.fits("calls in flight", f.MostInFlight, most)
	}
	if len(c.problems) > before {
		return c.fail("the model read: %s", report.Clip([]byte(shown)))
	}
	return nil
}

func (c *check) holdOutcome(f *runForm, r hostapi.ExecResult) {
	status := f.Status
	if status == "" && f.Kind == "" {
		status = hostapi.StatusCompleted
	}
	if status != "" && status != anyStatus && r.Status != status {
		_ = c.fail("status: want %s, got %s", status, r.Status)
	}
	if f.Kind != "" && r.ErrorKind != f.Kind {
		_ = c.fail("errorKind: want %s, got %q", f.Kind, r.ErrorKind)
	}
	if f.WithinMs > 0 && r.Stats.WallMs > f.WithinMs {
		_ = c.fail("the script ran for %d ms, more than %d", r.Stats.WallMs, f.WithinMs)
	}
}

func modelText(r hostapi.ExecResult) string {
	var b struct{ Text string }
	if len(r.Content) > 0 {
		_ = json.Unmarshal(r.Content[0], &b)
	}
	return b.Text
}
