package sandbox

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// Run runs one script. Every end is an Outcome; when it returns, the worker is gone and every goroutine of the
// run has ended. Cancelling ctx ends the run as KindCancelled.
func (r *Runner) Run(ctx context.Context, job Job, host Host) Outcome {
	if ctx.Err() != nil {
		return Outcome{Failure: cancelledFailure()}
	}
	if job.Limits.FrameBytes == 0 {
		job.Limits.FrameBytes = frameBytes
	}
	later := time.AfterFunc(refillAfter, r.refill)
	defer func() {
		later.Stop()
		r.refill()
	}()
	for {
		p, err := r.take(ctx, job.Limits.MemoryBytes)
		if err != nil {
			if ctx.Err() != nil {
				return Outcome{Failure: cancelledFailure()}
			}
			r.opts.Log.Error().Err(err).Msg("worker not started")
			return Outcome{Failure: noStartFailure()}
		}
		run := newRun(job, host, p)
		out := run.run(ctx)
		r.release(p)
		if p.idled && !run.started && out.Failure != nil && out.Failure.Kind == KindCrash {
			continue // the spare had died unnoticed, and has seen nothing of the script
		}
		r.note(out, p)
		return out
	}
}

// note logs a failure of the sandbox itself.
func (r *Runner) note(out Outcome, p *process) {
	if f := out.Failure; f != nil && (f.Kind == KindCrash || f.Kind == KindInternal) {
		r.opts.Log.Error().Str("kind", string(f.Kind)).Stringer("state", p.cmd.ProcessState).
			Str("stderr", runtimeLine(p.stderr.String())).Msg("worker failed")
	}
}

// refillAfter is how long a run has the processors to itself before the next spare is started. Most runs have ended
// by then.
const refillAfter = 20 * time.Millisecond

// dyingTime is how long a worker whose stdout is closed may take to be gone.
const dyingTime = 2 * time.Second

// A run is one script in one worker. The goroutine in run reads the worker's frames; whoever decides how the run
// ends (a frame, a clock, the memory watch, the caller) does it by end, once, which kills the worker and so
// ends the reading.
type run struct {
	job     Job
	host    Host
	worker  *process
	out     *outbox
	clock   *clock
	senders sync.WaitGroup // goroutines with something for the worker

	logs     logBook
	logChars int // what the worker says in its last frame
	warnings []string
	lastID   uint32

	mu        sync.Mutex
	started   bool // the script has been written to the worker's stdin
	ended     bool
	outcome   Outcome // how it ended: Value and Failure only
	open      int     // calls begun whose settling has not been written
	openBytes int64   // size of their arguments
	naming    bool    // an answer to Names has not been written
	seen      map[CallErrorKind]bool
}

func newRun(job Job, host Host, p *process) *run {
	return &run{
		job: job, host: host, worker: p, out: &outbox{},
		logs: logBook{limit: job.Limits.LogChars}, seen: map[CallErrorKind]bool{},
	}
}

func (r *run) run(ctx context.Context) Outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.clock = newClock(r.job.Limits, func(f *Failure) { r.end(nil, f) })
	stop := context.AfterFunc(ctx, func() { r.end(nil, cancelledFailure()) })
	r.clock.run()
	r.out.put(r.start())
	r.drain() // a worker that does not read it is ended by the clock
	r.worker.watch.begin(r.job.Limits.MemoryBytes, func() { r.end(nil, memoryFailure()) })

	if err := r.read(ctx); err != nil {
		r.end(nil, crashFailure(textGarbage))
	}
	r.awaitEnd()

	stop()
	wall, active := r.clock.stop()
	peak := r.worker.watch.stop()
	r.worker.end()
	cancel()
	r.out.close()
	r.senders.Wait()

	out := r.outcome
	out.Logs = r.logs.logs(r.logChars)
	out.Warnings = r.warnings
	out.Stats = Stats{Wall: wall, Active: active, PeakMemoryBytes: peak}
	return out
}

// awaitEnd gives a worker that has closed its stdout without a last frame a moment to die by itself, because how
// it dies says why.
func (r *run) awaitEnd() {
	if r.isOver() {
		return
	}
	select {
	case <-r.worker.gone:
		r.end(nil, exitFailure(r.worker))
	case <-time.After(dyingTime):
		r.end(nil, crashFailure(textExited))
	}
}

// end decides how the run ends, if nothing has yet, and kills the worker.
func (r *run) end(value json.RawMessage, f *Failure) {
	r.mu.Lock()
	if !r.ended {
		r.ended = true
		r.clock.stop()
		r.outcome = Outcome{Value: value, Failure: f}
	}
	r.mu.Unlock()
	r.worker.kill()
}

func (r *run) isOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

func (r *run) start() wire.Frame {
	j := r.job
	head, _ := json.Marshal(wire.StartHead{ // strings and numbers always marshal
		Namespace: j.Namespace, Search: j.Search, Prefix: j.Prefix, WebGlobals: j.WebGlobals,
		LogChars: j.Limits.LogChars, MemoryBytes: j.Limits.MemoryBytes, FrameBytes: j.Limits.FrameBytes,
	})
	return wire.Frame{Kind: wire.Start, Head: head, Body: []byte(j.Code)}
}
