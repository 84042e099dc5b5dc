package hostapi

import "encoding/json"

// ProtocolVersion is the one version spoken.
const ProtocolVersion = 1

// Methods the host calls.
const (
	MethodInitialize      = "initialize"
	MethodInitialized     = "initialized"
	MethodShutdown        = "shutdown"
	MethodExit            = "exit"
	MethodTurnPrepare     = "turn/prepare"
	MethodExecRun         = "exec/run"
	MethodExecCancel      = "exec/cancel"
	MethodCatalogRender   = "catalog/render"
	MethodCatalogSearch   = "catalog/search"
	MethodConfigUpdate    = "config/update"
	MethodExtensionHealth = "extension/health"
	MethodPing            = "ping"
	MethodCancelRequest   = "$/cancelRequest"
)

// Methods the extension calls.
const (
	MethodHostPool       = "host/pool"
	MethodHostCallTool   = "host/callTool"
	MethodHostPermission = "host/permission"
	MethodExecProgress   = "exec/progress"
)

// InitializeParams is the first request.
type InitializeParams struct {
	ProtocolVersion int              `json:"protocolVersion"`
	ClientInfo      Implementation   `json:"clientInfo"`
	ProcessID       *int             `json:"processId" jsonschema:"nullable"` // of the host; null: not watched
	Capabilities    HostCapabilities `json:"capabilities"`
	Config          json.RawMessage  `json:"config,omitempty"` // see Config
}

// Implementation names a program.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// HostCapabilities is what the host serves. Without CallTool, Exec is never declared.
type HostCapabilities struct {
	Pool            *struct{}           `json:"pool,omitempty"` // host/pool is served
	CallTool        *CallToolCapability `json:"callTool,omitempty"`
	Progress        bool                `json:"progress,omitempty"` // it wants exec/progress
	MaxMessageBytes int64               `json:"maxMessageBytes,omitempty"`
}

// CallToolCapability says where the permission gate is.
type CallToolCapability struct {
	Permission string `json:"permission,omitempty" jsonschema:"enum=inFunnel,enum=separate"` // inFunnel by default
}

// InitializeResult answers initialize.
type InitializeResult struct {
	ProtocolVersion int                   `json:"protocolVersion"`
	ServerInfo      Implementation        `json:"serverInfo"`
	Capabilities    ExtensionCapabilities `json:"capabilities"`
	ExecTool        ExecTool              `json:"execTool"`
	EffectiveConfig Config                `json:"effectiveConfig"`
	Clamped         []Clamp               `json:"clamped,omitempty"`
	Ceilings        Ceilings              `json:"ceilings"`
	Isolation       Isolation             `json:"isolation"`
}

// ExtensionCapabilities is what this build can do.
type ExtensionCapabilities struct {
	Exec            ExecCapability `json:"exec"`
	MaxMessageBytes int64          `json:"maxMessageBytes"`
	Profiles        []string       `json:"profiles"`
}

// ExecCapability: Exec is not to be run beside other tools.
type ExecCapability struct {
	ConcurrencySafe bool `json:"concurrencySafe"`
}

// ExecTool is the declaration of Exec, ready for a provider's tool list.
type ExecTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations json.RawMessage `json:"annotations"`
}

// Isolation is section 7: what this machine really gave.
type Isolation struct {
	Mode       string     `json:"mode" jsonschema:"enum=process"`
	Level      string     `json:"level" jsonschema:"enum=full,enum=partial,enum=process"`
	Guarantees Guarantees `json:"guarantees"`
	Layers     []Layer    `json:"layers"`
}

// Guarantees, by self-probe.
type Guarantees struct {
	Filesystem string `json:"filesystem" jsonschema:"enum=denied,enum=open"`
	Network    string `json:"network" jsonschema:"enum=denied,enum=open"`
	Exec       string `json:"exec" jsonschema:"enum=denied,enum=open"`
	Processes  string `json:"processes" jsonschema:"enum=denied,enum=open"`
	Memory     string `json:"memory" jsonschema:"enum=hard,enum=watched,enum=open"`
}

// Layer is one mechanism of the isolation.
type Layer struct {
	ID     string `json:"id"`
	Active bool   `json:"active"`
	Proven bool   `json:"proven"`
	Detail string `json:"detail,omitempty"`
}
