// Package wire is the private protocol between the parent and a worker: frames over the worker's stdin and
// stdout. Both ends are the same binary, so it has no version. The parent treats every frame from a worker as
// hostile.
package wire

import (
	"errors"
	"io"
)

// A Kind names what a frame means. Parent to worker: Start, Settle, Names. Worker to parent: the others, and Names
// as a question.
type Kind byte

const (
	Ready  Kind = 'r' // worker: locked down and warm; Head is ReadyHead
	Start  Kind = 's' // parent: Head is StartHead, Body the script
	CallTo Kind = 'c' // worker: ID, Head is CallHead, Body the arguments (a JSON object)
	Settle Kind = 'a' // parent: ID of the call, Head is SettleHead, Body the value (JSON; empty = null)
	Names  Kind = 'n' // worker: asks; parent: Body is a JSON array of names
	Log    Kind = 'l' // worker: Body is one console line, UTF-8
	Warn   Kind = 'w' // worker: Body is one warning for the model, UTF-8
	Done   Kind = 'd' // worker: Head is DoneHead, Body the return value (JSON; empty = undefined). The last frame
	Failed Kind = 'f' // worker: Head is FailedHead. The last frame
)

// A Frame is kind, id, a small JSON head and raw bytes that are never parsed by the framing.
//
//	1 byte kind | 4 bytes id | 4 bytes head length | 4 bytes body length | head | body   (big endian)
type Frame struct {
	Kind Kind
	ID   uint32
	Head []byte
	Body []byte
}

// ErrTooLarge is returned for a frame over the limit; nothing of it is allocated.
var ErrTooLarge = errors.New("wire: frame too large")

// Write writes one frame with a single call of w.Write.
func Write(w io.Writer, f Frame) error { panic("not built yet") }

// Read reads one frame whose head and body together have at most limit bytes.
func Read(r io.Reader, limit int64) (Frame, error) { panic("not built yet") }

// StartHead tells a worker what to run. Field meanings as in sandbox.Job and sandbox.Limits.
type StartHead struct {
	Namespace   string `json:"namespace"`
	Search      string `json:"search"`
	Prefix      string `json:"prefix"`
	WebGlobals  bool   `json:"webGlobals,omitempty"`
	LogChars    int    `json:"logChars"` // the worker stops sending after this many; the parent caps again
	MemoryBytes int64  `json:"memoryBytes"`
	FrameBytes  int64  `json:"frameBytes"`
}

// CallHead names the tool called.
type CallHead struct {
	Name string `json:"name"`
}

// SettleHead says how a call ended; Kind and Message are set for a rejection.
type SettleHead struct {
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

// DoneHead is empty today.
type DoneHead struct{}

// FailedHead is a sandbox.Failure on the wire. CallKind is the CallErrorKind of an uncaught tool error.
type FailedHead struct {
	Kind     string `json:"kind"`
	CallKind string `json:"callKind,omitempty"`
	Name     string `json:"name,omitempty"`
	Message  string `json:"message"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Frame    string `json:"frame,omitempty"`
}

// ReadyHead is what the lock-down gave; the parent turns it into a sandbox.Report.
type ReadyHead struct {
	Layers     []Layer           `json:"layers"`
	Guarantees map[string]string `json:"guarantees"`
}

// Layer as in sandbox.Layer.
type Layer struct {
	ID     string `json:"id"`
	Active bool   `json:"active"`
	Proven bool   `json:"proven"`
	Detail string `json:"detail,omitempty"`
}
