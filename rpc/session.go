package rpc

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/sourcegraph/jsonrpc2"
	"golang.org/x/sync/semaphore"
)

const (
	graceTime = 2 * time.Second // for running jobs when the input has ended
	flushTime = 2 * time.Second // for the last answers

	maxMalformed = 32 // in a row
)

// A session is one connection: the state between the read loop (jsonrpc2's, which asks ReadObject for the next
// message and hands it to Handle), the jobs, and the writer.
//
// jsonrpc2.Conn matches answers to calls and dispatches requests, but sees stand-ins only: a serial number as id,
// params and result. The raw bytes stay here, under that number (protocol, section 1).
type session struct {
	opts  Options
	log   zerolog.Logger
	conn  *jsonrpc2.Conn
	table Table

	frames chan frame          // from the reader goroutine, its last one holds the error that ended it
	input  context.Context     // ends with the peer's stream
	jobs   context.Context     // parent of every request's context
	space  *semaphore.Weighted // bytes of the normal lane
	out    *outbox
	framed chan Framing    // tells the writer the framing, once
	failed chan struct{}   // closed when nothing more can be written
	over   context.Context // ends when Serve returns
	done   chan struct{}   // closed when, at the end, nothing is left to answer or write

	endInput, cancelJobs, endAll context.CancelFunc

	malformed int // in a row; belongs to the read loop
	tracing   sync.Mutex

	mu       sync.Mutex
	serial   uint64              // of what passes through jsonrpc2, our calls aside
	called   uint64              // our calls: ids on the wire
	live     map[uint64]*request // of the peer, not finished
	calls    map[string]*call    // ours, by idKey, until answered or given up
	sent     map[uint64]*call    // the same by serial number, until jsonrpc2 has forgotten them
	notes    map[uint64]*note    // on their way through jsonrpc2
	settled  []uint64            // calls that jsonrpc2 must hear an answer for
	wake     chan struct{}       // holds one element if settled may not be empty
	ending   bool                // nothing new comes; done may be closed
	cause    error               // why the connection ended
	hasCause bool
}

type frame struct {
	body    []byte
	err     error
	framing Framing
}

func newSession(ctx context.Context, opts Options) *session {
	if opts.Framing == "" {
		opts.Framing = FramingAuto
	}
	if opts.MaxMessageBytes <= 0 {
		opts.MaxMessageBytes = defaultMaxMessage
	}
	if opts.bounds == (bounds{}) {
		opts.bounds = bounds{live: 4096, queued: 16 << 20, urgent: 4 << 20, notes: 1024}
	}
	s := &session{
		opts: opts, log: opts.Log,
		frames: make(chan frame), space: semaphore.NewWeighted(opts.bounds.queued), out: newOutbox(opts.bounds.notes),
		framed: make(chan Framing, 1), failed: make(chan struct{}), done: make(chan struct{}),
		live: map[uint64]*request{}, calls: map[string]*call{}, sent: map[uint64]*call{}, notes: map[uint64]*note{},
		wake: make(chan struct{}, 1),
	}
	s.input, s.endInput = context.WithCancel(context.Background())
	s.over, s.endAll = context.WithCancel(context.Background())
	s.jobs, s.cancelJobs = context.WithCancel(ctx)
	return s
}

// quiet drops jsonrpc2's log lines, which quote the peer.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

func (s *session) serve(ctx context.Context, in io.Reader, out io.Writer, bind func(*Conn) Table) error {
	// jsonrpc2 reads nothing before the reader goroutine has started, so the table is there in time.
	s.conn = jsonrpc2.NewConn(context.Background(), s, s, jsonrpc2.SetLogger(quiet{}))
	s.table = bind(&Conn{s})
	written := make(chan struct{})
	go s.read(in)
	go func() {
		defer close(written)
		s.write(out)
	}()

	flushed := s.wait(ctx)
	s.endAll()
	s.out.close()
	s.conn.Close()
	if flushed {
		<-written
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}

// wait returns when the connection is over; flushed says that the writer has nothing left to write.
func (s *session) wait(ctx context.Context) (flushed bool) {
	select {
	case <-s.input.Done():
		s.beginEnd()
		select {
		case <-s.done:
		case <-s.failed:
		case <-ctx.Done():
		case <-time.After(graceTime):
		}
	case <-s.failed:
	case <-ctx.Done():
	}
	s.end(nil)
	s.cancelJobs()
	s.beginEnd()
	select {
	case <-s.done:
	case <-time.After(flushTime):
		s.log.Warn().Int("unanswered", s.liveCount()).Msg("connection ended before everything was written")
		return false
	}
	select {
	case <-s.failed:
		return false // the writer may be stuck in a Write
	default:
		return true
	}
}

// end notes why the connection ends, the first cause wins, and fails the calls that wait for the peer.
func (s *session) end(cause error) {
	s.mu.Lock()
	if !s.hasCause {
		s.cause, s.hasCause = cause, true
	}
	s.endInput()
	for _, c := range s.calls {
		s.settle(c, nil, ErrClosed)
	}
	s.mu.Unlock()
}

// fail ends the connection because nothing can be written any more.
func (s *session) fail(cause error) {
	s.end(cause)
	s.mu.Lock()
	select {
	case <-s.failed:
	default:
		close(s.failed)
	}
	s.mu.Unlock()
	s.out.close()
	s.checkDone()
}

func (s *session) beginEnd() {
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	s.checkDone()
}

// checkDone closes done when, at the end, every request is answered and everything is written.
func (s *session) checkDone() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ending || len(s.live) > 0 || !s.out.empty() {
		return
	}
	select {
	case <-s.done:
	default:
		close(s.done)
	}
}

func (s *session) liveCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.live)
}
