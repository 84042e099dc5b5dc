package soak

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/exec-ext/exec-ext/hostapi"
)

// A ledger counts answers on the wire: every request of the host is answered exactly once.
type ledger struct {
	mu     sync.Mutex
	open   map[string]string // methods by id, without an answer; guarded by mu
	faults []string          // guarded by mu
	asked  int               // guarded by mu
	calls  int               // requests of the extension; guarded by mu

	sent map[string]chan struct{} // by run: closed when its exec/run goes out; guarded by mu
}

func newLedger() *ledger { return &ledger{open: map[string]string{}, sent: map[string]chan struct{}{}} }

// watch gives a channel that is closed when the request of a run goes out; forget ends the watch.
func (l *ledger) watch(session, run string) (sent <-chan struct{}, forget func()) {
	key, out := session+"\x00"+run, make(chan struct{})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent[key] = out
	return out, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.sent, key)
	}
}

// trace sees every message; out is the host's.
func (l *ledger) trace(dir string, frame []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
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
		l.goesOut(m.Method, m.Params)
	case dir == "in" && m.Method != "" && id != "":
		l.calls++
	case dir == "in" && m.Method == "":
		if l.open[id] == "" {
			l.faults = append(l.faults, "an answer to id "+id+", which was not asked or is answered already")
		}
		delete(l.open, id)
	}
}

// goesOut tells who watches a run that its request goes out. mu is held.
func (l *ledger) goesOut(method string, params json.RawMessage) {
	var run hostapi.ExecRunParams
	if method != hostapi.MethodExecRun || json.Unmarshal(params, &run) != nil {
		return
	}
	key := run.SessionID + "\x00" + run.RunID
	if out := l.sent[key]; out != nil {
		close(out)
		delete(l.sent, key)
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
