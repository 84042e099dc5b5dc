package hostkit

import (
	"context"
	"errors"
	"sync"
)

// A box holds what came and nobody has taken, and remembers all that came.
type box[T any] struct {
	mu      sync.Mutex
	waiting []T           // guarded by mu
	seen    []T           // guarded by mu
	end     error         // nothing more comes, and why; guarded by mu
	changed chan struct{} // closed, and made anew, when one of these changes; guarded by mu
}

func newBox[T any]() *box[T] { return &box[T]{changed: make(chan struct{})} }

func (b *box[T]) put(x T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting, b.seen = append(b.waiting, x), append(b.seen, x)
	b.wake()
}

func (b *box[T]) close(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.end == nil {
		b.end = why
		b.wake()
	}
}

// wake tells those who wait. mu is held.
func (b *box[T]) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}

var errLate = errors.New("nothing came in time")

// take waits for the first thing that fits and nobody has taken.
func (b *box[T]) take(ctx context.Context, fits func(T) bool) (T, error) {
	for {
		b.mu.Lock()
		for i, x := range b.waiting {
			if fits(x) {
				b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
				b.mu.Unlock()
				return x, nil
			}
		}
		end, changed := b.end, b.changed
		b.mu.Unlock()
		var none T
		if end != nil {
			return none, end
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return none, errLate
		}
	}
}

// until waits until what came so far fits, or ctx ends.
func (b *box[T]) until(ctx context.Context, fits func([]T) bool) {
	for {
		b.mu.Lock()
		changed, ended := b.changed, b.end != nil
		b.mu.Unlock()
		if fits(b.all()) || ended {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// all gives what came so far, taken or not.
func (b *box[T]) all() []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]T{}, b.seen...)
}
