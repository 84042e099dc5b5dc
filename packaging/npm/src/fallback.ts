import type { ExecExtError } from './errors.js';
import { excluded } from './names.js';
import type { CallRecord, ExecResult, PoolSnapshot, TurnPrepareResult } from './protocol.js';
import { lostRunText } from './text.js';

// What a host gets when the extension is not there: the agent loses Exec, never a tool and never its loop.

/** The plan of a turn without the extension: everything flat, as it would be without us. */
export function flatPlan(snapshot: PoolSnapshot, disallowed: string[], why: ExecExtError): TurnPrepareResult {
  const plan: TurnPrepareResult = {
    mode: 'flat',
    reason: 'extension_unavailable',
    announcement: { action: 'none', reason: 'extension_unavailable' },
    pool: { size: 0 },
    warnings: [why.message],
  };
  if (snapshot.status !== 'ok') return plan;
  const deny = [...(snapshot.deny ?? []), ...disallowed];
  const names = [...new Set((snapshot.tools ?? []).map((t) => t?.name))].filter(
    (name) => typeof name === 'string' && !excluded(name, deny),
  );
  return { ...plan, declare: names, pool: { size: names.length, ...(snapshot.revision !== undefined && { revision: snapshot.revision }) } };
}

/** The result of a run whose extension could not answer it; `calls` is what the host itself saw of it. */
export function lostRun(runId: string, why: { name: string; message: string }, calls: CallRecord[], cancelled = false): ExecResult {
  return {
    runId,
    isError: true,
    status: cancelled ? 'cancelled' : 'sandbox_error',
    errorKind: cancelled ? 'cancelled' : 'crash',
    content: [{ type: 'text', text: lostRunText(calls, cancelled) }],
    logs: { text: '', chars: 0, truncated: false },
    error: { name: why.name, message: why.message },
    summary: { text: 'failed', total: calls.length, state: 'failed' },
    calls: calls.map((c) => ({ ...c })),
    stats: { wallMs: 0, activeMs: 0, queuedMs: 0 },
  };
}
