package hostapi

import "encoding/json"

// HostPoolParams asks the host for its pool. Purpose is turn, run, catalog or search.
type HostPoolParams struct {
	SessionID  string `json:"sessionId"`
	IfRevision string `json:"ifRevision,omitempty"`
	Purpose    string `json:"purpose" jsonschema:"enum=turn,enum=run,enum=catalog,enum=search"`
}

// HostCallToolParams asks the host to run one leaf through its funnel.
type HostCallToolParams struct {
	SessionID  string          `json:"sessionId"`
	RunID      string          `json:"runId"`
	CallID     string          `json:"callId"`
	Index      int             `json:"index"` // of the nested call in its run, from 1
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Grant      string          `json:"grant,omitempty"`
	TimeLeftMs int64           `json:"timeLeftMs"`
}

// HostCallToolResult is what came of it. Result is the raw CallToolResult.
type HostCallToolResult struct {
	Outcome string          `json:"outcome" jsonschema:"enum=result,enum=denied,enum=cancelled,enum=unreachable"`
	Result  json.RawMessage `json:"result,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	By      string          `json:"by,omitempty"`
}

// HostPermissionParams asks the host for a grant, with the bytes that the call will have.
type HostPermissionParams struct {
	SessionID string          `json:"sessionId"`
	RunID     string          `json:"runId"`
	CallID    string          `json:"callId"`
	Index     int             `json:"index"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// HostPermissionResult is the host's decision.
type HostPermissionResult struct {
	Decision string `json:"decision" jsonschema:"enum=allow,enum=deny,enum=cancelled"`
	Grant    string `json:"grant,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// ExecProgressParams is the live summary of a run. Seq grows with every notification of the run.
type ExecProgressParams struct {
	SessionID string    `json:"sessionId"`
	RunID     string    `json:"runId"`
	Seq       int64     `json:"seq"`
	Summary   Summary   `json:"summary"`
	Awaiting  *Awaiting `json:"awaiting,omitempty"`
}

// Awaiting lets a host show what a long run is waiting for.
type Awaiting struct {
	CallID string `json:"callId,omitempty"`
	Name   string `json:"name,omitempty"`
	What   string `json:"what" jsonschema:"enum=permission,enum=tool,enum=queue"`
}
