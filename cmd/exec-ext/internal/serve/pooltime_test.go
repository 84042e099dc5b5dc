package serve

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/exec-ext/exec-ext/hostapi"
)

// A slowHost gives its pool after a time, by the clock of the test.
type slowHost struct{ takes time.Duration }

func (h slowHost) Call(ctx context.Context, _ string, _ any) (json.RawMessage, error) {
	select {
	case <-time.After(h.takes):
		return json.RawMessage(`{"status":"ok","tools":[{"name":"mcp__a__b"}]}`), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (slowHost) Notify(string, string, any) {}

// slowServer is an open connection to such a host, with one slot and without a sandbox.
func slowServer(takes time.Duration) *server {
	s := newServer(Options{Log: zerolog.Nop()}, nil, nil, nil)
	s.pools = newPoolSource(hostapi.NewHost(slowHost{takes}))
	s.caps = hostapi.HostCapabilities{Pool: &struct{}{}, CallTool: &hostapi.CallToolCapability{}}
	s.config, _ = s.layers.Effective()
	s.queue.setMax(1)
	return s
}

func TestS4_1_AHostThatNeverGivesItsPoolHoldsTheSlotForTheWallTimeOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slowServer(24 * time.Hour)
		began := time.Now()
		job, err := s.execRun(hostapi.ExecRunParams{SessionID: "s", RunID: "r", Input: json.RawMessage(`"return 1"`), Limits: json.RawMessage(`{"wallMs":90000}`)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := job(t.Context())
		r, ok := got.(hostapi.ExecResult)
		if err != nil || !ok || r.Status != hostapi.StatusTimeout || r.ErrorKind != "timeout" || r.Error.Name != "TimeoutError" || r.Stats.WallMs != 0 {
			t.Errorf("%+v, %v", got, err)
		}
		if !strings.Contains(string(r.Content[0]), textPoolTooLate) {
			t.Errorf("the model reads %s", r.Content)
		}
		if took := time.Since(began); took != 90*time.Second {
			t.Errorf("it took %s", took)
		}
		if running, waiting := s.queue.counts(); running+waiting+s.queue.used != 0 {
			t.Errorf("the slot is not free: %d running, %d waiting, %d used", running, waiting, s.queue.used)
		}
	})
}

// The wall time starts with the script: what a slow host took for its pool is not taken from it.
func TestS4_1_TheWaitForThePoolIsNotTheScripts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slowServer(9 * time.Minute)
		if _, err := s.execRun(hostapi.ExecRunParams{SessionID: "s", RunID: "r"}); err != nil {
			t.Fatal(err)
		}
		q, err := s.query("s", nil, purposeRun)
		if err != nil {
			t.Fatal(err)
		}
		e := &execution{run: s.runs.live[runKey{"s", "r"}], server: s, query: q, config: s.config, limits: s.config.Limits}
		if live, inTime := e.takePool(); live.pool == nil || !inTime {
			t.Errorf("pool %v, in time %t", live.pool, inTime)
		}
		if wall := e.job("return 1").Limits.Wall; wall != 10*time.Minute {
			t.Errorf("the script has %s", wall)
		}
	})
}
