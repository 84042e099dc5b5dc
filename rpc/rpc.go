// Package rpc is JSON-RPC 2.0 over a pair of byte streams, in both framings of the wire contract. It knows
// messages, ids, cancellation and back-pressure; it knows no method but $/cancelRequest.
package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/rs/zerolog"
)

// A Framing says where one message ends and the next begins.
type Framing string

const (
	FramingAuto          Framing = "auto" // from the first non-blank byte read
	FramingContentLength Framing = "content-length"
	FramingNDJSON        Framing = "ndjson"
)

// A Method is called on the read loop, in the order of the messages, and must not block: it decodes, registers
// and takes snapshots. The Job it returns runs on a goroutine of its own; for a notification a nil Job is usual.
// params are the raw bytes as sent, nil if absent.
type Method func(ctx context.Context, params json.RawMessage) Job

// A Job computes the answer to one request. ctx ends when the peer cancels the request or the connection is over.
// The result is marshalled once ([json.RawMessage] is sent as it is). An error that is no *Error becomes -32603;
// context.Canceled after the peer's cancel becomes -32800. The result of a notification's Job is dropped.
type Job func(ctx context.Context) (any, error)

// A Table names the methods served. Unknown requests are answered -32601, unknown notifications ignored.
type Table map[string]Method

// An Error is a JSON-RPC error object. Data is an object with kind and retryable (protocol, section 5).
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("jsonrpc %d: %s", e.Code, e.Message) }

// Options of one connection. The zero value detects the framing and has the default limit.
type Options struct {
	Framing         Framing
	MaxMessageBytes int64 // inbound; 0 = 64 MiB
	Log             zerolog.Logger
}

// Serve reads messages from in until it ends, answers on out by the table that bind builds, and returns when
// every job is done and every answer is flushed, at most 2 s after in has ended. The error says why the
// connection ended: nil for the end of in or of ctx, *FramingError for a lost frame boundary.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options, bind func(*Conn) Table) error {
	panic("not built yet")
}

// A FramingError means that no further message can be found on the stream (exit code 65).
type FramingError struct{ Reason string }

func (e *FramingError) Error() string { return "framing: " + e.Reason }

// A Conn is the way back to the peer. All methods may be called from any goroutine.
type Conn struct{}

// Call sends a request and waits for its answer: raw result bytes, or an *Error as the peer sent it, or ErrClosed
// when the peer is gone. When ctx ends first, the peer is told by $/cancelRequest and a later answer is ignored.
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	panic("not built yet")
}

// Notify queues a notification. It never blocks: while one with the same key still waits to be written, the new one
// takes its place (latest wins).
func (c *Conn) Notify(key, method string, params any) { panic("not built yet") }

// InputEnded is closed when the peer's stream has ended: no answer to a Call can come any more.
func (c *Conn) InputEnded() <-chan struct{} { panic("not built yet") }
