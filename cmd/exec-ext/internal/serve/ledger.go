package serve

import (
	"slices"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/hostapi"
)

// callsListed is how many calls a result lists one by one; the others are counted by status.
const callsListed = 1000

// Statuses of a call.
const (
	callOK        = "ok"
	callError     = "error"
	callDenied    = "denied"
	callLimit     = "limit"
	callCancelled = "cancelled"
	callInFlight  = "in_flight" // with the host when the run ended: it may or may not have taken effect
)

// What a call waits for.
const (
	awaitQueue      = "queue"
	awaitPermission = "permission"
	awaitTool       = "tool"
)

// A ledger is the truthful list of a run's calls, in the order in which the script made them. Every change goes
// out as progress, if the host wants it.
type ledger struct {
	session, run string
	send         func(hostapi.ExecProgressParams) // nil: nobody wants progress

	mu      sync.Mutex
	entries []*callEntry // guarded by mu
	open    []*callEntry // those without an end, oldest first; guarded by mu
	seq     int64        // guarded by mu
	closed  bool         // guarded by mu
}

// A callEntry is one call. Fields without a note never change.
type callEntry struct {
	id     string
	index  int
	name   string
	began  time.Time
	took   time.Duration // guarded by the ledger's mu
	status string        // "" = not ended; guarded by the ledger's mu
	awaits string        // guarded by the ledger's mu
}

func newLedger(e *execution) *ledger {
	l := &ledger{session: e.session, run: e.id}
	if e.server.caps.Progress {
		l.send = e.server.host.Progress
	}
	return l
}

func (l *ledger) begin(name string) *callEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	index := len(l.entries) + 1
	e := &callEntry{id: callID(index), index: index, name: name, began: time.Now(), awaits: awaitQueue}
	l.entries = append(l.entries, e)
	l.open = append(l.open, e)
	l.progress()
	return e
}

func (l *ledger) awaiting(e *callEntry, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.awaits = what
	l.progress()
}

func (l *ledger) end(e *callEntry, status string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.status, e.took = status, time.Since(e.began)
	l.open = slices.DeleteFunc(l.open, func(o *callEntry) bool { return o == e })
	l.progress()
}

// leave ends a call whose run is over: only one that was with the host may have taken effect.
func (l *ledger) leave(e *callEntry) {
	l.mu.Lock()
	what := e.awaits
	l.mu.Unlock()
	if what == awaitTool {
		l.end(e, callInFlight)
		return
	}
	l.end(e, callCancelled)
}

// close stops progress: the result follows.
func (l *ledger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// progress sends the state as it is. mu is held; send never blocks.
func (l *ledger) progress() {
	if l.send == nil || l.closed {
		return
	}
	l.seq++
	p := hostapi.ExecProgressParams{SessionID: l.session, RunID: l.run, Seq: l.seq, Summary: summary(l.entries, stateRunning)}
	if len(l.open) > 0 {
		o := l.open[0]
		p.Awaiting = &hostapi.Awaiting{CallID: o.id, Name: o.name, What: o.awaits}
	}
	l.send(p)
}

// records is the wire form: the first calls one by one, the others by status.
func (l *ledger) records() (listed []hostapi.CallRecord, omitted map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	listed = make([]hostapi.CallRecord, 0, min(len(l.entries), callsListed))
	for i, e := range l.entries {
		if i < callsListed {
			listed = append(listed, hostapi.CallRecord{CallID: e.id, Name: e.name, Status: e.status, Ms: e.took.Milliseconds()})
			continue
		}
		if omitted == nil {
			omitted = map[string]int{}
		}
		omitted[e.status]++
	}
	return listed, omitted
}

// named lists the calls with one of the statuses by tool, in order of their first call.
func (l *ledger) named(statuses ...string) []nameCount {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []nameCount
	at := map[string]int{}
	for _, e := range l.entries {
		if !slices.Contains(statuses, e.status) {
			continue
		}
		i, ok := at[e.name]
		if !ok {
			i = len(out)
			at[e.name] = i
			out = append(out, nameCount{name: e.name})
		}
		out[i].count++
	}
	return out
}

// A nameCount is a tool and how often it was called.
type nameCount struct {
	name  string
	count int
}

func (l *ledger) summary(state string) hostapi.Summary {
	l.mu.Lock()
	defer l.mu.Unlock()
	return summary(l.entries, state)
}
