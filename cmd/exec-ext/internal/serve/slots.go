package serve

import (
	"context"
	"sync"
)

// slots bounds how many nested calls of a run are with the host at once; further ones wait in script order.
type slots struct {
	mu      sync.Mutex
	free    int
	waiting []*place
}

// A place is one call's turn.
type place struct {
	s     *slots
	ready chan struct{} // closed when the call may go
	gone  bool          // guarded by s.mu
}

func newSlots(n int) *slots { return &slots{free: n} }

// take fixes the call's turn; it never blocks.
func (s *slots) take() *place {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &place{s: s, ready: make(chan struct{})}
	if s.free > 0 {
		s.free--
		close(p.ready)
	} else {
		s.waiting = append(s.waiting, p)
	}
	return p
}

// wait says whether the call may go; false when ctx ended first. leave must follow in both cases.
func (p *place) wait(ctx context.Context) bool {
	select {
	case <-p.ready:
		return true
	case <-ctx.Done():
		return false
	}
}

func (p *place) leave() {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.gone = true
	select {
	case <-p.ready:
	default:
		return // still among the waiting, skipped there
	}
	for len(p.s.waiting) > 0 {
		next := p.s.waiting[0]
		p.s.waiting = p.s.waiting[1:]
		if !next.gone {
			close(next.ready)
			return
		}
	}
	p.s.free++
}
