package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/exec-ext/exec-ext/announce"
	"github.com/exec-ext/exec-ext/catalog"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
	"github.com/exec-ext/exec-ext/sandbox"
)

// An execution is one Exec call with everything that was fixed when its message was read.
type execution struct {
	*run
	server   *server
	params   hostapi.ExecRunParams
	query    poolQuery
	state    announce.ExecState
	config   hostapi.Config
	limits   hostapi.Limits
	clamped  []hostapi.Clamp
	gate     string // permission mode; "" = the host cannot call
	progress bool   // the host wants exec/progress
	hostMax  int64  // the largest message the host takes, 0 = it did not say
	ticket   *ticket
	queued   time.Time
}

// execRun registers the run on the read loop, so that a cancel right behind it finds it.
func (s *server) execRun(p hostapi.ExecRunParams) (rpc.Job, error) {
	if p.RunID == "" {
		return nil, invalidParams(&hostapi.ShapeError{Path: "$.runId", Expected: "a string that is not empty"})
	}
	q, err := s.query(p.SessionID, p.Pool, purposeRun)
	if err != nil {
		return nil, err
	}
	state, err := execState(p.Exec)
	if err != nil {
		return nil, err
	}
	limits, clamped, err := s.layers.RunLimits(p.Limits)
	if err != nil {
		return nil, invalidParams(err)
	}
	r, ok := s.runs.begin(runKey{p.SessionID, p.RunID}, p.ParentRunID)
	if !ok {
		return nil, wireError(codeDuplicateRun, "duplicate_run", "a run with this runId is live in the session", false)
	}
	e := &execution{
		run: r, server: s, params: p, query: q, state: state, config: s.config, limits: limits, clamped: clamped,
		gate: gate(s.caps), progress: s.caps.Progress, hostMax: s.caps.MaxMessageBytes, queued: time.Now(),
	}
	if !r.reentrant {
		e.ticket = s.queue.enter(p.SessionID, len(r.parents) > 0)
	}
	return e.answer, nil
}

// gate is where the host checks permission.
func gate(c hostapi.HostCapabilities) string {
	switch {
	case c.CallTool == nil:
		return ""
	case c.CallTool.Permission == permissionSeparate:
		return permissionSeparate
	}
	return permissionInFunnel
}

// Values of CallToolCapability.Permission.
const (
	permissionInFunnel = "inFunnel"
	permissionSeparate = "separate"
)

func (s *server) execCancel(p hostapi.ExecCancelParams) (rpc.Job, error) {
	s.runs.cancel(p.SessionID, p.RunID, p.Reason)
	return nil, nil
}

// answer is the whole life of a run after its message was read. The request's own cancel ends the run too.
func (e *execution) answer(ctx context.Context) (any, error) {
	s := e.server
	defer s.runs.end(e.run)
	if e.ticket != nil {
		defer e.ticket.leave()
	}
	defer context.AfterFunc(ctx, func() { e.cancel(cancelled{}) })()
	result := e.perform().result(e)
	s.counts.runs.Add(1)
	if result.IsError {
		s.counts.failed.Add(1)
	}
	s.opts.Log.Info().Str("run", e.id).Str("status", result.Status).Str("errorKind", result.ErrorKind).
		Int("calls", result.Summary.Total).Int64("wallMs", result.Stats.WallMs).Int64("queuedMs", result.Stats.QueuedMs).
		Msg("run ended")
	return result, nil
}

// A report is how a run ended, before it is put into words. funnel is nil if no script started.
type report struct {
	outcome sandbox.Outcome
	kind    string // errorKind; "" = completed
	funnel  *funnel
	queued  time.Duration
}

// perform goes through the gates in order, the cheap ones first, and runs the script.
func (e *execution) perform() report {
	if r, refused := e.refuseEarly(); refused {
		return r
	}
	code, problem := codeOf(e.params.Input, e.limits.CodeBytes)
	if problem != "" {
		return refusal(kindInvalidInput, problem)
	}
	if e.ticket.wait(e.ctx) != nil {
		return e.cancelledReport()
	}
	queued := time.Since(e.queued)
	live, inTime := e.takePool()
	if e.ctx.Err() != nil {
		return e.cancelledReport()
	}
	if !inTime {
		r := refusal(string(sandbox.KindTimeout), textPoolTooLate)
		r.queued, r.outcome.Failure.Name = queued, "TimeoutError"
		return r
	}
	if r, refused := e.refusePool(live); refused {
		return r
	}
	f := newFunnel(e, live.pool)
	outcome := e.server.runner.Run(e.ctx, e.job(code), f)
	f.close()
	r := report{outcome: outcome, funnel: f, queued: queued}
	if outcome.Failure != nil {
		r.kind = f.kindOf(outcome.Failure)
	}
	return r
}

// wall is the wall time of the script.
func (e *execution) wall() time.Duration { return time.Duration(e.limits.WallMs) * time.Millisecond }

// takePool gives the pool, if the host gives it in as much time as the script has: a host that never answers must not
// hold the run's slot for ever.
func (e *execution) takePool() (live livePool, inTime bool) {
	ctx, cancel := context.WithTimeout(e.ctx, e.wall())
	defer cancel()
	live = e.server.pools.get(ctx, e.query)
	return live, ctx.Err() == nil
}

// job is the script with its limits and the names it finds, as data.
func (e *execution) job(code string) sandbox.Job {
	return sandbox.Job{
		Code: code, Namespace: catalog.Namespace, Search: catalog.SearchName, Prefix: catalog.Prefix,
		WebGlobals: e.config.Sandbox.WebGlobals,
		Limits: sandbox.Limits{
			Wall: e.wall(), Active: time.Duration(e.limits.ActiveMs) * time.Millisecond,
			MemoryBytes: e.limits.MemoryBytes, LogChars: int(e.limits.LogChars), FrameBytes: maxMessageBytes,
		},
	}
}

// refuseEarly holds what needs neither a place in the queue nor the pool.
func (e *execution) refuseEarly() (report, bool) {
	switch {
	case e.ctx.Err() != nil:
		return e.cancelledReport(), true
	case e.run.reentrant:
		return refusal(kindReentrant, textReentrant), true
	case e.ticket == nil:
		return refusal(kindOverloaded, textOverloaded), true
	case e.gate == "":
		return refusal(kindNotAvailable, textHostCannotCall), true
	case !e.config.EnableExec.On():
		return refusal(kindNotAvailable, textDisabled), true
	}
	return e.refuseState(announce.StateOf(e.state, nil, e.config.DisallowedTools))
}

func (e *execution) refuseState(state announce.ExecState) (report, bool) {
	switch state {
	case announce.ExecNotRegistered:
		return refusal(kindNotAvailable, textNotRegistered), true
	case announce.ExecDenied:
		return refusal(kindDenied, textExecDenied), true
	case announce.ExecExcluded:
		return refusal(kindNotAvailable, textExcluded), true
	}
	return report{}, false
}

// refusePool holds what the pool decides: there is none, or its rules deny Exec.
func (e *execution) refusePool(live livePool) (report, bool) {
	if r, refused := e.refuseState(announce.StateOf(e.state, live.deny, e.config.DisallowedTools)); refused {
		return r, true
	}
	if live.pool == nil {
		return refusal(kindNoPool, poolUnavailableText(live.reason)), true
	}
	return report{}, false
}

// refusal is a run that never started.
func refusal(kind, message string) report {
	return report{kind: kind, outcome: sandbox.Outcome{Failure: &sandbox.Failure{Kind: sandbox.Kind(kind), Name: "Error", Message: message}}}
}

func (e *execution) cancelledReport() report {
	r := refusal(string(sandbox.KindCancelled), textCancelledBeforeStart)
	r.queued = time.Since(e.queued)
	return r
}

// cancelReason is what the host said when it cancelled, "" if nothing.
func (e *execution) cancelReason() string {
	var c cancelled
	if errors.As(context.Cause(e.ctx), &c) {
		return c.reason
	}
	return ""
}

// codeOf reads the model's raw tool input: {code}, or a bare string which is the code.
func codeOf(input json.RawMessage, limit int64) (code, problem string) {
	raw := bytes.TrimSpace(input)
	if len(raw) > 0 && raw[0] == '"' {
		if hostapi.Decode(raw, &code) != nil {
			return "", textNoCode
		}
	} else {
		var in struct {
			Code *string `json:"code"`
		}
		if len(raw) == 0 || raw[0] != '{' || hostapi.Decode(raw, &in) != nil || in.Code == nil {
			return "", textNoCode
		}
		code = *in.Code
	}
	switch {
	case strings.TrimSpace(code) == "":
		return "", textNoCode
	case int64(len(code)) > limit:
		return "", textCodeTooLong
	}
	return code, ""
}
