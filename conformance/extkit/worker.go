package extkit

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/wirelog"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

// A worker does one check after the other. Checks that leave nothing behind share a process, each with a session of its
// own; a check that fails ends the process.
type worker struct {
	kit      *kit
	shared   map[rpc.Framing]*shared // at most one for each framing
	problems []string                // with the end of shared processes
}

// A shared process serves many checks.
type shared struct {
	*check // an open connection
	uses   int
}

// sharedUses is how many checks one process serves.
const sharedUses = 30

func newWorker(k *kit) *worker { return &worker{kit: k, shared: map[rpc.Framing]*shared{}} }

// end says goodbye to all shared processes.
func (w *worker) end(ctx context.Context) {
	for framing := range w.shared {
		w.drop(ctx, framing)
	}
}

// drop says goodbye to a shared process.
func (w *worker) drop(ctx context.Context, framing rpc.Framing) {
	c := w.shared[framing]
	delete(w.shared, framing)
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithTimeout(ctx, w.kit.Timeout)
	defer cancel()
	defer c.finish()
	_ = c.check.end()
	c.note()
	w.problems = append(w.problems, c.problems...)
}

// do does one check.
func (w *worker) do(ctx context.Context, j job) report.Result {
	start := time.Now()
	problems, err := w.try(ctx, j)
	if err != nil {
		problems = append(problems, err.Error())
	}
	r := report.Result{Check: j.check, Outcome: report.Pass, Took: time.Since(start)}
	if len(problems) > 0 {
		r.Outcome, r.Detail = report.Fail, strings.Join(problems, "\n")
	}
	return r
}

func (w *worker) try(ctx context.Context, j job) ([]string, error) {
	if !j.vector.shared() {
		c, cancel, err := w.begin(ctx, j)
		if err != nil {
			return nil, err
		}
		defer cancel()
		defer c.finish()
		c.whole()
		return c.problems, nil
	}
	return w.tryShared(ctx, j)
}

// tryShared does a check on the process that the worker keeps.
func (w *worker) tryShared(ctx context.Context, j job) ([]string, error) {
	common, err := w.open(ctx, j.framing)
	if err != nil {
		return nil, err
	}
	limit, cancel := context.WithTimeout(ctx, w.timeout(j))
	defer cancel()
	c, err := w.kit.newCheck(limit, j, common.peer)
	if err != nil {
		return nil, err
	}
	defer c.killAt(limit)()
	wire, err := wirelog.Open(w.kit.KeepWire, j.check.Name())
	if err != nil {
		return nil, err
	}
	defer wire.Close()
	c.peer.wire.Store(wire)
	defer c.peer.wire.Store(nil)
	c.initial = common.initial
	err = c.form()
	if err == nil { // once more there and back, so that what comes too often belongs to this check
		_, err = c.call(hostapi.MethodConfigUpdate, map[string]any{"patch": map[string]any{}})
	}
	if err != nil && !errors.Is(err, errFailed) {
		c.problems = append(c.problems, err.Error())
	}
	c.note()
	if len(c.problems) > 0 {
		c.tellStderr()
		common.finish()
		delete(w.shared, j.framing)
	}
	return c.problems, nil
}

// killAt ends the peer's process when ctx ends, and so whatever waits for it; the function it gives calls that off.
func (c *check) killAt(ctx context.Context) func() bool {
	return context.AfterFunc(ctx, c.peer.process.Stop)
}

// open makes sure that there is a shared process with room for one more check, and gives it.
func (w *worker) open(ctx context.Context, framing rpc.Framing) (*shared, error) {
	if have := w.shared[framing]; have != nil {
		if have.uses++; have.uses <= sharedUses && !have.peer.process.Gone() {
			return have, nil
		}
		w.drop(ctx, framing)
	}
	v := &vector{}
	v.ID = "ext.shared"
	c, cancel, err := w.begin(ctx, job{vector: v, framing: framing})
	if err != nil {
		return nil, err
	}
	defer cancel()
	if err := c.initialize(); err != nil {
		c.finish()
		return nil, errors.New(strings.Join(c.problems, "\n"))
	}
	w.shared[framing] = &shared{check: c, uses: 1}
	return w.shared[framing], nil
}

func (w *worker) timeout(j job) time.Duration {
	if j.vector.TimeoutMs > 0 {
		return time.Duration(j.vector.TimeoutMs) * time.Millisecond
	}
	return w.kit.Timeout
}

// begin starts a process of the check's own. When the time is over the process is killed, which ends whatever waits
// for it.
func (w *worker) begin(ctx context.Context, j job) (*check, context.CancelFunc, error) {
	name := j.check.Name()
	if name == "" {
		name = j.vector.ID
	}
	wire, err := wirelog.Open(w.kit.KeepWire, name)
	if err != nil {
		return nil, nil, err
	}
	p, err := newPeer(w.kit.Command, j.framing, w.kit.schemas, wire)
	if err != nil {
		wire.Close()
		return nil, nil, err
	}
	limit, cancel := context.WithTimeout(ctx, w.timeout(j))
	c, err := w.kit.newCheck(limit, j, p)
	if err != nil {
		cancel()
		p.process.Kill()
		return nil, nil, err
	}
	stop := c.killAt(limit)
	return c, func() { stop(); cancel() }, nil
}

// restart ends the process in order and puts a new one in its place.
func (c *check) restart() error {
	if c.vector.shared() {
		return nil // the sessions part what belongs to the conversations
	}
	if err := c.end(); err != nil {
		return err
	}
	c.note()
	old := c.peer
	p, err := newPeer(c.kit.Command, c.framing, c.kit.schemas, old.wire.Load())
	if err != nil {
		return err
	}
	old.process.Close()
	p.serve(c.host)
	c.peer, c.over, c.initial = p, false, nil
	c.killAt(c.ctx)
	return c.initialize()
}

// whole is a check with a process of its own, from the first byte to the exit code.
func (c *check) whole() {
	var err error
	if c.vector.opens() {
		err = c.initialize()
	}
	if err == nil {
		err = c.form()
	}
	if err != nil && !errors.Is(err, errFailed) {
		c.problems = append(c.problems, err.Error())
	}
	c.note()
	if err == nil {
		_ = c.end()
		c.note()
	}
	if len(c.problems) > 0 {
		c.tellStderr()
	}
}

// form carries the vector's form of test out.
func (c *check) form() error {
	v := c.vector
	switch {
	case v.Run != nil:
		return c.run(v.Run)
	case v.Render != nil:
		return c.render(v.Render)
	case v.Search != nil:
		return c.search(v.Search)
	case v.Turns != nil:
		return c.conversations()
	}
	return c.steps()
}

// finish lets go of the processes.
func (c *check) finish() {
	c.peer.gate.hold(false)
	c.peer.process.Kill()
	if c.standIn != nil {
		c.standIn.Kill()
	}
	c.peer.wire.Load().Close()
}

// tellStderr adds the end of stderr to the problems, for a person.
func (c *check) tellStderr() {
	if text := c.peer.stderr.String(); text != "" {
		const most = 1000
		c.problems = append(c.problems, "stderr ends with: "+text[max(0, len(text)-most):])
	}
}
