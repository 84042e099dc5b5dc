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
	parents   []*run // runs that its parent's id may mean: ids are of a session each; nil once it has ended
	reentrant bool   // an ancestor is a run of its own session, so that it would wait for itself
	ctx       context.Context
	cancel    context.CancelCauseFunc
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
	r := &run{runKey: key, parents: t.find(parentID, key.session)}
	r.reentrant = t.within(r.parents, key.session, map[*run]bool{})
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	if len(t.live) == 0 {
		t.idle = make(chan struct{})
	}
	t.live[key] = r
	return r, true
}

// find looks for the live runs with this id: that of the session, else those of all others. mu is held.
func (t *runTable) find(id, session string) []*run {
	if id == "" {
		return nil
	}
	if r := t.live[runKey{session, id}]; r != nil {
		return []*run{r}
	}
	var found []*run
	for key, r := range t.live {
		if key.id == id {
			found = append(found, r)
		}
	}
	return found
}

// within says whether one of the runs, or of those they may come from, is a live run of the session. mu is held.
func (t *runTable) within(runs []*run, session string, seen map[*run]bool) bool {
	for _, r := range runs {
		if seen[r] || t.live[r.runKey] != r {
			continue
		}
		seen[r] = true
		if r.session == session || t.within(r.parents, session, seen) {
			return true
		}
	}
	return false
}

func (t *runTable) end(r *run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.cancel(nil)
	r.parents = nil
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
