import type { CallOutcome, CallToolResult, HostPoolParams, PoolSnapshot, PoolTool } from './protocol.js';

/** Why the pool is asked for, and for whom. */
export interface PoolContext {
  sessionId: string;
  purpose: HostPoolParams['purpose'];
}

/** One call of a leaf: by a script (`origin: 'exec'`) or by the model itself in flat mode. */
export interface CallContext {
  origin: 'exec' | 'flat';
  sessionId: string;
  runId?: string;
  callId: string;
  /** Counts the nested calls of a run from 1. */
  index?: number;
  /** The arguments' own bytes: JSON.parse moves integer-like keys to the front and rounds large numbers. */
  argumentsText: string;
  /** Aborted when the call is no longer wanted; whatever is answered afterwards is ignored. */
  signal: AbortSignal;
  /** Milliseconds the run has left (`origin: 'exec'` only). */
  timeLeftMs?: number;
}

/** A host's decision on one call. `true` allows, `false` denies. */
export type Permission =
  | boolean
  | { decision: 'allow' }
  | { decision: 'deny'; reason?: string }
  | { decision: 'cancelled' };

/**
 * What a host gives. All three may throw, never answer or answer nonsense: the call then fails with a reason (a
 * permission is then denied), and nothing else happens.
 */
export interface HostCallbacks {
  /** The MCP tools that the session has now, with flat names; a bare list is a snapshot with status `ok`. */
  pool(context: PoolContext): PoolSnapshot | PoolTool[] | Promise<PoolSnapshot | PoolTool[]>;
  /** Runs one leaf. Throw ToolDenied where the host's own rules refuse it. */
  callTool(
    name: string,
    args: Record<string, unknown>,
    context: CallContext,
  ): CallToolResult | CallOutcome | Promise<CallToolResult | CallOutcome>;
  /** Decides one leaf before it is run: rules by leaf name and arguments, a prompt. Left out: all is allowed, with a warning. */
  permission?(
    name: string,
    args: Record<string, unknown>,
    context: CallContext,
  ): Permission | Promise<Permission>;
}
