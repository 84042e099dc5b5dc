package refhost

import (
	"context"
	"encoding/json"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/turns"
	"github.com/exec-ext/exec-ext/rpc"
)

// Permission modes of a Host.
const (
	PermissionInFunnel = "inFunnel"
	PermissionSeparate = "separate"
)

// A Host serves the host's half of the protocol over one Hub and one Gate.
type Host struct {
	// Hub has the tools; nil: the pool is unavailable.
	Hub  *Hub
	Gate *Gate
	// Permission says where the gate is asked: PermissionInFunnel (the default) or PermissionSeparate.
	Permission string
	// Progress gets the live summary of every run, in order. It must not block; nil: it is not asked for.
	Progress func(hostapi.ExecProgressParams)
}

// capabilities is what the host tells in initialize.
func (h *Host) capabilities() hostapi.HostCapabilities {
	return hostapi.HostCapabilities{
		Pool:     &struct{}{},
		CallTool: &hostapi.CallToolCapability{Permission: h.Permission},
		Progress: h.Progress != nil,
	}
}

// table is what the extension may call.
func (h *Host) table() rpc.Table {
	open := newGrants()
	return rpc.Table{
		hostapi.MethodHostPool: method(h.pool),
		hostapi.MethodHostCallTool: inTurn(h, func(ctx context.Context, t *turns.Turn, p hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) {
			return h.callTool(ctx, t, open, p)
		}),
		hostapi.MethodHostPermission: inTurn(h, func(ctx context.Context, t *turns.Turn, p hostapi.HostPermissionParams) (hostapi.HostPermissionResult, error) {
			return h.permission(ctx, t, open, p)
		}),
		hostapi.MethodExecProgress: func(_ context.Context, raw json.RawMessage) rpc.Job {
			var p hostapi.ExecProgressParams
			if h.Progress != nil && hostapi.Decode(raw, &p) == nil {
				h.Progress(p)
			}
			return nil
		},
	}
}

// method decodes on the read loop and works on a goroutine of its own.
func method[P, R any](f func(context.Context, P) (R, error)) rpc.Method {
	return func(_ context.Context, raw json.RawMessage) rpc.Job {
		var p P
		err := hostapi.Decode(raw, &p)
		return func(ctx context.Context) (any, error) {
			if err != nil {
				return nil, &rpc.Error{Code: -32602, Message: err.Error(), Data: map[string]any{"kind": "invalid_params", "retryable": false}}
			}
			return f(ctx, p)
		}
	}
}

// inTurn is method for requests that the gate decides on: each takes its turn on the read loop.
func inTurn[P, R any](h *Host, f func(context.Context, *turns.Turn, P) (R, error)) rpc.Method {
	return func(ctx context.Context, raw json.RawMessage) rpc.Job {
		t := h.Gate.line.Join()
		context.AfterFunc(ctx, t.Leave) // also if the job never runs
		return method(func(ctx context.Context, p P) (R, error) { return f(ctx, t, p) })(ctx, raw)
	}
}

// pool answers with a snapshot of this moment, or "unchanged".
func (h *Host) pool(ctx context.Context, p hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) {
	if h.Hub == nil {
		return hostapi.PoolSnapshot{Status: "unavailable", Reason: "no MCP servers are configured"}, nil
	}
	tools, revision := h.Hub.Pool(ctx)
	if p.IfRevision == revision {
		return hostapi.PoolSnapshot{Status: "unchanged", Revision: revision}, nil
	}
	return hostapi.PoolSnapshot{Status: "ok", Revision: revision, Tools: tools, Deny: h.Gate.poolDeny()}, nil
}

// callTool is the funnel: the only place from which a tool is run.
func (h *Host) callTool(ctx context.Context, t *turns.Turn, open *grants, p hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) {
	v, err := h.admit(ctx, t, open, p)
	if err != nil {
		return hostapi.HostCallToolResult{Outcome: "cancelled"}, nil
	}
	if !v.allowed {
		return hostapi.HostCallToolResult{Outcome: "denied", Reason: v.reason, By: v.by}, nil
	}
	if h.Hub == nil {
		return hostapi.HostCallToolResult{Outcome: "unreachable", Reason: sentence(textGone, p.Name).Error()}, nil
	}
	result, err := h.Hub.Call(ctx, p.Name, p.Arguments)
	switch {
	case err != nil && ctx.Err() != nil:
		return hostapi.HostCallToolResult{Outcome: "cancelled"}, nil
	case err != nil:
		return hostapi.HostCallToolResult{Outcome: "unreachable", Reason: err.Error()}, nil
	}
	return hostapi.HostCallToolResult{Outcome: "result", Result: result}, nil
}

// admit asks the gate, or in the separate mode for the grant that the gate gave before.
func (h *Host) admit(ctx context.Context, t *turns.Turn, open *grants, p hostapi.HostCallToolParams) (verdict, error) {
	if h.Permission != PermissionSeparate {
		return h.Gate.decide(ctx, t, p.Name, p.Arguments)
	}
	defer t.Leave()
	if !open.use(p) {
		return verdict{reason: textNoGrant, by: "host"}, nil
	}
	return verdict{allowed: true}, nil
}

// permission asks the gate and gives a grant for exactly what was asked.
func (h *Host) permission(ctx context.Context, t *turns.Turn, open *grants, p hostapi.HostPermissionParams) (hostapi.HostPermissionResult, error) {
	v, err := h.Gate.decide(ctx, t, p.Name, p.Arguments)
	switch {
	case err != nil:
		return hostapi.HostPermissionResult{Decision: "cancelled"}, nil
	case !v.allowed:
		return hostapi.HostPermissionResult{Decision: "deny", Reason: v.reason}, nil
	}
	return hostapi.HostPermissionResult{Decision: "allow", Grant: open.give(p)}, nil
}
