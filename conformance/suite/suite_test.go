package suite

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exec-ext/exec-ext/conformance/report"
)

func TestChoose(t *testing.T) {
	ids := func(o Options, prefix string) []string {
		t.Helper()
		all, err := o.Choose(prefix)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, v := range all {
			out = append(out, v.ID)
		}
		if !slices.IsSorted(out) {
			t.Errorf("not in order: %q", out)
		}
		return out
	}
	all, core := ids(Options{}, "ext."), ids(Options{Level: "core"}, "ext.")
	if len(core) == 0 || len(core) >= len(all) || len(ids(Options{Level: "full"}, "ext.")) != len(all) {
		t.Errorf("%d of %d checks are core", len(core), len(all))
	}
	for _, id := range ids(Options{}, "host.") {
		if !strings.HasPrefix(id, "host.") {
			t.Errorf("%s was chosen", id)
		}
	}
	if got := ids(Options{Case: "ext.lifecycle.ping,ext.script.log?"}, "ext."); !slices.Equal(got, []string{"ext.lifecycle.ping", "ext.script.logs"}) {
		t.Errorf("%q", got)
	}
	for name, o := range map[string]Options{"level": {Level: "best"}, "pattern": {Case: "[a-"}, "nothing": {Case: "ext.no.such"}} {
		if _, err := o.Choose("ext."); !errors.Is(err, ErrUsage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sleepy gives workers whose jobs take so many seconds each.
func sleepy(most, ended *atomic.Int32) func() Worker[int] {
	var at atomic.Int32
	return func() Worker[int] {
		return Worker[int]{
			Do: func(ctx context.Context, seconds int) report.Result {
				most.Store(max(most.Load(), at.Add(1)))
				defer at.Add(-1)
				select {
				case <-time.After(time.Duration(seconds) * time.Second):
				case <-ctx.Done():
				}
				return report.Result{Outcome: report.Fail}
			},
			End: func(context.Context) { ended.Add(1) },
		}
	}
}

// A log is written by one goroutine and read by another.
type log struct {
	mu   sync.Mutex
	text string // guarded by mu
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text += string(b)
	return len(b), nil
}

// A run says how far it is, at once and every five seconds, and does as many jobs at a time as it should.
func TestRunShowsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, out := Options{Command: []string{"x"}, Jobs: 2}, &log{}
		if err := o.Complete(time.Minute); err != nil {
			t.Fatal(err)
		}
		o.Progress = out
		var most, ended atomic.Int32
		results, err := Run(t.Context(), o, []int{4, 4, 4, 4}, sleepy(&most, &ended))
		if err != nil || len(results) != 4 || most.Load() != 2 || ended.Load() != 2 {
			t.Errorf("%d results, %v, %d at a time, %d workers ended", len(results), err, most.Load(), ended.Load())
		}
		if want := "checks to do: 4, 2 at a time\n   5.0 s  2 of 4 checks done, 2 failed\n"; out.text != want {
			t.Errorf("got %q", out.text)
		}
	})
}

// An interrupt begins no further job, lets the workers come to their end, and gives no report.
func TestRunIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		o := Options{Command: []string{"x"}}
		if err := o.Complete(time.Minute); err != nil {
			t.Fatal(err)
		}
		var most, ended atomic.Int32
		results, err := Run(ctx, o, []int{60, 60, 60, 60, 60, 60}, sleepy(&most, &ended))
		if !errors.Is(err, context.DeadlineExceeded) || results != nil || ended.Load() != 2 {
			t.Errorf("%v, %v, %d workers ended", results, err, ended.Load())
		}
	})
}

func TestComplete(t *testing.T) {
	o := Options{Command: []string{"x"}}
	if err := o.Complete(time.Hour); err != nil || o.Jobs != 2 || o.Timeout != time.Hour || o.Progress == nil {
		t.Errorf("%+v, %v", o, err)
	}
	if err := (&Options{}).Complete(time.Hour); !errors.Is(err, ErrUsage) {
		t.Error(err)
	}
}
