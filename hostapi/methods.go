package hostapi

import "reflect"

// A MethodInfo is one row of the method table.
type MethodInfo struct {
	Name   string
	From   string       // who sends it: "host" or "extension"
	Params reflect.Type // nil = none
	Result reflect.Type // nil = a notification; typeNull = null
}

// Peers of the protocol.
const (
	FromHost      = "host"
	FromExtension = "extension"
)

// Empty is an object without members.
type Empty struct{}

// Null stands for a result of null.
type Null struct{}

// CancelRequestParams names the request that is to be cancelled: its id as it was sent.
type CancelRequestParams struct {
	ID any `json:"id"`
}

// Methods is the whole method table, in the order of the protocol.
func Methods() []MethodInfo {
	return []MethodInfo{
		{MethodInitialize, FromHost, typeOf[InitializeParams](), typeOf[InitializeResult]()},
		{MethodInitialized, FromHost, typeOf[Empty](), nil},
		{MethodShutdown, FromHost, typeOf[Empty](), typeOf[Null]()},
		{MethodExit, FromHost, typeOf[Empty](), nil},
		{MethodTurnPrepare, FromHost, typeOf[TurnPrepareParams](), typeOf[TurnPrepareResult]()},
		{MethodExecRun, FromHost, typeOf[ExecRunParams](), typeOf[ExecResult]()},
		{MethodExecCancel, FromHost, typeOf[ExecCancelParams](), nil},
		{MethodCatalogRender, FromHost, typeOf[CatalogRenderParams](), typeOf[CatalogRenderResult]()},
		{MethodCatalogSearch, FromHost, typeOf[CatalogSearchParams](), typeOf[CatalogSearchResult]()},
		{MethodConfigUpdate, FromHost, typeOf[ConfigUpdateParams](), typeOf[ConfigUpdateResult]()},
		{MethodExtensionHealth, FromHost, typeOf[HealthParams](), typeOf[HealthResult]()},
		{MethodPing, FromHost, typeOf[Empty](), typeOf[Empty]()},
		{MethodCancelRequest, FromHost, typeOf[CancelRequestParams](), nil},
		{MethodHostPool, FromExtension, typeOf[HostPoolParams](), typeOf[PoolSnapshot]()},
		{MethodHostCallTool, FromExtension, typeOf[HostCallToolParams](), typeOf[HostCallToolResult]()},
		{MethodHostPermission, FromExtension, typeOf[HostPermissionParams](), typeOf[HostPermissionResult]()},
		{MethodExecProgress, FromExtension, typeOf[ExecProgressParams](), nil},
		{MethodCancelRequest, FromExtension, typeOf[CancelRequestParams](), nil},
	}
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }
