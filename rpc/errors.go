package rpc

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
)

// Codes that this package answers by itself (protocol, section 5).
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInternal       = -32603
	CodeCancelled      = -32800
	CodeOverloaded     = -31003
	CodeTooLarge       = -31006
)

// ErrClosed is what Call gives when the peer can not answer any more.
var ErrClosed = errors.New("rpc: connection closed")

// A FramingError means that no further message can be found on the stream (exit code 65).
type FramingError struct{ Reason string }

func (e *FramingError) Error() string { return "framing: " + e.Reason }

// An Error is a JSON-RPC error object. Data is an object with kind and retryable (protocol, section 5); nil stands
// for {kind: "error", retryable: false}. In an answer of the peer Data is nil or a [json.RawMessage] as sent.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("jsonrpc %d: %s", e.Code, e.Message) }

// NewError returns an Error whose data holds kind, retryable and what extra adds.
func NewError(code int, kind, message string, retryable bool, extra map[string]any) *Error {
	data := map[string]any{}
	maps.Copy(data, extra)
	data["kind"], data["retryable"] = kind, retryable
	return &Error{Code: code, Message: message, Data: data}
}

// data returns the error's data as JSON, an object whatever the caller left out.
func (e *Error) data() json.RawMessage {
	if e.Data != nil {
		if raw, err := marshal(e.Data); err == nil && len(raw) > 0 && raw[0] == '{' {
			return raw
		}
	}
	return json.RawMessage(`{"kind":"error","retryable":false}`)
}

// internal returns a -32603 and the incident id under which the log has the cause.
func internal() (*Error, string) {
	var b [6]byte
	rand.Read(b[:]) // never fails
	incident := hex.EncodeToString(b[:])
	return NewError(CodeInternal, "internal", "internal error, see the log for incident "+incident, false,
		map[string]any{"incident": incident}), incident
}

// asError turns what a Job returned into what goes out; cancelled says that the peer cancelled the request.
// incident is not empty if the cause belongs into the log.
func asError(err error, cancelled bool) (e *Error, incident string) {
	if errors.As(err, &e) {
		return e, ""
	}
	if cancelled {
		return NewError(CodeCancelled, "cancelled", "request cancelled", false, nil), ""
	}
	return internal()
}
