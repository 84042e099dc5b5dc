// Made from `exec-ext schema` by scripts/generate-types.mjs; not to be edited.

/** The one protocol version this client speaks. */
export const PROTOCOL_VERSION = 1;

export type Announcement =
  | {
      action: 'none';
      kind?: never;
      message?: never;
      marker?: never;
      reason: string;
    }
  | {
      action: 'append';
      kind: 'full' | 'diff' | 'empty' | 'retired';
      message: MetaMessage;
      marker: Marker;
      reason: string;
    };

export interface Awaiting {
  callId?: string;
  name?: string;
  what: 'permission' | 'tool' | 'queue';
}

export interface CallRecord {
  callId: string;
  name: string;
  status: 'ok' | 'error' | 'denied' | 'limit' | 'cancelled' | 'in_flight';
  ms: number;
}

export interface CallToolCapability {
  permission?: 'inFunnel' | 'separate';
}

export interface CancelRequestParams {
  id: unknown;
}

export interface Catalog {
  budgetTokens: number;
  depth: number;
  descriptionChars: number;
}

export interface CatalogPatch {
  budgetTokens?: number | null;
  depth?: number | null;
  descriptionChars?: number | null;
}

export interface CatalogRenderParams {
  sessionId: string;
  pool?: PoolSnapshot;
  budgetTokens?: number;
}

export interface CatalogRenderResult {
  text: string;
  digest: string;
  truncated: boolean;
  shown: number;
  total: number;
  servers: Array<ServerCount>;
  estimatedTokens: number;
}

export interface CatalogSearchParams {
  sessionId: string;
  pool?: PoolSnapshot;
  input?: unknown;
}

export interface CatalogSearchResult {
  items: Array<SearchItem>;
}

export interface Ceilings {
  limits: Limits;
  catalog: Catalog;
}

export interface Check {
  id: string;
  pass: boolean;
  detail?: string;
}

export interface Clamp {
  path: string;
  requested: number;
  effective: number;
}

export interface Config {
  enableExec: EnableExec;
  disallowedTools: Array<string>;
  profile: 'mcp' | 'all';
  limits: Limits;
  catalog: Catalog;
  sandbox: Sandbox;
  resultFormat: 'text' | 'structured';
  overlongResult: 'cut' | 'fail';
}

export interface ConfigPatch {
  enableExec?: EnableExecPatch | null;
  disallowedTools?: Array<string> | null;
  profile?: 'mcp' | 'all' | null;
  limits?: LimitsPatch | null;
  catalog?: CatalogPatch | null;
  sandbox?: SandboxPatch | null;
  resultFormat?: 'text' | 'structured' | null;
  overlongResult?: 'cut' | 'fail' | null;
}

export interface ConfigUpdateParams {
  patch: ConfigPatch;
}

export interface ConfigUpdateResult {
  effectiveConfig: Config;
  changed: Array<string>;
  clamped: Array<Clamp>;
}

export type Empty = {
  };

export interface EnableExec {
  local?: boolean;
  remote?: boolean;
}

export interface EnableExecPatch {
  local?: boolean | null;
  remote?: boolean | null;
}

export interface ExecCancelParams {
  sessionId: string;
  runId?: string;
  reason?: string;
}

export interface ExecCapability {
  concurrencySafe: boolean;
}

export interface ExecError {
  name: string;
  message: string;
  line?: number;
  column?: number;
  frame?: string;
}

export interface ExecProgressParams {
  sessionId: string;
  runId: string;
  seq: number;
  summary: Summary;
  awaiting?: Awaiting;
}

export interface ExecResult {
  runId: string;
  isError: boolean;
  status: 'completed' | 'code_error' | 'budget_exceeded' | 'timeout' | 'cancelled' | 'sandbox_error' | 'not_available';
  errorKind?: string;
  content: Array<unknown>;
  logs: Logs;
  returnValue?: unknown;
  warnings?: Array<string>;
  error?: ExecError;
  truncated?: Truncated;
  summary: Summary;
  calls: Array<CallRecord>;
  callsOmitted?: Record<string, number>;
  clamped?: Array<Clamp>;
  stats: Stats;
}

export interface ExecRunParams {
  sessionId: string;
  runId: string;
  input?: unknown;
  exec?: 'on' | 'not_registered' | 'denied' | 'excluded';
  pool?: PoolSnapshot;
  limits?: LimitsPatch;
  parentRunId?: string;
}

export interface ExecTool {
  name: string;
  description: string;
  inputSchema: unknown;
  annotations: unknown;
}

export interface ExtensionCapabilities {
  exec: ExecCapability;
  maxMessageBytes: number;
  profiles: Array<string>;
}

export interface Guarantees {
  filesystem: 'denied' | 'open';
  network: 'denied' | 'open';
  exec: 'denied' | 'open';
  processes: 'denied' | 'open';
  memory: 'hard' | 'watched' | 'open';
}

export interface HealthParams {
  selfTest?: boolean;
}

export interface HealthResult {
  version: string;
  uptimeMs: number;
  runs: RunCounts;
  counters: Record<string, number>;
  workers: WorkerCounts;
  isolation: Isolation;
  checks: Array<Check>;
}

export interface HostCallToolParams {
  sessionId: string;
  runId: string;
  callId: string;
  index: number;
  name: string;
  arguments: unknown;
  grant?: string;
  timeLeftMs: number;
}

export interface HostCallToolResult {
  outcome: 'result' | 'denied' | 'cancelled' | 'unreachable';
  result?: unknown;
  reason?: string;
  by?: string;
}

export interface HostCapabilities {
  pool?: {
  };
  callTool?: CallToolCapability;
  progress?: boolean;
  maxMessageBytes?: number;
}

export interface HostPermissionParams {
  sessionId: string;
  runId: string;
  callId: string;
  index: number;
  name: string;
  arguments: unknown;
}

export interface HostPermissionResult {
  decision: 'allow' | 'deny' | 'cancelled';
  grant?: string;
  reason?: string;
}

export interface HostPoolParams {
  sessionId: string;
  ifRevision?: string;
  purpose: 'turn' | 'run' | 'catalog' | 'search';
}

export interface Implementation {
  name: string;
  version: string;
}

export interface InitializeParams {
  protocolVersion: number;
  clientInfo: Implementation;
  processId: number | null;
  capabilities: HostCapabilities;
  config?: ConfigPatch;
}

export interface InitializeResult {
  protocolVersion: number;
  serverInfo: Implementation;
  capabilities: ExtensionCapabilities;
  execTool: ExecTool;
  effectiveConfig: Config;
  clamped?: Array<Clamp>;
  ceilings: Ceilings;
  isolation: Isolation;
}

export interface Isolation {
  mode: 'process';
  level: 'full' | 'partial' | 'process';
  guarantees: Guarantees;
  layers: Array<Layer>;
}

export interface Layer {
  id: string;
  active: boolean;
  proven: boolean;
  detail?: string;
}

export interface Limits {
  wallMs: number;
  activeMs: number;
  toolCalls: number;
  concurrentCalls: number;
  codeBytes: number;
  logChars: number;
  resultChars: number;
  images: number;
  imageBytes: number;
  memoryBytes: number;
  concurrentRuns: number;
  warmWorkers: number;
}

export interface LimitsPatch {
  wallMs?: number | null;
  activeMs?: number | null;
  toolCalls?: number | null;
  concurrentCalls?: number | null;
  codeBytes?: number | null;
  logChars?: number | null;
  resultChars?: number | null;
  images?: number | null;
  imageBytes?: number | null;
  memoryBytes?: number | null;
  concurrentRuns?: number | null;
  warmWorkers?: number | null;
}

export interface Logs {
  text: string;
  chars: number;
  truncated: boolean;
}

export interface Marker {
  v: number;
  kind: 'full' | 'diff' | 'empty' | 'retired';
  digest: string;
  base?: string;
  truncated: boolean;
  servers: Record<string, number>;
}

export interface MetaMessage {
  role: 'user';
  isMeta: boolean;
  text: string;
}

export interface PoolInfo {
  size: number;
  revision?: string;
}

export interface PoolSnapshot {
  status: 'ok' | 'unchanged' | 'unavailable';
  reason?: string;
  revision?: string;
  tools?: Array<PoolTool>;
  deny?: Array<string>;
}

export interface PoolTool {
  name: string;
  description?: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
}

export interface RunCounts {
  live: number;
  queued: number;
}

export interface Sandbox {
  webGlobals: boolean;
}

export interface SandboxPatch {
  webGlobals?: boolean | null;
}

export interface SearchItem {
  name: string;
  description: string;
  signature: string;
}

export interface ServerCount {
  name: string;
  total: number;
  shown: number;
}

export interface Stats {
  wallMs: number;
  activeMs: number;
  queuedMs: number;
  peakMemoryBytes?: number;
}

export interface Summary {
  text: string;
  total: number;
  state: 'running' | 'done' | 'failed';
}

export interface Truncated {
  result?: TruncatedResult;
}

export interface TruncatedResult {
  shownChars: number;
  totalChars: number;
}

export interface TurnPrepareParams {
  sessionId: string;
  exec?: 'on' | 'not_registered' | 'denied' | 'excluded';
  pool?: PoolSnapshot;
  channel?: 'available' | 'absent';
  history?: Array<string>;
}

export interface TurnPrepareResult {
  mode: 'exec' | 'flat' | 'none';
  reason: string;
  declare?: Array<string>;
  execTool?: ExecTool;
  announcement: Announcement;
  pool: PoolInfo;
  warnings: Array<string>;
}

export interface WorkerCounts {
  spare: number;
  live: number;
}
