// Package turns lets a few at a time go, in the order in which they came: the calls of a run, the questions of a host.
package turns

import (
	"context"
	"sync"
)

// A Line is where turns are taken. Its methods, and those of its turns, may be called from any goroutine.
type Line struct {
	mu      sync.Mutex
	free    int     // guarded by mu: how many more may go now
	waiting []*Turn // guarded by mu, in order; those that have left are among them still
}

// A Turn is one place in a line.
type Turn struct {
	line  *Line
	ready chan struct{} // closed when it may go
	left  bool          // guarded by line.mu
}

// NewLine makes a line in which up to atOnce go at a time.
func NewLine(atOnce int) *Line { return &Line{free: atOnce} }

// Join takes the last place; it never blocks. Leave must follow.
func (l *Line) Join() *Turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &Turn{line: l, ready: make(chan struct{})}
	if l.free > 0 {
		l.free--
		close(t.ready)
	} else {
		l.waiting = append(l.waiting, t)
	}
	return t
}

// Wait ends when the turn may go; the error is the context's.
func (t *Turn) Wait(ctx context.Context) error {
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Leave gives the place up, whether it could go or not. Only the first time counts.
func (t *Turn) Leave() {
	l := t.line
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.left {
		return
	}
	t.left = true
	select {
	case <-t.ready:
	default:
		return // it is skipped when its turn comes
	}
	for len(l.waiting) > 0 {
		next := l.waiting[0]
		l.waiting = l.waiting[1:]
		if !next.left {
			close(next.ready)
			return
		}
	}
	l.free++
}
