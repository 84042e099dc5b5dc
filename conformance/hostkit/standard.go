package hostkit

import (
	"encoding/json"
	"fmt"

	"github.com/exec-ext/exec-ext/hostapi"
)

// standardStart is the order that begins each check, the commands and the vector's own members aside.
const standardStart = `{
	"op": "start", "permission": "inFunnel",
	"tools": [
		{"name": "mcp__srv__read", "description": "Read a file.", "inputSchema": {"type": "object"}},
		{"name": "mcp__srv__write", "description": "Write a file.", "inputSchema": {"type": "object"}},
		{"name": "mcp__srv__pay", "description": "Pay a bill.", "inputSchema": {"type": "object"}},
		{"name": "mcp__srv__think", "description": "Think about it.", "inputSchema": {"type": "object"}},
		{"name": "mcp__srv__drop", "description": "Drop the table.", "inputSchema": {"type": "object"}},
		{"name": "mcp__other__slow", "description": "Takes long.", "inputSchema": {"type": "object"}},
		{"name": "mcp__lost__gone", "description": "Is gone.", "inputSchema": {"type": "object"}},
		{"name": "mcp__other__broken", "description": "Fails.", "inputSchema": {"type": "object"}},
		{"name": "mcp__other__photo", "description": "Take a photo.", "inputSchema": {"type": "object"}}
	],
	"leaves": {
		"mcp__srv__read": {"content": [{"type": "text", "text": "read it"}]},
		"mcp__srv__write": {"content": [{"type": "text", "text": "wrote it"}]},
		"mcp__srv__pay": {"content": [{"type": "text", "text": "paid it"}]},
		"mcp__srv__think": {"content": [{"type": "text", "text": "thought of it"}]},
		"mcp__srv__drop": {"content": [{"type": "text", "text": "dropped it"}]},
		"mcp__other__slow": "hang",
		"mcp__lost__gone": "fail",
		"mcp__other__broken": {"content": [{"type": "text", "text": "no such file"}], "isError": true},
		"mcp__other__photo": {"content": [{"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}], "structuredContent": {"z": 1, "a": 2}}
	},
	"rules": {
		"allow": ["mcp__srv__read", "mcp__other__slow", "mcp__lost__gone", "mcp__other__broken", "mcp__other__photo"],
		"deny": ["mcp__srv__drop"],
		"ask": {"mcp__srv__write": "yes", "mcp__srv__pay": "no", "mcp__srv__think": "never"}
	}
}`

// startOrder is the order start for a vector.
func (v *vector) startOrder(command []string, program string) (json.RawMessage, error) {
	var order map[string]any
	if err := json.Unmarshal([]byte(standardStart), &order); err != nil {
		return nil, err
	}
	order["command"], order["program"] = command, program
	for name, value := range v.Start {
		order[name] = value
	}
	return json.Marshal(order)
}

// standardAnswer is what the fake extension answers to initialize or turn/prepare if the vector says nothing else.
func standardAnswer(method string) json.RawMessage {
	if method == hostapi.MethodTurnPrepare {
		return json.RawMessage(`{"mode":"exec","reason":"pool_nonempty","declare":["Exec"],` +
			`"announcement":{"action":"none","reason":"same_digest"},"pool":{"size":8},"warnings":[]}`)
	}
	limits := hostapi.Limits{
		WallMs: 600_000, ActiveMs: 60_000, ToolCalls: 50, ConcurrentCalls: 8, CodeBytes: 131_072, LogChars: 16_000,
		ResultChars: 100_000, Images: 8, ImageBytes: 20 << 20, MemoryBytes: 256 << 20, ConcurrentRuns: 32, WarmWorkers: 1,
	}
	catalog := hostapi.Catalog{BudgetTokens: 2000, Depth: 8, DescriptionChars: 120}
	answer, err := json.Marshal(hostapi.InitializeResult{
		ProtocolVersion: hostapi.ProtocolVersion,
		ServerInfo:      hostapi.Implementation{Name: "exec-ext", Version: "0.0.0-conformance"},
		Capabilities:    hostapi.ExtensionCapabilities{MaxMessageBytes: 64 << 20, Profiles: []string{"mcp"}},
		ExecTool: hostapi.ExecTool{
			Name: "Exec", Description: "Run a script that calls tools.", Annotations: json.RawMessage(`{"title":"Exec"}`),
			InputSchema: json.RawMessage(`{"type":"object","properties":{"code":{"type":"string"}},"required":["code"]}`),
		},
		EffectiveConfig: hostapi.Config{
			DisallowedTools: []string{}, Profile: "mcp", Limits: limits, Catalog: catalog, ResultFormat: "text", OverlongResult: "cut",
		},
		Ceilings: hostapi.Ceilings{Limits: limits, Catalog: catalog},
		Isolation: hostapi.Isolation{
			Mode: "process", Level: "full", Layers: []hostapi.Layer{},
			Guarantees: hostapi.Guarantees{Filesystem: "denied", Network: "denied", Exec: "denied", Processes: "denied", Memory: "hard"},
		},
	})
	if err != nil {
		panic(err) // the types cannot be written
	}
	return answer
}

// runResult is an ExecResult. status is one of the protocol's; a completed run has the text as its value.
func runResult(runID json.RawMessage, status, text string) (json.RawMessage, error) {
	r := hostapi.ExecResult{Status: status, Calls: []hostapi.CallRecord{}, Summary: hostapi.Summary{Text: "0 tool calls", State: "done"}}
	if err := json.Unmarshal(runID, &r.RunID); err != nil {
		return nil, fmt.Errorf("runId %s: %w", runID, err)
	}
	if status != hostapi.StatusCompleted {
		r.IsError, r.ErrorKind = true, map[string]string{
			hostapi.StatusCodeError: "script_error", hostapi.StatusSandboxError: "crash",
		}[status]
		if r.ErrorKind == "" {
			r.ErrorKind = status
		}
		r.Error = &hostapi.ExecError{Name: "Error", Message: text}
		r.Summary = hostapi.Summary{Text: "failed", State: "failed"}
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	r.Content = []json.RawMessage{fmt.Appendf(nil, `{"type":"text","text":%s}`, quoted)}
	if status == hostapi.StatusCompleted {
		r.ReturnValue = quoted
	}
	return json.Marshal(r)
}
