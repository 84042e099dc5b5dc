package sandbox

import (
	"io"
	"sync"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// An outbox holds the frames for a worker, so that one which never reads its stdin blocks nobody but the
// goroutine in deliver.
type outbox struct {
	wake chan struct{} // has room for one

	mu     sync.Mutex
	frames []wire.Frame
	size   int64 // of the frames' bodies
	closed bool
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// put adds a frame and gives the size of all that waits.
func (o *outbox) put(f wire.Frame) (waiting int64) {
	o.mu.Lock()
	if !o.closed {
		o.frames = append(o.frames, f)
		o.size += int64(len(f.Body))
	}
	waiting = o.size
	o.mu.Unlock()
	o.signal()
	return waiting
}

func (o *outbox) close() {
	o.mu.Lock()
	o.frames, o.size, o.closed = nil, 0, true
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// deliver writes frames until the outbox is closed or the worker is gone. written is called after each.
func (o *outbox) deliver(w io.Writer, written func(wire.Frame)) {
	for range o.wake {
		for {
			o.mu.Lock()
			if o.closed {
				o.mu.Unlock()
				return
			}
			if len(o.frames) == 0 {
				o.mu.Unlock()
				break
			}
			f := o.frames[0]
			o.frames[0] = wire.Frame{}
			o.frames = o.frames[1:]
			o.size -= int64(len(f.Body))
			o.mu.Unlock()
			if wire.Write(w, f) != nil {
				return // the reader of the worker's frames will see why
			}
			written(f)
		}
	}
}
