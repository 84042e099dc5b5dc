package hostapi

import "encoding/json"

// PoolSnapshot is the set of MCP tools a session has now.
type PoolSnapshot struct {
	Status   string            `json:"status" jsonschema:"enum=ok,enum=unchanged,enum=unavailable"`
	Reason   string            `json:"reason,omitempty"` // for unavailable
	Revision string            `json:"revision,omitempty"`
	Tools    []json.RawMessage `json:"tools,omitempty"` // see PoolTool; the bytes of tools/list
	Deny     []string          `json:"deny,omitempty"`  // exact names, prefixes ending in *, or Exec
}

// PoolTool is a tool as tools/list sent it, with name the full flat name. Other members are ignored.
type PoolTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}

// TurnPrepareParams asks what to declare and to say in the next request to the model.
type TurnPrepareParams struct {
	SessionID string        `json:"sessionId"`
	Exec      string        `json:"exec,omitempty" jsonschema:"enum=on,enum=not_registered,enum=denied,enum=excluded"`
	Pool      *PoolSnapshot `json:"pool,omitempty"`
	Channel   string        `json:"channel,omitempty" jsonschema:"enum=available,enum=absent"`
	History   []string      `json:"history,omitempty"` // texts of meta messages still in the context, oldest first
}

// TurnPrepareResult answers turn/prepare.
type TurnPrepareResult struct {
	Mode         string       `json:"mode" jsonschema:"enum=exec,enum=flat,enum=none"`
	Reason       string       `json:"reason"`
	Declare      []string     `json:"declare,omitzero"` // absent when the pool is unavailable
	ExecTool     *ExecTool    `json:"execTool,omitempty"`
	Announcement Announcement `json:"announcement"`
	Pool         PoolInfo     `json:"pool"`
	Warnings     []string     `json:"warnings"`
}

// PoolInfo is the pool a plan was made from. Size counts after the deny rules.
type PoolInfo struct {
	Size     int    `json:"size"`
	Revision string `json:"revision,omitempty"`
}

// Announcement says what to append to the conversation, if anything.
type Announcement struct {
	Action  string       `json:"action" jsonschema:"enum=none,enum=append"`
	Kind    string       `json:"kind,omitempty" jsonschema:"enum=full,enum=diff,enum=empty,enum=retired"`
	Message *MetaMessage `json:"message,omitempty"`
	Marker  *Marker      `json:"marker,omitempty"`
	Reason  string       `json:"reason"`
}

// MetaMessage is one message for the model, marker line included.
type MetaMessage struct {
	Role   string `json:"role" jsonschema:"enum=user"`
	IsMeta bool   `json:"isMeta"`
	Text   string `json:"text"`
}

// Marker is the object in the last line of an announcement.
type Marker struct {
	V         int            `json:"v"`
	Kind      string         `json:"kind" jsonschema:"enum=full,enum=diff,enum=empty,enum=retired"`
	Digest    string         `json:"digest"`
	Base      string         `json:"base,omitempty"`
	Truncated bool           `json:"truncated"`
	Servers   map[string]int `json:"servers"`
}
