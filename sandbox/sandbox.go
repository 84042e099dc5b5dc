// Package sandbox runs one script in a process of its own and always comes back with an [Outcome]. This side is
// the parent: it keeps spare workers, holds the clocks and the memory cap, checks every frame as if a stranger
// wrote it, and kills. It imports no engine and never looks into the script. It knows no MCP, no catalog and no
// JSON-RPC; what a nested call means is decided by the [Host] it is given.
package sandbox

import (
	"context"
	"encoding/json"
	"time"
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
