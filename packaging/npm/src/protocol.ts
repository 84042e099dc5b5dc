import type * as wire from './wire.js';

// The messages of the protocol: as the schemas have them (wire.ts), narrowed where a schema says "any JSON" and this
// package knows more.

export type * from './wire.js';
export { PROTOCOL_VERSION } from './wire.js';

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What the host's own rules say of Exec itself. */
export type ExecState = NonNullable<wire.ExecRunParams['exec']>;

/** How a run ended. */
export type RunStatus = wire.ExecResult['status'];

/** A tool as `tools/list` sent it, with `name` the full flat name `mcp__server__tool`. */
export interface PoolTool extends wire.PoolTool {
  [member: string]: unknown;
}

/** The set of MCP tools a session has now. `unavailable` is not the same as empty. */
export interface PoolSnapshot extends Omit<wire.PoolSnapshot, 'tools'> {
  tools?: PoolTool[];
}

/** The declaration of Exec, ready for a provider's tool list. */
export interface ExecTool extends wire.ExecTool {
  inputSchema: Record<string, unknown>;
}

/** The answer to `initialize`. */
export interface InitializeResult extends wire.InitializeResult {
  execTool: ExecTool;
}

/** The answer to `turn/prepare`. `declare` is absent when the pool is unavailable. */
export interface TurnPrepareResult extends wire.TurnPrepareResult {
  execTool?: ExecTool;
}

/** An MCP content block. */
export interface ContentBlock {
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
  [member: string]: unknown;
}

/** The result of one Exec call; `content` is what to hand the model. */
export interface ExecResult extends wire.ExecResult {
  content: ContentBlock[];
  returnValue?: Json;
}

/** Asks the host for a permission; the same members open `host/callTool`. */
export interface HostPermissionParams extends wire.HostPermissionParams {
  arguments: Record<string, unknown>;
}

/** Asks the host to run one leaf through its funnel. */
export interface HostCallToolParams extends wire.HostCallToolParams {
  arguments: Record<string, unknown>;
}

/** A tool's own answer, as MCP has it. */
export interface CallToolResult {
  content?: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  [member: string]: unknown;
}

/** What came of one leaf: `host/callTool`'s answer by its cases. */
export type CallOutcome =
  | { outcome: 'result'; result: CallToolResult }
  | { outcome: 'denied'; reason: string; by?: string }
  | { outcome: 'cancelled' }
  | { outcome: 'unreachable'; reason: string };

/** The host's decision on one leaf: `host/permission`'s answer by its cases. */
export type HostPermissionResult =
  | { decision: 'allow'; grant: string }
  | { decision: 'deny'; reason: string }
  | { decision: 'cancelled' };
