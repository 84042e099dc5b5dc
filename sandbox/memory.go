package sandbox

import (
	"os/exec"
	"sync/atomic"
	"time"
)

// watchEvery is how often a worker's memory is read. One reading takes some microseconds.
const watchEvery = 5 * time.Millisecond

// A memoryWatch reads what a worker holds above its idle level, while it runs.
type memoryWatch struct {
	meter *meter // nil: this system gives no reading
	idle  int64
	peak  atomic.Int64
	quit  chan struct{}
	done  chan struct{} // nil until begin
}

// newMemoryWatch takes the present level of an idle worker.
func newMemoryWatch(cmd *exec.Cmd) *memoryWatch {
	w := &memoryWatch{quit: make(chan struct{})}
	if m, err := newMeter(cmd); err == nil {
		w.meter, w.idle = m, m.bytes()
	}
	return w
}

// begin calls over once when the worker holds more than limit bytes above its idle level.
func (w *memoryWatch) begin(limit int64, over func()) {
	w.done = make(chan struct{})
	if w.meter == nil {
		close(w.done)
		return
	}
	go func() {
		defer close(w.done)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-w.quit:
				return
			case <-tick.C:
				if w.read() > limit {
					over()
					return
				}
			}
		}
	}()
}

// read notes and gives what the worker holds above its idle level.
func (w *memoryWatch) read() int64 {
	held := w.meter.bytes() - w.idle
	if held > w.peak.Load() {
		w.peak.Store(held)
	}
	return held
}

// stop ends what begin began and gives the most that was seen; 0 = not measured.
func (w *memoryWatch) stop() int64 {
	close(w.quit)
	<-w.done
	return w.peak.Load()
}

// close gives the meter back. Nothing is read any more. It may be called again.
func (w *memoryWatch) close() {
	if w.meter != nil {
		w.meter.close()
		w.meter = nil
	}
}
