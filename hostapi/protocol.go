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

// CatalogRenderParams asks for the catalog text.
type CatalogRenderParams struct {
	SessionID    string        `json:"sessionId"`
	Pool         *PoolSnapshot `json:"pool,omitempty"`
	BudgetTokens *int          `json:"budgetTokens,omitempty"`
}

// CatalogRenderResult is the catalog without marker line.
type CatalogRenderResult struct {
	Text            string        `json:"text"`
	Digest          string        `json:"digest"`
	Truncated       bool          `json:"truncated"`
	Shown           int           `json:"shown"`
	Total           int           `json:"total"`
	Servers         []ServerCount `json:"servers"`
	EstimatedTokens int           `json:"estimatedTokens"`
}

// ServerCount is one group of the catalog.
type ServerCount struct {
	Name  string `json:"name"`
	Total int    `json:"total"`
	Shown int    `json:"shown"`
}

// CatalogSearchParams searches the whole pool.
type CatalogSearchParams struct {
	SessionID string          `json:"sessionId"`
	Pool      *PoolSnapshot   `json:"pool,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
}

// CatalogSearchResult lists the hits in order.
type CatalogSearchResult struct {
	Items []SearchItem `json:"items"`
}

// SearchItem is one hit.
type SearchItem struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Signature   string `json:"signature"`
}

// ConfigUpdateParams carries a JSON merge patch of Config.
type ConfigUpdateParams struct {
	Patch json.RawMessage `json:"patch"`
}

// ConfigUpdateResult is what holds now.
type ConfigUpdateResult struct {
	EffectiveConfig Config   `json:"effectiveConfig"`
	Changed         []string `json:"changed"` // dotted paths of effective members
	Clamped         []Clamp  `json:"clamped"`
}

// Clamp is one value that was brought within its bounds.
type Clamp struct {
	Path      string `json:"path"`
	Requested int64  `json:"requested"`
	Effective int64  `json:"effective"`
}

// HealthParams may ask for a self-test.
type HealthParams struct {
	SelfTest bool `json:"selfTest,omitempty"`
}

// HealthResult is the state of the process.
type HealthResult struct {
	Version   string           `json:"version"`
	UptimeMs  int64            `json:"uptimeMs"`
	Runs      RunCounts        `json:"runs"`
	Counters  map[string]int64 `json:"counters"`
	Workers   WorkerCounts     `json:"workers"`
	Isolation Isolation        `json:"isolation"`
	Checks    []Check          `json:"checks"`
}

// RunCounts counts runs now.
type RunCounts struct {
	Live   int `json:"live"`
	Queued int `json:"queued"`
}

// WorkerCounts counts worker processes.
type WorkerCounts struct {
	Spare int `json:"spare"`
	Live  int `json:"live"`
}

// Check is one self-test.
type Check struct {
	ID     string `json:"id"`
	Pass   bool   `json:"pass"`
	Detail string `json:"detail,omitempty"`
}

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
