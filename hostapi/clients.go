package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
)

// A Caller is one end of a connection; *rpc.Conn is one. Call gives the raw result or the peer's error; Notify
// never blocks and of one key only the latest waiting notification is sent.
type Caller interface {
	Call(ctx context.Context, method string, params any) (json.RawMessage, error)
	Notify(key, method string, params any)
}

// A Host is the extension's typed view of its host. Its methods may be called from any goroutine; an error is
// the connection's or the host's own JSON-RPC error, or says that the answer had not the right shape.
type Host struct{ c Caller }

// NewHost speaks to the host at the other end of c.
func NewHost(c Caller) Host { return Host{c} }

// Pool asks for the session's pool.
func (h Host) Pool(ctx context.Context, p HostPoolParams) (PoolSnapshot, error) {
	return call[PoolSnapshot](ctx, h.c, MethodHostPool, p)
}

// CallTool runs one leaf through the host's funnel.
func (h Host) CallTool(ctx context.Context, p HostCallToolParams) (HostCallToolResult, error) {
	return call[HostCallToolResult](ctx, h.c, MethodHostCallTool, p)
}

// Permission asks for a grant (permission mode "separate" only).
func (h Host) Permission(ctx context.Context, p HostPermissionParams) (HostPermissionResult, error) {
	return call[HostPermissionResult](ctx, h.c, MethodHostPermission, p)
}

// Progress sends the live summary of a run; a later one of the same run may overtake it.
func (h Host) Progress(p ExecProgressParams) {
	h.c.Notify(p.SessionID+"\x00"+p.RunID, MethodExecProgress, p)
}

// An Extension is a host's typed view of exec-ext.
type Extension struct{ c Caller }

// NewExtension speaks to the extension at the other end of c.
func NewExtension(c Caller) Extension { return Extension{c} }

// Initialize opens the connection: the first request.
func (e Extension) Initialize(ctx context.Context, p InitializeParams) (InitializeResult, error) {
	return call[InitializeResult](ctx, e.c, MethodInitialize, p)
}

// TurnPrepare asks what to declare and to announce.
func (e Extension) TurnPrepare(ctx context.Context, p TurnPrepareParams) (TurnPrepareResult, error) {
	return call[TurnPrepareResult](ctx, e.c, MethodTurnPrepare, p)
}

// ExecRun runs one script. Ending ctx cancels the run; its result is then lost: use ExecCancel to keep it.
func (e Extension) ExecRun(ctx context.Context, p ExecRunParams) (ExecResult, error) {
	return call[ExecResult](ctx, e.c, MethodExecRun, p)
}

// ExecCancel cancels a run, or every run of the session; each is still answered with its result.
func (e Extension) ExecCancel(p ExecCancelParams) {
	e.c.Notify(MethodExecCancel+"\x00"+p.SessionID+"\x00"+p.RunID, MethodExecCancel, p)
}

// CatalogRender gives the catalog text.
func (e Extension) CatalogRender(ctx context.Context, p CatalogRenderParams) (CatalogRenderResult, error) {
	return call[CatalogRenderResult](ctx, e.c, MethodCatalogRender, p)
}

// CatalogSearch searches the whole pool.
func (e Extension) CatalogSearch(ctx context.Context, p CatalogSearchParams) (CatalogSearchResult, error) {
	return call[CatalogSearchResult](ctx, e.c, MethodCatalogSearch, p)
}

// ConfigUpdate applies a JSON merge patch.
func (e Extension) ConfigUpdate(ctx context.Context, p ConfigUpdateParams) (ConfigUpdateResult, error) {
	return call[ConfigUpdateResult](ctx, e.c, MethodConfigUpdate, p)
}

// Health gives the state of the process.
func (e Extension) Health(ctx context.Context, p HealthParams) (HealthResult, error) {
	return call[HealthResult](ctx, e.c, MethodExtensionHealth, p)
}

// Shutdown ends the work; Exit follows it.
func (e Extension) Shutdown(ctx context.Context) error {
	_, err := e.c.Call(ctx, MethodShutdown, struct{}{})
	return err
}

// Exit ends the process.
func (e Extension) Exit() { e.c.Notify(MethodExit, MethodExit, struct{}{}) }

func call[R any](ctx context.Context, c Caller, method string, params any) (R, error) {
	var r R
	raw, err := c.Call(ctx, method, params)
	if err != nil {
		return r, err
	}
	if err := Decode(raw, &r); err != nil {
		return r, fmt.Errorf("%s: the answer has not the shape of the protocol: %w", method, err)
	}
	return r, nil
}
