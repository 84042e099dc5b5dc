// Package serve is the extension itself: the methods of the protocol over one connection, the run queue, the
// funnel of nested calls and the text of a result.
package serve

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/config"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
	"github.com/exec-ext/exec-ext/sandbox"
)

// Exit codes of Serve.
const (
	ExitOK        = 0
	ExitNoGoodbye = 1  // the host went away without shutdown
	ExitIsolation = 3  // the machine gives less than RequireIsolation
	ExitFraming   = 65 // no further message could be found on the input
)

// Options of one extension. The zero value serves with the defaults.
type Options struct {
	Version          string
	Framing          rpc.Framing      // "" = auto
	RequireIsolation string           // full, partial, process; "" = none
	TryUnproven      bool             // use isolation layers that no run on this platform has proven
	WorkerCommand    func() *exec.Cmd // nil: this binary with the argument "worker"
	Trace            func(dir string, frame []byte)
	Log              zerolog.Logger
}

// Serve speaks protocol version 1 on in and out until the host says exit, goes away, or ctx ends, and returns the
// exit code. When it returns, every worker is gone.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) int {
	runner := sandbox.NewRunner(sandbox.Options{Command: o.WorkerCommand, Spare: 1, TryUnproven: o.TryUnproven, Log: o.Log})
	defer runner.Close()
	if o.RequireIsolation != "" && !isolated(ctx, runner, o) {
		return ExitIsolation
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := newServer(o, runner, ctx.Done(), stop)
	err := rpc.Serve(ctx, in, out, rpc.Options{Framing: o.Framing, Trace: o.Trace, Log: o.Log}, s.bind)
	var framing *rpc.FramingError
	switch {
	case errors.As(err, &framing):
		o.Log.Error().Str("reason", framing.Reason).Msg("input unreadable")
		return ExitFraming
	case err != nil:
		o.Log.Warn().Err(err).Msg("connection lost")
	}
	if s.goodbye.Load() {
		return ExitOK
	}
	return ExitNoGoodbye
}

// isolated says whether the machine gives the level demanded, and logs what it gives if not.
func isolated(ctx context.Context, runner *sandbox.Runner, o Options) bool {
	report, err := runner.Isolation(ctx)
	if err == nil && levelRank(report.Level) >= levelRank(o.RequireIsolation) {
		return true
	}
	o.Log.Error().Err(err).Str("required", o.RequireIsolation).Str("level", report.Level).Msg("isolation below what is required")
	return false
}

func levelRank(level string) int {
	return map[string]int{"process": 1, "partial": 2, "full": 3}[level]
}

// A server is one connection's state.
type server struct {
	opts    Options
	runner  *sandbox.Runner
	stop    context.CancelFunc // ends the connection
	done    <-chan struct{}    // closed when the connection is ending
	started time.Time
	conn    *rpc.Conn // set by bind, before the first message is read
	host    hostapi.Host
	pools   *poolSource
	queue   *queue
	runs    *runTable
	counts  counters
	testing chan struct{} // full while a self-test is running: they take no slot of the queue

	// Touched on the read loop only; jobs get copies.
	phase  phase
	caps   hostapi.HostCapabilities
	layers config.Layers
	config hostapi.Config // effective

	goodbye atomic.Bool // shutdown came before exit
	unready atomic.Bool // initialize found no sandbox, and may be asked again
}

func newServer(o Options, runner *sandbox.Runner, done <-chan struct{}, stop context.CancelFunc) *server {
	return &server{opts: o, runner: runner, stop: stop, done: done, started: time.Now(), queue: newQueue(), runs: newRunTable(), testing: make(chan struct{}, 1)}
}

// bind builds the method table over a live connection.
func (s *server) bind(conn *rpc.Conn) rpc.Table {
	s.conn = conn
	s.host = hostapi.NewHost(conn)
	s.pools = newPoolSource(s.host)
	return s.methods()
}

// counters of the whole process, for extension/health.
type counters struct {
	runs, failed, calls, searches atomic.Int64
}

func (c *counters) snapshot() map[string]int64 {
	return map[string]int64{
		"runs": c.runs.Load(), "failedRuns": c.failed.Load(), "calls": c.calls.Load(), "searches": c.searches.Load(),
	}
}
