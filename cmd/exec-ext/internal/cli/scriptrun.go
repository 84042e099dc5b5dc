package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
)

// A scriptRun is one run of one script, and how it is shown and interrupted.
type scriptRun struct {
	program *Program
	out     screen
	live    *live
	timeout time.Duration

	signals atomic.Int32
	stop    atomic.Pointer[func()] // cancels the script; nil while there is none
}

func (r *scriptRun) interrupted() bool { return r.signals.Load() > 0 }

// watch takes signals until ctx ends. The first one cancels the script, so that its result is still shown; before
// there is a script, and from the second one on, everything is ended by giveUp.
func (r *scriptRun) watch(ctx context.Context, giveUp func()) {
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-r.program.Interrupts:
			}
			if stop := r.stop.Load(); r.signals.Add(1) == 1 && stop != nil {
				(*stop)()
			} else {
				giveUp()
			}
		}
	}()
}

// announce prints what the model would be told before it writes a script.
func (r *scriptRun) announce(ctx context.Context, s *refhost.Session) error {
	turn, err := s.TurnPrepare(ctx, hostapi.TurnPrepareParams{SessionID: session, Channel: "available"})
	if err != nil {
		return err
	}
	for _, w := range turn.Warnings {
		fmt.Fprintf(r.program.Stderr, "exec-ext: %s\n", printable(w))
	}
	r.out.section("what the model sees")
	if m := turn.Announcement.Message; m != nil {
		r.out.catalog(m.Text)
	} else {
		r.out.text(fmt.Sprintf("(nothing: %s)", strings.ReplaceAll(turn.Reason, "_", " ")))
	}
	return nil
}

// exec runs the script and shows the summary while it runs.
func (r *scriptRun) exec(ctx context.Context, s *refhost.Session, code string) (hostapi.ExecResult, error) {
	stop := func() {
		s.ExecCancel(hostapi.ExecCancelParams{SessionID: session, RunID: runID, Reason: "interrupted"})
	}
	r.stop.Store(&stop)
	input, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		return hostapi.ExecResult{}, err
	}
	p := hostapi.ExecRunParams{SessionID: session, RunID: runID, Input: input}
	if r.timeout > 0 {
		p.Limits = json.RawMessage(fmt.Sprintf(`{"wallMs":%d}`, r.timeout.Milliseconds()))
	}
	result, err := s.ExecRun(ctx, p)
	if err != nil {
		return result, err
	}
	for _, c := range result.Clamped {
		fmt.Fprintf(r.program.Stderr, "exec-ext: %s\n", clampedText(c))
	}
	r.live.end(result.Summary)
	return result, nil
}

func clampedText(c hostapi.Clamp) string {
	return fmt.Sprintf("%s is %d, the value asked for (%d) is out of bounds", c.Path, c.Effective, c.Requested)
}
