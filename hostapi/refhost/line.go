package refhost

import (
	"context"
	"slices"
	"sync"
)

// A line holds the calls whose permission is not decided yet, in the order in which they came.
type line struct {
	mu      sync.Mutex
	waiting []*turn // guarded by mu; the first one may ask
}

// A turn is one call's place in a line.
type turn struct {
	l     *line
	ready chan struct{} // closed when it is first
}

// join takes the last place. leave must follow.
func (l *line) join() *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &turn{l, make(chan struct{})}
	l.waiting = append(l.waiting, t)
	if len(l.waiting) == 1 {
		close(t.ready)
	}
	return t
}

// wait ends when the turn is first; the error is the context's.
func (t *turn) wait(ctx context.Context) error {
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives the place up. Only the first time counts.
func (t *turn) leave() {
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	at := slices.Index(t.l.waiting, t)
	if at < 0 {
		return
	}
	t.l.waiting = slices.Delete(t.l.waiting, at, at+1)
	if at == 0 && len(t.l.waiting) > 0 {
		close(t.l.waiting[0].ready)
	}
}
