package serve

import (
	"context"
	"sync"
)

// A runTable knows the live runs: from the moment their message is read until they are answered.
type runTable struct {
	mu   sync.Mutex
	live map[runKey]*run
	idle chan struct{} // closed while no run is live; replaced when one begins
}

type runKey struct{ session, id string }

// A run is one live exec/run.
type run struct {
	runKey
	parent *run // live when this one began
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// cancelled is why a run was cancelled, as far as anyone said.
type cancelled struct{ reason string }

func (c cancelled) Error() string { return c.reason }

func newRunTable() *runTable {
	idle := make(chan struct{})
	close(idle)
	return &runTable{live: map[runKey]*run{}, idle: idle}
}

// begin registers a run; false if one with its key is live.
func (t *runTable) begin(key runKey, parentID string) (*run, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live[key] != nil {
		return nil, false
	}
	r := &run{runKey: key, parent: t.find(parentID, key.session)}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	if len(t.live) == 0 {
		t.idle = make(chan struct{})
	}
	t.live[key] = r
	return r, true
}

// find looks for a parent, first in the run's own session. mu is held.
func (t *runTable) find(id, session string) *run {
	if id == "" {
		return nil
	}
	if r := t.live[runKey{session, id}]; r != nil {
		return r
	}
	for key, r := range t.live {
		if key.id == id {
			return r
		}
	}
	return nil
}

// reentrant says whether an ancestor of the run is a run of its own session: it would wait for itself.
func (r *run) reentrant() bool {
	for a := r.parent; a != nil; a = a.parent {
		if a.session == r.session {
			return true
		}
	}
	return false
}

func (t *runTable) end(r *run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.cancel(nil)
	delete(t.live, r.runKey)
	if len(t.live) == 0 {
		close(t.idle)
	}
}

// cancel ends one run, or every run of the session if id is empty.
func (t *runTable) cancel(session, id, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, r := range t.live {
		if key.session == session && (id == "" || key.id == id) {
			r.cancel(cancelled{reason})
		}
	}
}

func (t *runTable) cancelAll(reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.live {
		r.cancel(cancelled{reason})
	}
}

// wait returns when no run is live or ctx ends.
func (t *runTable) wait(ctx context.Context) {
	t.mu.Lock()
	idle := t.idle
	t.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
