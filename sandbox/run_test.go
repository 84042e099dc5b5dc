package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/sandbox"
)

// A testHost answers every call by begin; nil gives null.
type testHost struct {
	begin func(ctx context.Context, c sandbox.Call) sandbox.Reply
	names []string
	begun atomic.Int64
	ended atomic.Int64
}

func (h *testHost) Begin(c sandbox.Call) func(context.Context) sandbox.Reply {
	h.begun.Add(1)
	return func(ctx context.Context) sandbox.Reply {
		defer h.ended.Add(1)
		if h.begin == nil {
			return sandbox.Reply{}
		}
		return h.begin(ctx, c)
	}
}

func (h *testHost) Names() []string { return h.names }

// hang is a call that lasts as long as the run.
func hang(ctx context.Context, _ sandbox.Call) sandbox.Reply {
	<-ctx.Done()
	return sandbox.Reply{Err: &sandbox.CallError{Kind: sandbox.CallAborted, Message: "cancelled"}}
}

// fake runs one act of the fake worker.
func fake(t *testing.T, act string, l sandbox.Limits, h *testHost) sandbox.Outcome {
	t.Helper()
	r := newRunner(t, sandbox.Options{Command: command("fake")})
	out := r.Run(t.Context(), sandbox.Job{Code: act, Limits: l}, h)
	if spare, live := r.Workers(); spare != 0 || live != 0 {
		t.Errorf("after the run: %d spare, %d live workers", spare, live)
	}
	if b, e := h.begun.Load(), h.ended.Load(); b != e {
		t.Errorf("after the run: %d calls begun, %d ended", b, e)
	}
	return out
}

// wantFailure checks kind and a part of the sentence.
func wantFailure(t *testing.T, out sandbox.Outcome, kind sandbox.Kind, part string) {
	t.Helper()
	if out.Failure == nil {
		t.Fatalf("value %s, want a failure of kind %s", out.Value, kind)
	}
	if out.Failure.Kind != kind || !strings.Contains(out.Failure.Message, part) {
		t.Errorf("failure %+v, want kind %s and %q in the message", *out.Failure, kind, part)
	}
	if out.Value != nil {
		t.Errorf("a failed run has the value %s", out.Value)
	}
}

func wantValue(t *testing.T, out sandbox.Outcome, want string) {
	t.Helper()
	if out.Failure != nil {
		t.Fatalf("failure %+v, want the value %s", *out.Failure, want)
	}
	if string(out.Value) != want {
		t.Errorf("value %s, want %s", out.Value, want)
	}
}

func TestValues(t *testing.T) {
	for _, v := range []string{`1`, `null`, `{"b":1,"a":1.0,"b":2}`, `"\ud800"`, ``} {
		wantValue(t, fake(t, "value "+v, limits(), &testHost{}), v)
	}
}

func TestS4_9_EveryEndIsAnOutcome(t *testing.T) {
	deep := strings.Repeat("[", 1001) + strings.Repeat("]", 1001)
	for act, want := range map[string]struct {
		kind sandbox.Kind
		part string
	}{
		"exit 0":         {sandbox.KindCrash, "ended before the script"},
		"exit 3":         {sandbox.KindCrash, "ended before the script"},
		"callexit":       {sandbox.KindCrash, "ended before the script"},
		"signal 9":       {sandbox.KindCrash, "killed from outside"},
		"signal 31":      {sandbox.KindCrash, "Sandbox violation"},
		"signal 6":       {sandbox.KindCrash, "ended before the script"},
		"panic oh":       {sandbox.KindCrash, "ended before the script"},
		"closed":         {sandbox.KindCrash, "ended before the script"},
		"stderrflood":    {sandbox.KindCrash, "ended before the script"},
		"raw nonsense":   {sandbox.KindCrash, "ended before the script"}, // shorter than a frame's header
		"kind z":         {sandbox.KindCrash, "cannot be understood"},
		"kind s":         {sandbox.KindCrash, "cannot be understood"},
		"kind a":         {sandbox.KindCrash, "cannot be understood"}, // settles nothing: only the parent settles
		"kind r":         {sandbox.KindCrash, "cannot be understood"}, // ready again
		"huge":           {sandbox.KindCrash, "cannot be understood"},
		"value {":        {sandbox.KindCrash, "cannot be understood"},
		"value 1 2":      {sandbox.KindCrash, "cannot be understood"},
		"value \"\xff\"": {sandbox.KindCrash, "cannot be understood"},
		"value " + deep:  {sandbox.KindCrash, "cannot be understood"},
		"done [":         {sandbox.KindCrash, "cannot be understood"},
		"failed {":       {sandbox.KindCrash, "cannot be understood"},
		`failed {"kind":"timeout","message":"m"}`:                         {sandbox.KindCrash, "cannot be understood"},
		`failed {"kind":"cancelled","message":"m"}`:                       {sandbox.KindCrash, "cannot be understood"},
		`failed {"kind":"script_error","callKind":"limit","message":"m"}`: {sandbox.KindScript, "m"}, // no call was over a limit
		`failed {"kind":"stalled","message":"m"}`:                         {sandbox.KindStalled, "m"},
		"callraw {":               {sandbox.KindCrash, "cannot be understood"},
		`call []`:                 {sandbox.KindCrash, "cannot be understood"},
		`call 1`:                  {sandbox.KindCrash, "cannot be understood"},
		`call {"a":`:              {sandbox.KindCrash, "cannot be understood"},
		`call {} {}`:              {sandbox.KindCrash, "cannot be understood"},
		`call {"a":` + deep + `}`: {sandbox.KindCrash, "cannot be understood"},
		"callids 1 1":             {sandbox.KindCrash, "cannot be understood"},
		"callids 7 3":             {sandbox.KindCrash, "cannot be understood"},
		"callids 0":               {sandbox.KindCrash, "cannot be understood"},
		"namesflood":              {sandbox.KindCrash, "cannot be understood"},
		"callflood":               {sandbox.KindMemory, "out of memory"},
		"callbig":                 {sandbox.KindMemory, "out of memory"},
		"stderr runtime: out of memory: cannot allocate 6400507904-byte block":                                   {sandbox.KindMemory, "out of memory"},
		"stderr runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort":            {sandbox.KindMemory, "out of memory"},
		"stderr SIGSEGV: segmentation violation\nPC=0x4373dd m=3 sigcode=1":                                      {sandbox.KindMemory, "out of memory"},
		"stderr panic: runtime error: invalid memory address\n[signal SIGSEGV: segmentation violation code=0x1]": {sandbox.KindCrash, "ended before the script"},
		"stderr runtime: goroutine stack exceeds 67108864-byte limit":                                            {sandbox.KindScript, "Stack overflow"},
	} {
		if runtime.GOOS == "windows" && strings.HasPrefix(act, "signal") {
			continue // a process cannot send itself one there
		}
		name, _, _ := strings.Cut(act, "\n")
		t.Run(name[:min(len(name), 40)], func(t *testing.T) {
			wantFailure(t, fake(t, act, limits(), &testHost{begin: hang}), want.kind, want.part)
		})
	}
}

func TestFramesAfterTheLastAreNotRead(t *testing.T) {
	host := &testHost{}
	wantValue(t, fake(t, "twice", limits(), host), "1")
	if n := host.begun.Load(); n != 0 {
		t.Errorf("%d calls begun after the last frame", n)
	}
}

func TestWorkersThatNeverBecomeReady(t *testing.T) {
	for _, how := range []string{"garbage", "notready", "badhead", "exit"} {
		r := newRunner(t, sandbox.Options{Command: command("fake", how), Spare: 1})
		out := r.Run(t.Context(), sandbox.Job{Limits: limits()}, &testHost{})
		wantFailure(t, out, sandbox.KindInternal, "could not be started")
		if _, err := r.Isolation(t.Context()); err == nil {
			t.Errorf("%s: an isolation report without a worker", how)
		}
	}
	t.Run("cancelled while it starts", func(t *testing.T) {
		r := newRunner(t, sandbox.Options{Command: command("fake", "silent")})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		wantFailure(t, r.Run(ctx, sandbox.Job{Limits: limits()}, &testHost{}), sandbox.KindCancelled, "cancelled")
	})
	t.Run("no such program", func(t *testing.T) {
		r := newRunner(t, sandbox.Options{Command: func() *exec.Cmd { return exec.Command("/nonexistent/program") }})
		wantFailure(t, r.Run(t.Context(), sandbox.Job{Limits: limits()}, &testHost{}), sandbox.KindInternal, "could not be started")
	})
}

func TestCallsAndAnswers(t *testing.T) {
	var got sandbox.Call
	host := &testHost{begin: func(_ context.Context, c sandbox.Call) sandbox.Reply {
		got = c
		return sandbox.Reply{Value: json.RawMessage(`{"z":1.0}`)}
	}}
	wantValue(t, fake(t, `call {"b":1.50,"a":2}`, limits(), host), `["a","","{\"z\":1.0}"]`)
	if got.Name != "t" || string(got.Args) != `{"b":1.50,"a":2}` {
		t.Errorf("call %s(%s)", got.Name, got.Args)
	}
	host = &testHost{begin: func(context.Context, sandbox.Call) sandbox.Reply {
		return sandbox.Reply{Value: json.RawMessage(`1`), Err: &sandbox.CallError{Kind: sandbox.CallDenied, Message: "no"}}
	}}
	wantValue(t, fake(t, `call {}`, limits(), host), `["a","{\"kind\":\"denied\",\"message\":\"no\"}",""]`)
	wantValue(t, fake(t, "names", limits(), &testHost{names: []string{"a", "b"}}), `["n","","[\"a\",\"b\"]"]`)
	wantValue(t, fake(t, "names", limits(), &testHost{}), `["n","","[]"]`)
}

func TestS4_8_Cancel(t *testing.T) {
	for _, act := range []string{"spin", "callspin", "deaf", "callids 1 2 3"} {
		t.Run(act, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			host := &testHost{begin: hang}
			if act == "spin" {
				time.AfterFunc(30*time.Millisecond, cancel)
			} else {
				host.begin = func(c context.Context, call sandbox.Call) sandbox.Reply { cancel(); return hang(c, call) }
			}
			r := newRunner(t, sandbox.Options{Command: command("fake")})
			began := time.Now()
			out := r.Run(ctx, sandbox.Job{Code: act, Limits: limits()}, host)
			wantFailure(t, out, sandbox.KindCancelled, "remain in effect")
			if d := time.Since(began); d > 3*time.Second {
				t.Errorf("cancelled after %v", d)
			}
			if b, e := host.begun.Load(), host.ended.Load(); b != e {
				t.Errorf("%d calls begun, %d ended", b, e)
			}
		})
	}
	t.Run("raised on entry", func(t *testing.T) {
		r := newRunner(t, sandbox.Options{Command: func() *exec.Cmd { t.Error("a worker was started"); return command("fake")() }})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		wantFailure(t, r.Run(ctx, sandbox.Job{Code: "value 1", Limits: limits()}, &testHost{}), sandbox.KindCancelled, "cancelled")
	})
}

func TestS4_1_ScriptThatIsNeverRead(t *testing.T) {
	const short = 300 * time.Millisecond
	job := sandbox.Job{Code: strings.Repeat(" ", 1<<20), Limits: limits()} // more than a pipe holds
	job.Limits.Wall, job.Limits.Active = short, time.Minute
	r := newRunner(t, sandbox.Options{Command: command("fake", "unread")})
	wantFailure(t, r.Run(t.Context(), job, &testHost{}), sandbox.KindTimeout, "waiting for tools included")
	job.Limits.Wall = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	wantFailure(t, r.Run(ctx, job, &testHost{}), sandbox.KindCancelled, "cancelled")
}

func TestS4_1_BothClocksKill(t *testing.T) {
	const short = 300 * time.Millisecond
	for _, tc := range []struct {
		act          string
		wall, active time.Duration
		call         func(context.Context, sandbox.Call) sandbox.Reply
		part         string
	}{
		{"spin", short, time.Minute, nil, "waiting for tools included"},
		{"spin", time.Minute, short, nil, "budget for computing"},
		{"callspin", time.Minute, short, nil, "budget for computing"},
		{"deaf", 3 * short, short, hang, "waiting for tools included"}, // in a call the active clock stands still
	} {
		l := limits()
		l.Wall, l.Active = tc.wall, tc.active
		began := time.Now()
		out := fake(t, tc.act, l, &testHost{begin: tc.call})
		wantFailure(t, out, sandbox.KindTimeout, tc.part)
		if d := time.Since(began); d > 2*time.Second+3*short {
			t.Errorf("%s ended after %v", tc.act, d)
		}
	}
}

func TestM4_WaitingIsFreeOfActiveTime(t *testing.T) {
	l := limits()
	l.Active = 200 * time.Millisecond
	host := &testHost{begin: func(ctx context.Context, _ sandbox.Call) sandbox.Reply {
		select { // a tool that takes longer than the script may compute
		case <-time.After(3 * l.Active):
		case <-ctx.Done():
		}
		return sandbox.Reply{}
	}}
	out := fake(t, "call {}", l, host)
	wantValue(t, out, `["a","",""]`)
	if out.Stats.Wall < 3*l.Active || out.Stats.Active > l.Active {
		t.Errorf("stats %+v", out.Stats)
	}
}

func TestM6_MemoryWatch(t *testing.T) {
	l := limits()
	l.MemoryBytes = 64 << 20
	out := fake(t, "grow", l, &testHost{})
	wantFailure(t, out, sandbox.KindMemory, "out of memory")
	if p := out.Stats.PeakMemoryBytes; p < l.MemoryBytes || p > 2*l.MemoryBytes {
		t.Errorf("peak of %d bytes at a limit of %d", p, l.MemoryBytes)
	}
}

func TestS4_5_LogsSurviveAndAreCut(t *testing.T) {
	l := limits()
	l.Wall = 500 * time.Millisecond
	if out := fake(t, "logspin last words", l, &testHost{}); out.Logs.Text != "last words" {
		t.Errorf("after a timeout: logs %+v", out.Logs)
	}
	if out := fake(t, "logkill last words", limits(), &testHost{}); out.Logs.Text != "last words" {
		t.Errorf("after a kill from outside: logs %+v", out.Logs)
	}
	l = limits()
	l.LogChars = 4
	out := fake(t, "log abc𝄞d", l, &testHost{})
	if want := (sandbox.Logs{Text: "abc", Chars: 6, Truncated: true}); out.Logs != want {
		t.Errorf("logs %+v, want %+v", out.Logs, want)
	}
	out = fake(t, "logflood", limits(), &testHost{})
	if n := len(out.Logs.Text); out.Logs.Chars != 1<<30 || !out.Logs.Truncated || n > 3*16000 || n < 16000 {
		t.Errorf("logs of %d bytes, %d characters in all", n, out.Logs.Chars)
	}
	out = fake(t, "warnflood", limits(), &testHost{})
	total := 0
	for _, w := range out.Warnings {
		total += len(w)
	}
	if total > 8<<20 || len(out.Warnings) == 0 {
		t.Errorf("%d warnings of %d bytes", len(out.Warnings), total)
	}
}

func TestADeafWorkerBlocksNobody(t *testing.T) {
	l := limits()
	l.Wall = 500 * time.Millisecond
	host := &testHost{begin: func(context.Context, sandbox.Call) sandbox.Reply {
		return sandbox.Reply{Value: json.RawMessage(`"` + strings.Repeat("x", 8<<20) + `"`)}
	}}
	wantFailure(t, fake(t, "deaf", l, host), sandbox.KindTimeout, "budget")
	l = limits()
	l.MemoryBytes = 64 << 20 // more answers than that are not kept for a worker that takes none
	wantFailure(t, fake(t, "callids 1 2 3 4 5 6 7 8 9 10", l, host), sandbox.KindMemory, "out of memory")
}

func TestCallsLeftInFlightAreCancelled(t *testing.T) {
	var cause error
	host := &testHost{}
	host.begin = func(ctx context.Context, c sandbox.Call) sandbox.Reply {
		r := hang(ctx, c)
		cause = ctx.Err()
		return r
	}
	wantValue(t, fake(t, "callleave", limits(), host), "1")
	if !errors.Is(cause, context.Canceled) {
		t.Errorf("the call in flight ended with %v", cause)
	}
}
