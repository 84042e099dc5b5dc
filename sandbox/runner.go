package sandbox

import (
	"context"
	"errors"
	"os/exec"
	"sync"

	"github.com/rs/zerolog"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// Options of a Runner.
type Options struct {
	Command     func() *exec.Cmd // starts a worker; nil = this binary with the argument "worker"
	Spare       int              // workers kept ready, 0 = none
	TryUnproven bool             // use layers that no run on their platform has proven
	Log         zerolog.Logger
}

// firstMemory is the memory cap of the first spares; later ones have the cap of the run before.
const firstMemory = 256 << 20

// A Runner keeps the spare workers. It is safe for concurrent use; it does not bound how many runs are live.
type Runner struct {
	opts    Options
	spawner *spawner
	workers sync.WaitGroup // processes and the goroutines that start them

	mu          sync.Mutex
	closed      bool
	spare       int        // how many spares are wanted
	spares      []*process // ready and idle, all with the cap spareMemory
	starting    int        // spares on their way
	spareMemory int64
	live        int // processes with a script
	report      *Report
}

var errClosed = errors.New("sandbox: the runner is closed")

// NewRunner starts the spares in the background.
func NewRunner(o Options) *Runner {
	r := &Runner{opts: o, spawner: newSpawner(), spare: o.Spare, spareMemory: firstMemory}
	r.refill()
	return r
}

// Workers counts the live worker processes: spare ones and those with a script.
func (r *Runner) Workers() (spare, live int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.spares), r.live
}

// Isolation starts a worker if needed and reports what the lock-down really gave on this machine.
func (r *Runner) Isolation(ctx context.Context) (Report, error) {
	r.mu.Lock()
	known := r.report
	r.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	p, err := r.start(ctx, firstMemory)
	if err != nil {
		return Report{}, err
	}
	rep := p.report
	r.keep(p)
	return rep, nil
}

// SetSpare changes how many workers are kept ready; those over the number are ended.
func (r *Runner) SetSpare(n int) {
	r.mu.Lock()
	r.spare = n
	for len(r.spares) > n {
		p := r.spares[len(r.spares)-1]
		r.spares = r.spares[:len(r.spares)-1]
		r.workers.Go(p.end)
	}
	r.mu.Unlock()
	r.refill()
}

// Close ends the spares and waits for every worker. It may be called again.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	spares := r.spares
	r.spares = nil
	r.mu.Unlock()
	for _, p := range spares {
		p.end()
	}
	r.workers.Wait()
	r.spawner.close()
}

// take gives an idle worker with this memory cap: a spare, or a new one. The caller owns it and calls release.
func (r *Runner) take(ctx context.Context, memory int64) (*process, error) {
	p := r.takeSpare(memory)
	var err error
	if p == nil {
		p, err = r.start(ctx, memory)
	}
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.live++
	r.mu.Unlock()
	return p, nil
}

// release ends a worker that take gave.
func (r *Runner) release(p *process) {
	p.end()
	r.mu.Lock()
	r.live--
	r.mu.Unlock()
}

// takeSpare gives a living spare with this cap, or nil. Spares with another cap are ended, so that the next ones
// are of the kind that is asked for.
func (r *Runner) takeSpare(memory int64) *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	if memory != r.spareMemory {
		for _, p := range r.spares {
			r.workers.Go(p.end)
		}
		r.spares, r.spareMemory = nil, memory
	}
	for len(r.spares) > 0 {
		p := r.spares[0]
		r.spares = r.spares[1:]
		if !p.ended() {
			return p
		}
	}
	return nil
}

// keep makes a started worker a spare, or ends it where there is no room.
func (r *Runner) keep(p *process) {
	r.mu.Lock()
	room := !r.closed && p.memory == r.spareMemory && len(r.spares) < r.spare
	if room {
		p.idled = true
		r.spares = append(r.spares, p)
	}
	r.mu.Unlock()
	if !room {
		p.end()
	}
}

// refill starts as many spares as are missing, in the background.
func (r *Runner) refill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.closed && len(r.spares)+r.starting < r.spare {
		r.starting++
		memory := r.spareMemory
		r.workers.Go(func() {
			p, err := r.start(context.Background(), memory)
			r.mu.Lock()
			r.starting--
			r.mu.Unlock()
			if err == nil {
				r.keep(p)
			} else if !errors.Is(err, errClosed) {
				r.opts.Log.Error().Err(err).Msg("spare worker not started")
			}
		})
	}
}

// start starts a worker and waits until it is ready.
func (r *Runner) start(ctx context.Context, memory int64) (*process, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, errClosed
	}
	r.workers.Add(1) // under the lock: Close waits only after it has set closed
	r.mu.Unlock()

	p, err := launch(r.spawner, r.opts, wire.Setup{MemoryBytes: memory, TryUnproven: r.opts.TryUnproven}, r.workers.Done)
	if err != nil {
		r.workers.Done()
		return nil, err
	}
	if err := p.awaitReady(ctx); err != nil {
		p.end()
		return nil, err
	}
	r.mu.Lock()
	r.report = &p.report
	r.mu.Unlock()
	return p, nil
}
