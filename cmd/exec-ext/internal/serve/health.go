package serve

import (
	"context"
	"time"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
	"github.com/exec-ext/exec-ext/sandbox"
)

func (s *server) health(p hostapi.HealthParams) (rpc.Job, error) {
	config := s.config
	return func(ctx context.Context) (any, error) {
		report, err := s.isolation(ctx)
		if err != nil {
			return nil, err
		}
		r := hostapi.HealthResult{
			Version: s.opts.Version, UptimeMs: time.Since(s.started).Milliseconds(), Counters: s.counts.snapshot(),
			Isolation: isolation(report), Checks: []hostapi.Check{},
		}
		r.Runs.Live, r.Runs.Queued = s.queue.counts()
		r.Workers.Spare, r.Workers.Live = s.runner.Workers()
		if p.SelfTest {
			if r.Checks, err = s.selfTest(ctx, config); err != nil {
				return nil, err
			}
		}
		return r, nil
	}, nil
}

// selfTestWall is how long a self-test's script may take.
const selfTestWall = 10 * time.Second

// selfTest runs scripts with known ends through real workers, when no other self-test is running.
func (s *server) selfTest(ctx context.Context, c hostapi.Config) ([]hostapi.Check, error) {
	select {
	case s.testing <- struct{}{}:
		defer func() { <-s.testing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	checks := []struct {
		id, code string
		ok       func(sandbox.Outcome) bool
	}{
		{"script.value", "return [1, 2].map((n) => n * 2)", func(o sandbox.Outcome) bool { return string(o.Value) == "[2,4]" }},
		{"script.error", "throw new Error('x')", func(o sandbox.Outcome) bool { return failedAs(o, sandbox.KindScript) }},
		{"script.no_eval", "return eval('1')", func(o sandbox.Outcome) bool { return failedAs(o, sandbox.KindScript) }},
		{"script.stalled", "await new Promise(() => {})", func(o sandbox.Outcome) bool { return failedAs(o, sandbox.KindStalled) }},
	}
	out := make([]hostapi.Check, 0, len(checks))
	for _, check := range checks {
		o := s.runner.Run(ctx, sandbox.Job{Code: check.code, Limits: sandbox.Limits{
			Wall: selfTestWall, Active: selfTestWall, MemoryBytes: c.Limits.MemoryBytes, LogChars: int(c.Limits.LogChars), FrameBytes: maxMessageBytes,
		}}, noTools{})
		result := hostapi.Check{ID: check.id, Pass: check.ok(o)}
		if !result.Pass && o.Failure != nil {
			result.Detail = string(o.Failure.Kind) + ": " + o.Failure.Message
		}
		out = append(out, result)
	}
	return out, nil
}

func failedAs(o sandbox.Outcome, kind sandbox.Kind) bool {
	return o.Failure != nil && o.Failure.Kind == kind
}

// noTools is the host of a self-test: there is nothing to call.
type noTools struct{}

func (noTools) Names() []string { return nil }

func (noTools) Begin(c sandbox.Call) func(context.Context) sandbox.Reply {
	return refuse(sandbox.CallUnknown, unknownTool(c.Name, nil))
}
