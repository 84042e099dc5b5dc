package sandbox

import (
	"encoding/json"
	"time"
)

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
