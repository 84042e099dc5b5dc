package serve

import (
	"context"
	"slices"
	"sync"
)

// waitingPerSession is how many runs may stand behind the running one of a session.
const waitingPerSession = 8

// A queue says when a run may start: one at a time and in order in each session, at most max over all of them.
type queue struct {
	mu      sync.Mutex
	max     int                  // slots over all sessions
	used    int                  // slots taken
	lanes   map[string][]*ticket // per session: the head runs or is ready, the others wait
	pending []*ticket            // heads that wait for a slot, oldest first
}

// A ticket is one run's place. Its fields are guarded by the queue's mu.
type ticket struct {
	q       *queue
	session string
	free    bool          // takes no slot: a parent in another session holds one and waits for it
	started chan struct{} // closed when the run may start
	running bool
}

func newQueue() *queue { return &queue{max: 1, lanes: map[string][]*ticket{}} }

func (q *queue) setMax(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.max = n
	q.admit()
}

// enter takes a place; nil if the session's queue is full.
func (q *queue) enter(session string, free bool) *ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	lane := q.lanes[session]
	if len(lane) > waitingPerSession {
		return nil
	}
	t := &ticket{q: q, session: session, free: free, started: make(chan struct{})}
	q.lanes[session] = append(lane, t)
	if free {
		q.clear(lane)
	}
	if len(lane) == 0 {
		q.head(t)
	}
	return t
}

// clear lets the runs of a lane go without a slot: one behind them is waited for by a run that holds a slot, which
// may be the one they would wait for. mu is held.
func (q *queue) clear(lane []*ticket) {
	for i, t := range lane {
		if t.running {
			continue
		}
		t.free = true
		if i == 0 {
			q.pending = slices.DeleteFunc(q.pending, func(o *ticket) bool { return o == t })
			q.start(t)
		}
	}
}

// wait returns nil when the run may start, or ctx's error; leave must follow in both cases.
func (t *ticket) wait(ctx context.Context) error {
	select {
	case <-t.started:
		return nil
	default:
	}
	select {
	case <-t.started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives the place up, whether the run had started or not.
func (t *ticket) leave() {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.running && !t.free {
		q.used--
	}
	lane := q.lanes[t.session]
	wasHead := lane[0] == t
	lane = slices.DeleteFunc(lane, func(o *ticket) bool { return o == t })
	q.pending = slices.DeleteFunc(q.pending, func(o *ticket) bool { return o == t })
	q.lanes[t.session] = lane
	switch {
	case len(lane) == 0:
		delete(q.lanes, t.session)
	case wasHead:
		q.head(lane[0])
	}
	q.admit()
}

// head lets the first of a lane start, or wait for a slot. mu is held.
func (q *queue) head(t *ticket) {
	if t.free {
		q.start(t)
		return
	}
	q.pending = append(q.pending, t)
	q.admit()
}

// admit starts waiting heads while there are slots. mu is held.
func (q *queue) admit() {
	for len(q.pending) > 0 && q.used < q.max {
		t := q.pending[0]
		q.pending = q.pending[1:]
		q.used++
		q.start(t)
	}
}

func (q *queue) start(t *ticket) {
	t.running = true
	close(t.started)
}

// counts says how many runs are running and how many wait.
func (q *queue) counts() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, lane := range q.lanes {
		for _, t := range lane {
			if t.running {
				running++
			} else {
				waiting++
			}
		}
	}
	return running, waiting
}
