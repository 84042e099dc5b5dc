package sandbox

import (
	"io"
	"sync"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// An outbox holds the frames for a worker in their order. Whoever brings one writes it, and what others bring
// meanwhile, so that a frame waits for no goroutine to wake up; a worker which never reads its stdin blocks one of them.
type outbox struct {
	mu      sync.Mutex
	frames  []wire.Frame
	size    int64 // of the frames' bodies
	writing bool  // somebody writes, or found that the worker is gone
	closed  bool
}

// put adds a frame, to be written by drain, and gives the size of all that waits.
func (o *outbox) put(f wire.Frame) (waiting int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.frames = append(o.frames, f)
		o.size += int64(len(f.Body))
	}
	return o.size
}

// close drops what waits and what is still to come.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.frames, o.size, o.closed = nil, 0, true
}

// drain writes what waits, if nobody else does, until nothing does or the worker is gone. written is called after each
// frame.
func (o *outbox) drain(w io.Writer, written func(wire.Frame)) {
	for f, ok := o.first(); ok; f, ok = o.next() {
		if wire.Write(w, f) != nil {
			return // the reader of the worker's frames will see why
		}
		written(f)
	}
}

// first makes the caller the one who writes, if there is none and there is a frame.
func (o *outbox) first() (wire.Frame, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writing {
		return wire.Frame{}, false
	}
	return o.pop()
}

// next gives the one who writes the next frame, or ends its turn.
func (o *outbox) next() (wire.Frame, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.pop()
}

func (o *outbox) pop() (f wire.Frame, ok bool) {
	if o.writing = len(o.frames) > 0; !o.writing {
		return f, false
	}
	f, o.frames[0] = o.frames[0], f
	o.frames = o.frames[1:]
	o.size -= int64(len(f.Body))
	return f, true
}
