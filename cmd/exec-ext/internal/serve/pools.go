package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/exec-ext/exec-ext/catalog"
	"github.com/exec-ext/exec-ext/hostapi"
)

// How many sessions' pools are remembered, and how many bytes of tools, as they were sent, they may come to together;
// the pool used last is always kept. Forgetting one changes no answer, only its price.
const (
	poolsKept     = 64
	poolBytesKept = 64 << 20
)

// A poolSource gives the pool of a session as it is now, by asking the host or from a snapshot in the request. It
// is the one caller of host/pool, and remembers the last snapshot of a session with a revision.
type poolSource struct {
	host hostapi.Host
	mu   sync.Mutex
	kept map[string]*keptPool // guarded by mu
	age  []string             // keys of kept, least recently used first; guarded by mu
	size int                  // bytes of the tools in kept; guarded by mu
}

// A keptPool is immutable.
type keptPool struct {
	snapshot   hostapi.PoolSnapshot
	asked      bool // it came from host/pool, so its revision can be asked about
	disallowed []string
	pool       *catalog.Pool
	warnings   []string
}

// size is the number of bytes of the tools, which is about a fifth of what the pool takes.
func (k *keptPool) size() (n int) {
	if k == nil {
		return 0
	}
	for _, tool := range k.snapshot.Tools {
		n += len(tool)
	}
	return n
}

// A livePool is what a request works with. Pool is nil when there is none, and Reason says why.
type livePool struct {
	pool     *catalog.Pool
	revision string
	reason   string
	deny     []string // the host's patterns; config's are not among them
	warnings []string
}

func newPoolSource(host hostapi.Host) *poolSource {
	return &poolSource{host: host, kept: map[string]*keptPool{}}
}

// A poolQuery names the pool wanted.
type poolQuery struct {
	session    string
	inline     *hostapi.PoolSnapshot
	served     bool // the host serves host/pool
	purpose    string
	disallowed []string
}

// get never fails: what goes wrong on the way makes the pool unavailable, with the reason.
func (s *poolSource) get(ctx context.Context, q poolQuery) livePool {
	switch {
	case q.inline != nil:
		return s.open(q, *q.inline, s.recall(q.session))
	case !q.served:
		return livePool{reason: noPoolGiven}
	}
	known := s.recall(q.session)
	params := hostapi.HostPoolParams{SessionID: q.session, Purpose: q.purpose}
	if known != nil && known.asked {
		params.IfRevision = known.snapshot.Revision
	}
	snapshot, err := s.host.Pool(ctx, params)
	if err != nil {
		return livePool{reason: poolNotAnswered(err)}
	}
	if snapshot.Status == poolUnchanged {
		if params.IfRevision == "" {
			return livePool{reason: poolUnchangedUnasked}
		}
		return s.open(q, known.snapshot, known)
	}
	return s.open(q, snapshot, known)
}

// Values of PoolSnapshot.Status.
const (
	poolOK          = "ok"
	poolUnchanged   = "unchanged"
	poolUnavailable = "unavailable"
)

// open builds the pool of a snapshot, or takes the known one where it comes from the same bytes and rules.
func (s *poolSource) open(q poolQuery, snapshot hostapi.PoolSnapshot, known *keptPool) livePool {
	switch snapshot.Status {
	case poolOK, "":
	case poolUnavailable:
		return livePool{reason: snapshot.Reason, deny: snapshot.Deny}
	default:
		return livePool{reason: poolStatusUnknown(snapshot.Status)}
	}
	if !known.serves(q, snapshot) {
		pool, warnings := catalog.NewPool(catalog.Snapshot{
			Tools: snapshot.Tools, Deny: slices.Concat(snapshot.Deny, q.disallowed), Reuse: s.latest(known),
		})
		known = &keptPool{snapshot: snapshot, asked: q.inline == nil, disallowed: q.disallowed, pool: pool, warnings: warnings}
		s.remember(q.session, known)
	}
	return livePool{pool: known.pool, revision: snapshot.Revision, deny: snapshot.Deny, warnings: known.warnings}
}

// serves says whether the kept pool is the one of this snapshot and these rules. A revision alone does not say so: tools
// that were sent are the tools of now, though a host may have forgotten to give them another revision.
func (k *keptPool) serves(q poolQuery, snapshot hostapi.PoolSnapshot) bool {
	return k != nil && k.asked == (q.inline == nil) && snapshot.Revision == k.snapshot.Revision &&
		slices.Equal(snapshot.Deny, k.snapshot.Deny) && slices.Equal(q.disallowed, k.disallowed) &&
		slices.EqualFunc(snapshot.Tools, k.snapshot.Tools, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

func (s *poolSource) recall(session string) *keptPool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.kept[session]
	if known != nil {
		s.touch(session)
	}
	return known
}

// latest is the pool whose renderings are most likely of use: the session's own, else the one used last. Sessions
// with the same tools share them.
func (s *poolSource) latest(own *keptPool) *catalog.Pool {
	if own != nil {
		return own.pool
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.age) == 0 {
		return nil
	}
	return s.kept[s.age[len(s.age)-1]].pool
}

func (s *poolSource) remember(session string, p *keptPool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size += p.size() - s.kept[session].size()
	s.kept[session] = p
	s.touch(session)
	for len(s.age) > poolsKept || len(s.age) > 1 && s.size > poolBytesKept {
		s.size -= s.kept[s.age[0]].size()
		delete(s.kept, s.age[0])
		s.age = s.age[1:]
	}
}

// touch makes a session the most recently used one. mu is held.
func (s *poolSource) touch(session string) {
	s.age = append(slices.DeleteFunc(s.age, func(k string) bool { return k == session }), session)
}

// query fills in what the server knows of a request's pool. Called on the read loop.
func (s *server) query(session string, inline *hostapi.PoolSnapshot, purpose string) (poolQuery, error) {
	if session == "" {
		return poolQuery{}, invalidParams(&hostapi.ShapeError{Path: "$.sessionId", Expected: "a string that is not empty"})
	}
	if inline != nil && inline.Status != poolOK && inline.Status != poolUnavailable {
		return poolQuery{}, invalidParams(&hostapi.ShapeError{Path: "$.pool.status", Expected: `"ok" or "unavailable"`})
	}
	return poolQuery{
		session: session, inline: inline, served: s.caps.Pool != nil, purpose: purpose, disallowed: s.config.DisallowedTools,
	}, nil
}

// Purposes of host/pool.
const (
	purposeTurn    = "turn"
	purposeRun     = "run"
	purposeCatalog = "catalog"
	purposeSearch  = "search"
)
