package soak

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// A ledger counts answers on the wire: every request of the host is answered exactly once.
type ledger struct {
	mu     sync.Mutex
	open   map[string]string // methods by id, without an answer; guarded by mu
	faults []string          // guarded by mu
	asked  int               // guarded by mu
	calls  int               // requests of the extension; guarded by mu
}

func newLedger() *ledger { return &ledger{open: map[string]string{}} }

// trace sees every message; out is the host's.
func (l *ledger) trace(dir string, frame []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	err := json.Unmarshal(frame, &m)
	l.mu.Lock()
	defer l.mu.Unlock()
	id := string(m.ID)
	switch {
	case err != nil:
		l.faults = append(l.faults, "a message is no JSON: "+err.Error())
	case dir == "out" && m.Method != "" && id != "":
		l.open[id] = m.Method
		l.asked++
	case dir == "in" && m.Method != "" && id != "":
		l.calls++
	case dir == "in" && m.Method == "":
		if l.open[id] == "" {
			l.faults = append(l.faults, "an answer to id "+id+", which was not asked or is answered already")
		}
		delete(l.open, id)
	}
}

// problems says what was answered wrongly, or not at all. A request that was taken back before it was sent is none: it
// is not on the wire.
func (l *ledger) problems() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := slices.Clone(l.faults)
	for id, method := range l.open {
		out = append(out, fmt.Sprintf("%s with id %s was never answered", method, id))
	}
	return out
}

func (l *ledger) counts() (asked, calls int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked, l.calls
}
