// The messages of protocol version 1, as the JSON Schemas of `exec-ext schema` have them (a test compares them).

/** The one protocol version this client speaks. */
export const PROTOCOL_VERSION = 1;

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** What the host's own rules say of Exec itself. */
export type ExecState = 'on' | 'not_registered' | 'denied' | 'excluded';

/** A tool as `tools/list` sent it, with `name` the full flat name `mcp__server__tool`. */
export interface PoolTool {
  name: string;
  description?: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
  [member: string]: unknown;
}

/** The set of MCP tools a session has now. `unavailable` is not the same as empty. */
export interface PoolSnapshot {
  status: 'ok' | 'unchanged' | 'unavailable';
  reason?: string;
  revision?: string;
  tools?: PoolTool[];
  /** Exact names, prefixes ending in `*`, or `Exec`. */
  deny?: string[];
}

/** Limits of a run, in the units of their names. */
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

/** Catalog settings. */
export interface CatalogConfig {
  budgetTokens: number;
  depth: number;
  descriptionChars: number;
}

/** The whole configuration in force. */
export interface EffectiveConfig {
  enableExec: { local?: boolean; remote?: boolean };
  disallowedTools: string[];
  profile: 'mcp' | 'all';
  limits: Limits;
  catalog: CatalogConfig;
  sandbox: { webGlobals: boolean };
  resultFormat: 'text' | 'structured';
  overlongResult: 'cut' | 'fail';
}

/** What a host may set: every member, at every depth, is optional; `null` in a patch removes a layer. */
export type Config = DeepPartial<EffectiveConfig> & { [member: string]: unknown };
type DeepPartial<T> = T extends unknown[] ? T : T extends object ? { [K in keyof T]?: DeepPartial<T[K]> | null } : T;

/** One value that was brought within its bounds. */
export interface Clamp {
  path: string;
  requested: number;
  effective: number;
}

/** The declaration of Exec, ready for a provider's tool list. */
export interface ExecTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

/** What this machine's isolation really gives. */
export interface Isolation {
  mode: 'process';
  level: 'full' | 'partial' | 'process';
  guarantees: Record<'filesystem' | 'network' | 'exec' | 'processes' | 'memory', string>;
  layers: { id: string; active: boolean; proven: boolean; detail?: string }[];
}

/** Names a program. */
export interface Implementation {
  name: string;
  version: string;
}

/** The answer to `initialize`. */
export interface InitializeResult {
  protocolVersion: number;
  serverInfo: Implementation;
  capabilities: { exec: { concurrencySafe: boolean }; maxMessageBytes: number; profiles: string[] };
  execTool: ExecTool;
  effectiveConfig: EffectiveConfig;
  clamped?: Clamp[];
  ceilings: { limits: Limits; catalog: CatalogConfig };
  isolation: Isolation;
}

/** One message for the model, marker line included. */
export interface MetaMessage {
  role: 'user';
  isMeta: boolean;
  text: string;
}

/** What to append to the conversation, if anything. */
export interface Announcement {
  action: 'none' | 'append';
  kind?: 'full' | 'diff' | 'empty' | 'retired';
  message?: MetaMessage;
  marker?: {
    v: number;
    kind: 'full' | 'diff' | 'empty' | 'retired';
    digest: string;
    base?: string;
    truncated: boolean;
    servers: Record<string, number>;
  };
  reason: string;
}

/** The answer to `turn/prepare`. `declare` is absent when the pool is unavailable. */
export interface TurnPrepareResult {
  mode: 'exec' | 'flat' | 'none';
  reason: string;
  declare?: string[];
  execTool?: ExecTool;
  announcement: Announcement;
  pool: { size: number; revision?: string };
  warnings: string[];
}

/** How a run ended. */
export type RunStatus =
  | 'completed'
  | 'code_error'
  | 'budget_exceeded'
  | 'timeout'
  | 'cancelled'
  | 'sandbox_error'
  | 'not_available';

/** An MCP content block. */
export interface ContentBlock {
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
  [member: string]: unknown;
}

/** Display text of a run: count and latest calls, never part of the model's context. */
export interface Summary {
  text: string;
  total: number;
  state: 'running' | 'done' | 'failed';
}

/** One nested call in the ledger of a run. */
export interface CallRecord {
  callId: string;
  name: string;
  status: 'ok' | 'error' | 'denied' | 'limit' | 'cancelled' | 'in_flight';
  ms: number;
}

/** The result of one Exec call; `content` is what to hand the model. */
export interface ExecResult {
  runId: string;
  isError: boolean;
  status: RunStatus;
  errorKind?: string;
  content: ContentBlock[];
  logs: { text: string; chars: number; truncated: boolean };
  returnValue?: Json;
  warnings?: string[];
  error?: { name: string; message: string; line?: number; column?: number; frame?: string };
  truncated?: { result?: { shownChars: number; totalChars: number } };
  summary: Summary;
  calls: CallRecord[];
  callsOmitted?: Record<string, number>;
  clamped?: Clamp[];
  stats: { wallMs: number; activeMs: number; queuedMs: number; peakMemoryBytes?: number };
}

/** The answer to `catalog/render`. */
export interface CatalogRenderResult {
  text: string;
  digest: string;
  truncated: boolean;
  shown: number;
  total: number;
  servers: { name: string; total: number; shown: number }[];
  estimatedTokens: number;
}

/** The answer to `catalog/search`. */
export interface CatalogSearchResult {
  items: { name: string; description: string; signature: string }[];
}

/** The answer to `config/update`. */
export interface ConfigUpdateResult {
  effectiveConfig: EffectiveConfig;
  changed: string[];
  clamped: Clamp[];
}

/** The answer to `extension/health`. */
export interface HealthResult {
  version: string;
  uptimeMs: number;
  runs: { live: number; queued: number };
  counters: Record<string, number>;
  workers: { spare: number; live: number };
  isolation: Isolation;
  checks: { id: string; pass: boolean; detail?: string }[];
}

/** Asks the host for its pool. */
export interface HostPoolParams {
  sessionId: string;
  ifRevision?: string;
  purpose: 'turn' | 'run' | 'catalog' | 'search';
}

/** Asks the host for a permission; the same members open `host/callTool`. */
export interface HostPermissionParams {
  sessionId: string;
  runId: string;
  callId: string;
  index: number;
  name: string;
  arguments: Record<string, unknown>;
}

/** Asks the host to run one leaf through its funnel. */
export interface HostCallToolParams extends HostPermissionParams {
  grant?: string;
  timeLeftMs: number;
}

/** A tool's own answer, as MCP has it. */
export interface CallToolResult {
  content?: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  [member: string]: unknown;
}

/** What came of one leaf. */
export type CallOutcome =
  | { outcome: 'result'; result: CallToolResult }
  | { outcome: 'denied'; reason: string; by?: string }
  | { outcome: 'cancelled' }
  | { outcome: 'unreachable'; reason: string };

/** The host's decision on one leaf, on the wire. */
export type HostPermissionResult =
  | { decision: 'allow'; grant: string }
  | { decision: 'deny'; reason: string }
  | { decision: 'cancelled' };

/** The live summary of a run. `seq` grows with every notification of the run. */
export interface ExecProgressParams {
  sessionId: string;
  runId: string;
  seq: number;
  summary: Summary;
  awaiting?: { callId?: string; name?: string; what: 'permission' | 'tool' | 'queue' };
}
