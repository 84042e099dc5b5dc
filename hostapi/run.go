package hostapi

import "encoding/json"

// ExecRunParams is one Exec call. Input is the model's raw tool input.
type ExecRunParams struct {
	SessionID   string          `json:"sessionId"`
	RunID       string          `json:"runId"`
	Input       json.RawMessage `json:"input,omitempty"`
	Exec        string          `json:"exec,omitempty" jsonschema:"enum=on,enum=not_registered,enum=denied,enum=excluded"`
	Pool        *PoolSnapshot   `json:"pool,omitempty"`
	Limits      json.RawMessage `json:"limits,omitempty"` // see Limits; any subset
	ParentRunID string          `json:"parentRunId,omitempty"`
}

// Statuses of a run.
const (
	StatusCompleted      = "completed"
	StatusCodeError      = "code_error"
	StatusBudgetExceeded = "budget_exceeded"
	StatusTimeout        = "timeout"
	StatusCancelled      = "cancelled"
	StatusSandboxError   = "sandbox_error"
	StatusNotAvailable   = "not_available"
)

// ExecResult is how a run ended. It is never a JSON-RPC error.
type ExecResult struct {
	RunID        string            `json:"runId"`
	IsError      bool              `json:"isError"`
	Status       string            `json:"status" jsonschema:"enum=completed,enum=code_error,enum=budget_exceeded,enum=timeout,enum=cancelled,enum=sandbox_error,enum=not_available"`
	ErrorKind    string            `json:"errorKind,omitempty"`
	Content      []json.RawMessage `json:"content"` // one text block, never empty, then images
	Logs         Logs              `json:"logs"`
	ReturnValue  json.RawMessage   `json:"returnValue,omitempty"` // absent for undefined or when cut
	Warnings     []string          `json:"warnings,omitempty"`
	Error        *ExecError        `json:"error,omitempty"`
	Truncated    *Truncated        `json:"truncated,omitempty"`
	Summary      Summary           `json:"summary"`
	Calls        []CallRecord      `json:"calls"`
	CallsOmitted map[string]int    `json:"callsOmitted,omitempty"` // by status
	Clamped      []Clamp           `json:"clamped,omitempty"`
	Stats        Stats             `json:"stats"`
}

// Logs is the console output kept. Chars counts all of it in UTF-16 code units.
type Logs struct {
	Text      string `json:"text"`
	Chars     int    `json:"chars"`
	Truncated bool   `json:"truncated"`
}

// ExecError is why a run failed. Line and Column are in the model's script, from 1.
type ExecError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Frame   string `json:"frame,omitempty"`
}

// Truncated says what was cut.
type Truncated struct {
	Result *TruncatedResult `json:"result,omitempty"`
}

// TruncatedResult counts UTF-16 code units.
type TruncatedResult struct {
	ShownChars int `json:"shownChars"`
	TotalChars int `json:"totalChars"`
}

// Summary is for display only.
type Summary struct {
	Text  string `json:"text"`
	Total int    `json:"total"`
	State string `json:"state" jsonschema:"enum=running,enum=done,enum=failed"`
}

// CallRecord is one nested call in the ledger.
type CallRecord struct {
	CallID string `json:"callId"`
	Name   string `json:"name"`
	Status string `json:"status" jsonschema:"enum=ok,enum=error,enum=denied,enum=limit,enum=cancelled,enum=in_flight"`
	Ms     int64  `json:"ms"`
}

// Stats of a run, never shown to the model.
type Stats struct {
	WallMs          int64 `json:"wallMs"`
	ActiveMs        int64 `json:"activeMs"`
	QueuedMs        int64 `json:"queuedMs"`
	PeakMemoryBytes int64 `json:"peakMemoryBytes,omitempty"`
}

// ExecCancelParams cancels one run, or every run of the session.
type ExecCancelParams struct {
	SessionID string `json:"sessionId"`
	RunID     string `json:"runId,omitempty"`
	Reason    string `json:"reason,omitempty"`
}
