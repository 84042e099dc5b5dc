// Package rpc is JSON-RPC 2.0 over a pair of byte streams, in both framings of the wire contract. It knows
// messages, ids, cancellation and back-pressure; it knows no method but $/cancelRequest, and not which end of
// the pipe it is: both ends run the same [Serve].
package rpc

import (
	"context"
	"encoding/json"
	"io"

	"github.com/rs/zerolog"
)

// A Framing says where one message ends and the next begins.
type Framing string

const (
	FramingAuto          Framing = "auto" // from the first non-blank byte read; nothing is written before it
	FramingContentLength Framing = "content-length"
	FramingNDJSON        Framing = "ndjson"
)

// A Method is called on the read loop, in the order of the messages, and must not block: it decodes, registers
// and takes snapshots. The Job it returns runs on a goroutine of its own; for a notification a nil Job is usual,
// for a request it answers null. params are the raw bytes as sent, nil if absent. ctx is the Job's. A panic is
// answered -32603.
type Method func(ctx context.Context, params json.RawMessage) Job

// IsNotification tells a Method, by its ctx, that its message has no id: whatever the Job gives is dropped.
func IsNotification(ctx context.Context) bool { return ctx.Value(notificationKey{}) != nil }

type notificationKey struct{}

// A Job computes the answer to one request. ctx ends when the peer cancels the request or the connection is over.
// The result is marshalled once ([json.RawMessage] is sent as it is). An error that is no *Error becomes -32603,
// after the peer's cancel -32800; its text goes into the log only and must not quote the peer. The result of a
// notification's Job is dropped. A panic is answered -32603.
type Job func(ctx context.Context) (any, error)

// Urgent marks a Job whose small answer overtakes what waits to be written (ping): it is not held up by the
// bytes queued. An answer over 64 KiB queues like any other.
func Urgent(job Job) Job {
	return func(ctx context.Context) (any, error) {
		v, err := job(ctx)
		return urgentResult{v}, err
	}
}

type urgentResult struct{ value any }

// A Table names the methods served. Unknown requests are answered -32601, unknown notifications ignored.
type Table map[string]Method

// Options of one connection. The zero value detects the framing and has the default limit.
type Options struct {
	Framing         Framing // "" = FramingAuto
	MaxMessageBytes int64   // inbound; 0 = 64 MiB
	Log             zerolog.Logger
	// Trace, if set, sees the whole body of each message: dir is "in" or "out", frame must not be kept or
	// changed. Calls do not overlap. Oversize messages are not traced.
	Trace func(dir string, frame []byte)

	bounds bounds
}

// bounds limit what one connection keeps. Tests lower them.
type bounds struct {
	live   int   // unanswered requests of the peer; beyond them -31003
	queued int64 // bytes of answers and calls that wait; one larger message goes alone
	urgent int   // bytes of small answers that wait; beyond them the connection ends
	notes  int   // keys of notifications that wait; beyond them notifications are dropped
}

// Serve reads messages from in until it ends, answers on out by the table that bind builds, and returns when
// every job is done and every answer is flushed. When in ends, calls to the peer fail with ErrClosed and running
// jobs have 2 s to finish by themselves; then, and at once when ctx ends or out can not be written, the jobs'
// contexts end and what they still answer is flushed for at most 2 s. Serve does not wait for a Read of in that
// is stuck. bind is called once, before anything is read.
//
// The error says why the connection ended: nil for the end of in or of ctx, *FramingError for a lost frame
// boundary, else the failure to read or write.
//
// Ids are echoed byte for byte. Requests that share an id while both run are both run and both answered;
// $/cancelRequest reaches every live request whose id has the same spelling, or, where there is none, the same
// value (1 and 1.0, "a" and "\u0061"). Peers that send without reading answers are bounded: beyond 4096
// unanswered requests -31003 is answered, and when 4 MiB of such small answers wait the connection ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options, bind func(*Conn) Table) error {
	return newSession(ctx, opts).serve(ctx, in, out, bind)
}

// A Conn is the way back to the peer. All methods may be called from any goroutine.
type Conn struct{ s *session }

// Call sends a request and waits for its answer: raw result bytes (null for null), or an *Error as the peer sent
// it, or ErrClosed when the peer is gone. An answer over MaxMessageBytes is an *Error with CodeTooLarge, one that
// holds both or neither of result and error is a plain error. When ctx ends first, the peer is told by
// $/cancelRequest, unless the request was never written, and a later answer is ignored. While too many bytes wait
// to be written, Call waits to queue its own. params as [json.RawMessage] are sent as they are; nil leaves them out.
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return c.s.call(ctx, method, params)
}

// Notify queues a notification. It never blocks: while one with the same key still waits to be written, the new one
// takes its place (latest wins), and while 1024 keys wait, one with a new key is dropped. An empty key is a key.
func (c *Conn) Notify(key, method string, params any) { c.s.notify(key, method, params) }

// InputEnded is closed when the peer's stream has ended or nothing can be written to it: no answer to a Call can
// come any more.
func (c *Conn) InputEnded() <-chan struct{} { return c.s.input.Done() }
