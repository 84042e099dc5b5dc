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
	done  chan struct{}
}

// watchMemory calls over once when the worker holds more than limit bytes. The present level counts as idle.
func watchMemory(cmd *exec.Cmd, limit int64, over func()) *memoryWatch {
	w := &memoryWatch{quit: make(chan struct{}), done: make(chan struct{})}
	m, err := newMeter(cmd)
	if err != nil {
		close(w.done)
		return w
	}
	w.meter, w.idle = m, m.bytes()
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
	return w
}

// read notes and gives what the worker holds above its idle level.
func (w *memoryWatch) read() int64 {
	held := w.meter.bytes() - w.idle
	if held > w.peak.Load() {
		w.peak.Store(held)
	}
	return held
}

// stop ends the watch and gives the most that was seen; 0 = not measured.
func (w *memoryWatch) stop() int64 {
	close(w.quit)
	<-w.done
	if w.meter != nil {
		w.meter.close()
	}
	return w.peak.Load()
}
