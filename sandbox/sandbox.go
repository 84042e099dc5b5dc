// Package sandbox runs one script in a process of its own and always comes back with an [Outcome]. This side is
// the parent: it keeps spare workers, holds the clocks and the memory cap, checks every frame as if a stranger
// wrote it, and kills. It imports no engine and never looks into the script. It knows no MCP, no catalog and no
// JSON-RPC; what a nested call means is decided by the [Host] it is given.
package sandbox

import (
	"context"
	"encoding/json"
	"os/exec"
	"time"

	"github.com/rs/zerolog"
)

// Limits of one run. All fields must be set; each is enforced here in the parent.
type Limits struct {
	Wall        time.Duration // from the hand-over of the script
	Active      time.Duration // counts only while no host call is in flight
	MemoryBytes int64         // anonymous memory of the worker above its idle level
	LogChars    int           // UTF-16 code units of console output kept
	FrameBytes  int64         // largest frame taken from a worker (arguments, return value); 0 = 64 MiB
}

// A Job is one script with the names it is to find. All policy travels as data.
type Job struct {
	Code       string // the model's text as it is: stripping, parsing and running happen in the worker
	Limits     Limits
	Namespace  string // reserved member of tools that holds the search entry: "$codemode"
	Search     string // name of the search entry in it: "search"
	Prefix     string // names starting with it become functions without being looked up: "mcp__"
	WebGlobals bool   // adds URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, atob, btoa
}

// A Call is one nested call as the worker sent it.
type Call struct {
	Name string          // as the script wrote it; "$codemode.search" for the search entry
	Args json.RawMessage // a JSON object, valid, byte order kept; {} if the script gave none
}

// A Reply settles one Call: Err rejects the script's await, otherwise Value resolves it (nil is null).
type Reply struct {
	Value json.RawMessage
	Err   *CallError
}

// CallError is what the script's catch sees as an Error with this message.
type CallError struct {
	Kind    CallErrorKind
	Message string
}

// A CallErrorKind tells why a call was refused or failed; an uncaught one decides the run's status.
type CallErrorKind string

const (
	CallUnknown CallErrorKind = "unknown" // no such tool
	CallInvalid CallErrorKind = "invalid" // the arguments do not fit (search)
	CallDenied  CallErrorKind = "denied"
	CallLimit   CallErrorKind = "limit"
	CallFailed  CallErrorKind = "failed"    // the tool itself, or the way to it
	CallAborted CallErrorKind = "cancelled" // the run is being cancelled
	CallLost    CallErrorKind = "host_lost" // the host is gone
)

// A Host answers a script's calls.
type Host interface {
	// Begin takes one nested call. It runs on the frame loop, in the order in which the script made the calls,
	// and must not block: counting and numbering happen here. The function it returns does the work on a
	// goroutine of its own, blocks as long as the call takes, and is called exactly once; ctx ends with the run.
	Begin(c Call) func(ctx context.Context) Reply
	// Names lists what the script could call; asked only where a script enumerates tools.
	Names() []string
}

// A Kind says how a run failed. The values are the wire's errorKind.
type Kind string

const (
	KindInvalidInput   Kind = "invalid_input"
	KindSyntax         Kind = "syntax_error"
	KindScript         Kind = "script_error" // a throw, an uncaught tool error
	KindUnserializable Kind = "unserializable"
	KindDenied         Kind = "denied"          // an uncaught refusal of a leaf
	KindCallLimit      Kind = "tool_call_limit" // an uncaught call over the limit
	KindMemory         Kind = "memory"
	KindTimeout        Kind = "timeout"
	KindStalled        Kind = "stalled" // awaits a promise that nothing can settle
	KindCancelled      Kind = "cancelled"
	KindCrash          Kind = "crash"
	KindInternal       Kind = "internal"
	KindHostLost       Kind = "host_lost"
)

// A Failure is why a run gave no value. Message is a sentence for the model, free of limits' numbers.
type Failure struct {
	Kind    Kind
	Name    string // the error's name, as "TypeError"
	Message string
	Line    int    // in the model's own script, from 1; 0 = unknown
	Column  int    // from 1, UTF-16 code units; 0 = unknown
	Frame   string // the offending line of the script, "" = unknown
}

// An Outcome is how a run ended. Exactly one of Value (nil for undefined) and Failure speaks.
type Outcome struct {
	Value    json.RawMessage
	Failure  *Failure
	Logs     Logs
	Warnings []string // for the model: lossy conversions, lost promises, ...
	Stats    Stats
}

// Logs is the console output kept, whole lines joined by a newline.
type Logs struct {
	Text      string
	Chars     int // UTF-16 code units the script produced in all
	Truncated bool
}

// Stats of a run.
type Stats struct {
	Wall, Active    time.Duration
	PeakMemoryBytes int64 // 0 = not measured
}

// Options of a Runner.
type Options struct {
	Command     func() *exec.Cmd // starts a worker; nil = this binary with the argument "worker"
	Spare       int              // workers kept ready, 0 = none
	TryUnproven bool             // use layers that no run on their platform has proven
	Log         zerolog.Logger
}

// A Runner keeps the spare workers. It is safe for concurrent use; it does not bound how many runs are live.
type Runner struct{}

// NewRunner starts the spares in the background.
func NewRunner(Options) *Runner { return &Runner{} }

// Run runs one script. Every end is an Outcome; when it returns, the worker is gone and every goroutine of the
// run has ended. Cancelling ctx ends the run as KindCancelled.
func (r *Runner) Run(ctx context.Context, job Job, host Host) Outcome { panic("not built yet") }

// Workers counts the live worker processes: spare ones and those with a script.
func (r *Runner) Workers() (spare, live int) { panic("not built yet") }

// Isolation starts a worker if needed and reports what the lock-down really gave on this machine.
func (r *Runner) Isolation(ctx context.Context) (Report, error) { panic("not built yet") }

// Close ends the spares and waits for every worker.
func (r *Runner) Close() { panic("not built yet") }

// A Report is section 7 of the protocol, as it goes on the wire.
type Report struct {
	Mode       string     `json:"mode"`  // "process"
	Level      string     `json:"level"` // full, partial, process
	Guarantees Guarantees `json:"guarantees"`
	Layers     []Layer    `json:"layers"`
}

// Guarantees, each by self-probe in a worker.
type Guarantees struct {
	Filesystem string `json:"filesystem"` // denied, open
	Network    string `json:"network"`    // denied, open
	Exec       string `json:"exec"`       // denied, open
	Processes  string `json:"processes"`  // denied, open
	Memory     string `json:"memory"`     // hard, watched, open
}

// A Layer is one mechanism of the lock-down.
type Layer struct {
	ID     string `json:"id"`
	Active bool   `json:"active"`
	Proven bool   `json:"proven"`
	Detail string `json:"detail,omitempty"`
}
