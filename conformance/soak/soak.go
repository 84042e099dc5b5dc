// Package soak lets many sessions run mixed scripts against one extension for a long time, as a host that errs, is late,
// never answers, talks nonsense, denies and cancels, and looks whether anything is lost or grows.
package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/conformance/child"
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
	Patience time.Duration // how long a run may take, waiting behind others included; 0 = 2 min, every script ends long before
	Stderr   io.Writer     // of the extension
	Progress io.Writer     // gets a line now and then
}

// ErrNoStart is wrapped by errors about the command.
var ErrNoStart = errors.New("the command does not start")

// A soak is one that goes on.
type soak struct {
	Options
	ext     hostapi.Extension
	process *child.Process
	wire    *ledger
	over    chan struct{} // closed when the connection has ended
	began   time.Time

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
	s, err := start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoStart, err)
	}
	s.work(ctx)
	s.end()
	return s.figures(), nil
}

// start starts the command and says hello.
func start(ctx context.Context, o Options) (*soak, error) {
	if o.Patience == 0 {
		o.Patience = 2 * time.Minute
	}
	process, err := child.Start(o.Command, o.Stderr)
	if err != nil {
		return nil, err
	}
	s := &soak{
		Options: o, process: process, wire: newLedger(), over: make(chan struct{}), began: time.Now(),
		kinds: map[string]int{}, ends: map[string]int{},
	}
	connected := make(chan *rpc.Conn, 1)
	go func() {
		defer close(s.over)
		bind := func(c *rpc.Conn) rpc.Table {
			connected <- c
			return s.table()
		}
		options := rpc.Options{Framing: rpc.FramingNDJSON, Log: zerolog.Nop(), Trace: s.wire.trace}
		if err := rpc.Serve(context.WithoutCancel(ctx), process.Stdout, process.Stdin, options, bind); err != nil {
			s.blame("the connection broke: %v", err)
		}
		process.Stdin.Close()
	}()
	s.ext = hostapi.NewExtension(<-connected)
	if err := s.hello(ctx); err != nil {
		process.Kill()
		return nil, err
	}
	return s, nil
}

// longLimits let no budget end a run, however slow the machine: the kinds of script that are about a budget bring their
// own. A cancel that is lost is seen after Patience, long before.
const longLimits = `{"limits":{"activeMs":600000,"wallMs":3600000}}`

// helloTime is how long the extension may take to start.
const helloTime = 30 * time.Second

func (s *soak) hello(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	_, err := s.ext.Initialize(ctx, hostapi.InitializeParams{
		ProtocolVersion: hostapi.ProtocolVersion, ClientInfo: hostapi.Implementation{Name: "soak", Version: "1"},
		Capabilities: hostapi.HostCapabilities{Pool: &struct{}{}, CallTool: &hostapi.CallToolCapability{}, Progress: true},
		Config:       json.RawMessage(longLimits),
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

// goodbye is how long the extension may take for each thing that it does to end.
const goodbye = 30 * time.Second

// end says goodbye and looks whether anything was left: an answer, a run, a worker, a process.
func (s *soak) end() {
	s.idle()
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	below := proctree.Below(s.process.PID())
	if err := s.ext.Shutdown(ctx); err != nil {
		s.blame("shutdown: %v", err)
	}
	s.ext.Exit()
	if !s.process.Ends(goodbye) {
		s.blame("the extension does not end after exit")
		s.process.Stop()
		<-s.process.Exited
	} else if s.process.Code() != 0 {
		s.blame("the extension: %s", s.process.End())
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
	select {
	case <-s.over: // all that it said was read
	case <-time.After(goodbye):
		s.blame("its stdout stays open when it is gone")
	}
	s.process.Close()
	lost := s.wire.problems()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(lost[:min(len(lost), maxProblems)], s.problems...)
}

// idle waits until the extension says that nothing runs any more: what was given up may have its time, too.
func (s *soak) idle() {
	ctx, cancel := context.WithTimeout(context.Background(), s.Patience)
	defer cancel()
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
