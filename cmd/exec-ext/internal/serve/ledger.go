package serve

import (
	"maps"
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
// out as progress, if the host wants it. Its size is bounded however often a script calls.
type ledger struct {
	session, run string
	send         func(hostapi.ExecProgressParams) // nil: nobody wants progress

	mu      sync.Mutex
	total   int            // guarded by mu, as all below
	listed  []*callEntry   // the first ones
	latest  []string       // names of the last ones
	open    []*callEntry   // those without an end, oldest first
	omitted map[string]int // ended calls that are not listed, by status
	tally   []nameTally    // ended calls by tool, in order of their first end
	at      map[string]int // place of a tool in tally
	seq     int64
	closed  bool
}

// A nameTally counts the ended calls of one tool by status.
type nameTally struct {
	name     string
	byStatus map[string]int
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

// newLedger begins an empty ledger; send is nil where nobody wants progress.
func newLedger(session, run string, send func(hostapi.ExecProgressParams)) *ledger {
	return &ledger{session: session, run: run, send: send, omitted: map[string]int{}, at: map[string]int{}}
}

func (l *ledger) begin(name string) *callEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total++
	e := &callEntry{id: callID(l.total), index: l.total, name: name, began: time.Now(), awaits: awaitQueue}
	if len(l.listed) < callsListed {
		l.listed = append(l.listed, e)
	}
	l.latest = append(l.latest[max(0, len(l.latest)+1-summaryLines):], name)
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
	l.count(e)
	l.progress()
}

// count adds an ended call to the sums. mu is held.
func (l *ledger) count(e *callEntry) {
	if e.index > callsListed {
		l.omitted[e.status]++
	}
	i, ok := l.at[e.name]
	if !ok {
		i = len(l.tally)
		l.at[e.name] = i
		l.tally = append(l.tally, nameTally{e.name, map[string]int{}})
	}
	l.tally[i].byStatus[e.status]++
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
	p := hostapi.ExecProgressParams{SessionID: l.session, RunID: l.run, Seq: l.seq, Summary: summary(l.total, l.latest, stateRunning)}
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
	listed = make([]hostapi.CallRecord, len(l.listed))
	for i, e := range l.listed {
		listed[i] = hostapi.CallRecord{CallID: e.id, Name: e.name, Status: e.status, Ms: e.took.Milliseconds()}
	}
	if len(l.omitted) == 0 {
		return listed, nil
	}
	return listed, maps.Clone(l.omitted)
}

// named lists the calls with one of the statuses by tool.
func (l *ledger) named(statuses ...string) []nameCount {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []nameCount
	for _, t := range l.tally {
		n := 0
		for _, s := range statuses {
			n += t.byStatus[s]
		}
		if n > 0 {
			out = append(out, nameCount{t.name, n})
		}
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
	return summary(l.total, l.latest, state)
}
