package wire

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

// SettleHead says why a call was rejected. One that succeeded has no head.
type SettleHead struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// LogHead stands at a Log frame whose line the worker had to cut.
type LogHead struct {
	Chars int `json:"chars,omitempty"` // UTF-16 code units of the whole line; 0 = the body is the whole line
}

// DoneHead goes with the return value.
type DoneHead struct {
	LogChars int `json:"logChars,omitempty"` // UTF-16 code units of console output in all, as sandbox.Logs.Chars
}

// FailedHead is a sandbox.Failure on the wire. CallKind is the CallErrorKind of an uncaught tool error.
type FailedHead struct {
	Kind     string `json:"kind"`
	CallKind string `json:"callKind,omitempty"`
	Name     string `json:"name,omitempty"`
	Message  string `json:"message"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Frame    string `json:"frame,omitempty"`
	LogChars int    `json:"logChars,omitempty"` // as in DoneHead
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
