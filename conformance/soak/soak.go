// Package soak lets many sessions run mixed scripts against one extension for a long time, as a host that errs, is late,
// never answers, talks nonsense, denies and cancels, and looks whether anything is lost or grows.
package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/conformance/proctree"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
	"github.com/rs/zerolog"
)

// Options of a soak.
type Options struct {
	Command  []string // the extension and its arguments
	Duration time.Duration
	Sessions int
	Seed     uint64
	Stderr   io.Writer // of the extension
	Progress io.Writer // gets a line now and then
}

// ErrNoStart is wrapped by errors about the command.
var ErrNoStart = errors.New("the command does not start")

// A soak is one that goes on.
type soak struct {
	Options
	ext   hostapi.Extension
	pid   int
	wire  *ledger
	began time.Time

	mu       sync.Mutex
	problems []string       // guarded by mu
	kinds    map[string]int // runs by kind; guarded by mu
	ends     map[string]int // runs by how they ended; guarded by mu
	samples  []sample       // guarded by mu
}

// maxProblems is how many problems are kept; more say nothing new.
const maxProblems = 20

func (s *soak) blame(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, fmt.Sprintf(format, args...))
	}
}

// Run soaks a command and gives the figures. An error wraps ErrNoStart.
func Run(ctx context.Context, o Options) (*Figures, error) {
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Stderr = o.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoStart, err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoStart, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoStart, err)
	}
	s := &soak{Options: o, pid: cmd.Process.Pid, wire: newLedger(), began: time.Now(), kinds: map[string]int{}, ends: map[string]int{}}
	connected := make(chan *rpc.Conn, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		bind := func(c *rpc.Conn) rpc.Table {
			connected <- c
			return s.table()
		}
		options := rpc.Options{Framing: rpc.FramingNDJSON, Log: zerolog.Nop(), Trace: s.wire.trace}
		if err := rpc.Serve(context.WithoutCancel(ctx), stdout, stdin, options, bind); err != nil {
			s.blame("the connection broke: %v", err)
		}
		stdin.Close()
	}()
	s.ext = hostapi.NewExtension(<-connected)
	if err := s.hello(ctx); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("%w: %w", ErrNoStart, err)
	}
	s.work(ctx)
	s.end(cmd, over)
	return s.figures(), nil
}

// helloTime is how long the extension may take to start.
const helloTime = 30 * time.Second

func (s *soak) hello(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	_, err := s.ext.Initialize(ctx, hostapi.InitializeParams{
		ProtocolVersion: hostapi.ProtocolVersion, ClientInfo: hostapi.Implementation{Name: "soak", Version: "1"},
		Capabilities: hostapi.HostCapabilities{Pool: &struct{}{}, CallTool: &hostapi.CallToolCapability{}, Progress: true},
	})
	return err
}

// work lets the sessions run until the time is over, and samples the memory meanwhile.
func (s *soak) work(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.Duration)
	defer cancel()
	var sessions sync.WaitGroup
	for i := range s.Sessions {
		sessions.Go(func() { s.session(ctx, i) })
	}
	sampling := make(chan struct{})
	go func() {
		defer close(sampling)
		s.sampleUntil(ctx)
	}()
	sessions.Wait()
	<-sampling
}

// session runs one script after the other, now and then two at once, of which the second waits.
func (s *soak) session(ctx context.Context, i int) {
	random := rand.New(rand.NewPCG(s.Seed, uint64(i)))
	id := fmt.Sprintf("session-%d", i)
	for n := 0; ctx.Err() == nil; n += 2 {
		var pair sync.WaitGroup
		plans := []plan{s.plan(random, id, n)}
		if random.IntN(8) == 0 {
			plans = append(plans, s.plan(random, id, n+1))
		}
		for _, p := range plans {
			pair.Go(func() { s.run(p) })
		}
		if random.IntN(10) == 0 {
			s.prepare(ctx, id)
		}
		pair.Wait()
	}
}

func (s *soak) prepare(ctx context.Context, id string) {
	p, err := s.ext.TurnPrepare(ctx, hostapi.TurnPrepareParams{SessionID: id, Channel: "available"})
	if ctx.Err() == nil && (err != nil || p.Mode != "exec" || p.Announcement.Action != "append") {
		s.blame("turn/prepare: mode %q, %v", p.Mode, err)
	}
}

// goodbye is how long the extension may take to end.
const goodbye = 30 * time.Second

// end says goodbye and looks whether anything was left: an answer, a run, a worker, a process.
func (s *soak) end(cmd *exec.Cmd, over <-chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	s.idle(ctx)
	below := proctree.Below(s.pid)
	if err := s.ext.Shutdown(ctx); err != nil {
		s.blame("shutdown: %v", err)
	}
	s.ext.Exit()
	select {
	case <-over:
	case <-ctx.Done():
		s.blame("the extension does not end after exit")
		_ = cmd.Process.Kill()
	}
	if err := cmd.Wait(); err != nil {
		s.blame("the extension: %v", err)
	}
	for _, p := range below {
		for until := time.Now().Add(goodbye); p.Alive(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(until) {
				s.blame("a process that it started is left behind")
				p.Kill()
				break
			}
		}
	}
	lost := s.wire.problems()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(lost[:min(len(lost), maxProblems)], s.problems...)
}

// idle waits until the extension says that nothing runs any more.
func (s *soak) idle(ctx context.Context) {
	for {
		h, err := s.ext.Health(ctx, hostapi.HealthParams{})
		switch {
		case err != nil:
			s.blame("extension/health in the end: %v, runs %+v, workers %+v", err, h.Runs, h.Workers)
			return
		case h.Runs.Live == 0 && h.Runs.Queued == 0 && h.Workers.Live == 0:
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			s.blame("without a run going on: runs %+v, workers %+v", h.Runs, h.Workers)
			return
		}
	}
}
