// Package lockdown takes every power from a worker process before a script reaches it, and reports what the
// operating system really gave. It is called once, late in the worker's start, and cannot be undone.
package lockdown

import (
	"runtime/debug"
	"runtime/metrics"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// maxStack bounds one goroutine's stack, so that deep native recursion says what it is before it runs into the
// memory cap.
const maxStack = 64 << 20

// GCPercent is a worker's GOGC. A worker is short-lived and mostly garbage, which far from the cap is cheaper to leave
// lying than to collect; near the cap the memory limit collects, whatever this says.
const GCPercent = 400

// Lock shuts the calling process in and returns what was gained. Call it as
//
//	head := lockdown.Lock(wire.SetupOf(os.Args))
//
// after the warm-up and right before the Ready frame: from then on the process can open nothing, start nothing
// and is bound in memory.
func Lock(setup wire.Setup) wire.ReadyHead {
	l := &locker{setup: setup, guarantees: map[string]string{}}
	debug.SetMaxStack(maxStack)
	debug.SetGCPercent(GCPercent)
	debug.SetMemoryLimit(runtimeBytes() + setup.MemoryBytes/10*9) // near the cap, collect harder
	l.followParent()
	l.lock()
	return wire.ReadyHead{Layers: l.layers, Guarantees: l.guarantees}
}

// A locker collects the layers as they are put on.
type locker struct {
	setup      wire.Setup
	layers     []wire.Layer
	guarantees map[string]string
}

// layer notes how putting on one layer went. A layer that is not there says why.
func (l *locker) layer(id string, proven bool, detail string, err error) (active bool) {
	if err != nil {
		detail = err.Error()
	}
	l.layers = append(l.layers, wire.Layer{ID: id, Active: err == nil, Proven: proven, Detail: detail})
	return err == nil
}

// deny notes that something is denied, which only a probe may say.
func (l *locker) deny(guarantee string, denied bool) {
	if denied {
		l.guarantees[guarantee] = "denied"
	}
}

// runtimeBytes is the memory that SetMemoryLimit counts, as it is now.
func runtimeBytes() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
