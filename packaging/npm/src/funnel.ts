import { randomUUID } from 'node:crypto';
import { readOutcome, readPermission, readSnapshot, type Decision } from './answers.js';
import { messageOf } from './errors.js';
import type { CallContext, HostCallbacks, PoolContext } from './host.js';
import { excluded } from './names.js';
import type {
  CallOutcome,
  CallRecord,
  HostCallToolParams,
  HostPermissionParams,
  HostPermissionResult,
  HostPoolParams,
  PoolSnapshot,
} from './protocol.js';

/** Bounds on callbacks that never answer, in milliseconds; no callMs: a call ends with its run. */
export interface FunnelTimeouts {
  poolMs: number;
  callMs: number | undefined;
}

/** A run under way, as far as the host must know it. */
export class Run {
  readonly calls: CallRecord[] = [];
  readonly grants = new Map<string, string>();
  reachable: ((name: string) => boolean) | undefined;
  /** Set by a cancellation. */
  cancelled: { reason: string | undefined } | undefined;

  constructor(
    readonly sessionId: string,
    readonly runId: string,
  ) {}
}

/**
 * The host's one path to a leaf: pool, permission, call. It trusts neither side: calls of unknown runs, of names that
 * the run's pool has not, under a call id used before or without their grant are refused, and whatever the host's
 * callbacks do is an outcome. No function of it rejects.
 */
export class Funnel {
  private readonly runs = new Map<string, Run>();
  private readonly turnPools = new Map<string, PoolSnapshot>();

  constructor(
    private readonly host: HostCallbacks,
    private readonly mode: 'inFunnel' | 'separate',
    private readonly timeouts: FunnelTimeouts,
    private readonly warn: (warning: string) => void,
  ) {}

  /** Takes the pool; a callback that throws, hangs or answers nonsense makes it `unavailable` with the reason. */
  async snapshot(context: PoolContext): Promise<PoolSnapshot> {
    try {
      const read = readSnapshot(await bounded(() => this.host.pool(context), this.timeouts.poolMs), this.warn);
      return 'fault' in read ? this.noPool(read.fault) : read;
    } catch (thrown) {
      return this.noPool(`the host's pool() failed: ${messageOf(thrown)}`);
    }
  }

  private noPool(reason: string): PoolSnapshot {
    this.warn(reason);
    return { status: 'unavailable', reason };
  }

  /** Answers `host/pool`, during `work` from the snapshot given, so that one turn sees one pool. */
  async withPool<R>(sessionId: string, snapshot: PoolSnapshot, work: () => Promise<R>): Promise<R> {
    this.turnPools.set(sessionId, snapshot);
    try {
      return await work();
    } finally {
      if (this.turnPools.get(sessionId) === snapshot) this.turnPools.delete(sessionId);
    }
  }

  /** Opens a run; undefined if the session has one of that name. */
  open(sessionId: string, runId: string, pool: PoolSnapshot | undefined): Run | undefined {
    const key = runKey(sessionId, runId);
    if (this.runs.has(key)) return undefined;
    const run = new Run(sessionId, runId);
    if (pool) run.reachable = reachableIn(pool);
    this.runs.set(key, run);
    return run;
  }

  /** Whether the run is under way. */
  has(sessionId: string, runId: string): boolean {
    return this.runs.has(runKey(sessionId, runId));
  }

  /** The runs of a session that are under way, or the one named. */
  runsOf(sessionId: string, runId?: string): Run[] {
    return [...this.runs.values()].filter((run) => run.sessionId === sessionId && (runId ?? run.runId) === run.runId);
  }

  /** Closes a run: its calls and grants are worth nothing any more. */
  close(run: Run): void {
    this.runs.delete(runKey(run.sessionId, run.runId));
  }

  /** One leaf, permission and call, for the model itself (flat mode). */
  async call(name: string, args: Record<string, unknown>, context: CallContext): Promise<CallOutcome> {
    const decision = await this.decide(name, args, context);
    if (decision.decision === 'cancelled') return { outcome: 'cancelled' };
    if (decision.decision === 'deny') return { outcome: 'denied', reason: decision.reason };
    return this.execute(name, args, context);
  }

  /** Serves `host/pool`. */
  async hostPool(params: HostPoolParams): Promise<PoolSnapshot> {
    const { sessionId, purpose, ifRevision } = params;
    const held = purpose === 'turn' ? this.turnPools.get(sessionId) : undefined;
    const snapshot = held ?? (await this.snapshot({ sessionId, purpose }));
    if (purpose === 'run') {
      for (const run of this.runs.values()) if (run.sessionId === sessionId) run.reachable = reachableIn(snapshot);
    }
    const known = snapshot.status === 'ok' && snapshot.revision !== undefined && snapshot.revision === ifRevision;
    return known ? { status: 'unchanged', revision: snapshot.revision! } : snapshot;
  }

  /** Serves `host/permission` (mode `separate`). */
  async hostPermission(p: HostPermissionParams, argumentsText: string, signal: AbortSignal): Promise<HostPermissionResult> {
    const run = this.runs.get(runKey(p.sessionId, p.runId));
    const refused = refusal(run, p);
    if (refused) return { decision: 'deny', reason: refused };
    const decision = await this.decide(p.name, p.arguments, contextOf(p, argumentsText, signal));
    if (decision.decision !== 'allow') return decision;
    const grant = randomUUID();
    run!.grants.set(grant, grantKey(p, argumentsText));
    return { decision: 'allow', grant };
  }

  /** Serves `host/callTool`. */
  async hostCallTool(p: HostCallToolParams, argumentsText: string, signal: AbortSignal): Promise<CallOutcome> {
    const run = this.runs.get(runKey(p.sessionId, p.runId));
    const refused = refusal(run, p) ?? this.grantRefusal(run!, p, argumentsText);
    if (refused) return { outcome: 'denied', reason: refused, by: 'host' };
    const record: CallRecord = { callId: p.callId, name: p.name, status: 'in_flight', ms: 0 };
    run!.calls.push(record);
    const began = performance.now();
    const context = contextOf(p, argumentsText, signal, p.timeLeftMs);
    const outcome = await (this.mode === 'separate' ? this.execute(p.name, p.arguments, context) : this.call(p.name, p.arguments, context));
    record.status = statusOf(outcome);
    record.ms = Math.round(performance.now() - began);
    return outcome;
  }

  private grantRefusal(run: Run, p: HostCallToolParams, argumentsText: string): string | undefined {
    if (this.mode !== 'separate') return undefined;
    const bound = p.grant === undefined ? undefined : run.grants.get(p.grant);
    if (bound !== undefined) run.grants.delete(p.grant!);
    return bound === grantKey(p, argumentsText) ? undefined : 'there is no unused grant for this call';
  }

  private async decide(name: string, args: Record<string, unknown>, context: CallContext): Promise<Decision> {
    if (!this.host.permission) return { decision: 'allow' };
    try {
      return readPermission(await bounded(() => this.host.permission!(name, args, context), undefined, context.signal));
    } catch (thrown) {
      if (context.signal.aborted) return { decision: 'cancelled' };
      return { decision: 'deny', reason: `the host's permission() failed: ${messageOf(thrown)}` };
    }
  }

  private async execute(name: string, args: Record<string, unknown>, context: CallContext): Promise<CallOutcome> {
    try {
      return readOutcome(await bounded(() => this.host.callTool(name, args, context), this.timeouts.callMs, context.signal));
    } catch (thrown) {
      if (context.signal.aborted) return { outcome: 'cancelled' };
      const denied = thrown as { name?: string; by?: string } | null;
      if (denied?.name === 'ToolDenied') return { outcome: 'denied', reason: messageOf(thrown), ...(denied.by && { by: denied.by }) };
      return { outcome: 'unreachable', reason: messageOf(thrown) };
    }
  }
}

function refusal(run: Run | undefined, p: HostPermissionParams): string | undefined {
  if (!run) return 'there is no such run';
  if (!run.reachable?.(p.name)) return `${p.name} is not in the pool of this run`;
  if (typeof p.arguments !== 'object' || p.arguments === null || Array.isArray(p.arguments)) return 'its arguments are no object';
  if (run.calls.some((c) => c.callId === p.callId)) return 'this call was made before';
  return undefined;
}

function reachableIn(pool: PoolSnapshot): (name: string) => boolean {
  const names = new Set((pool.tools ?? []).map((t) => t?.name));
  const deny = pool.deny ?? [];
  return (name) => names.has(name) && !excluded(name, deny);
}

function contextOf(p: HostPermissionParams, argumentsText: string, signal: AbortSignal, timeLeftMs?: number): CallContext {
  const { sessionId, runId, callId, index } = p;
  return { origin: 'exec', sessionId, runId, callId, index, argumentsText, signal, ...(timeLeftMs !== undefined && { timeLeftMs }) };
}

function statusOf(outcome: CallOutcome): CallRecord['status'] {
  if (outcome.outcome === 'result') return outcome.result.isError ? 'error' : 'ok';
  return outcome.outcome === 'unreachable' ? 'error' : outcome.outcome;
}

function runKey(sessionId: string, runId: string): string {
  return JSON.stringify([sessionId, runId]);
}

function grantKey(p: HostPermissionParams, argumentsText: string): string {
  return JSON.stringify([p.callId, p.name, argumentsText]);
}

/** Waits for `work`, no longer than `ms` and no longer than `signal` lets it. */
async function bounded<T>(work: () => T | Promise<T>, ms: number | undefined, signal?: AbortSignal): Promise<T> {
  if (signal?.aborted) throw new Error('cancelled');
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  const limits = new Promise<never>((_, reject) => {
    if (ms !== undefined) timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
    stop = () => reject(new Error('cancelled'));
    signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([(async () => work())(), limits]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop!);
  }
}
