import type { CallOutcome, CallToolResult, PoolSnapshot } from './protocol.js';

/** A host's decision, read. */
export type Decision = { decision: 'allow' } | { decision: 'cancelled' } | { decision: 'deny'; reason: string };

// A host's callbacks may answer anything; these readers make something of the protocol out of it.

/**
 * Reads an answer of `pool`, or tells what is wrong with it. Where only some of its entries are no tools, `warn` is told;
 * they stay where they are, since the extension leaves them out. Without `warn` they are a fault too.
 */
export function readSnapshot(answer: unknown, warn?: (warning: string) => void): PoolSnapshot | { fault: string } {
  const snapshot = (Array.isArray(answer) ? { status: 'ok', tools: answer } : answer) as PoolSnapshot | null | undefined;
  if (snapshot?.status === 'unavailable') {
    return { status: 'unavailable', reason: String(snapshot.reason ?? 'the host gave no reason') };
  }
  if (snapshot?.status !== 'ok' || !Array.isArray(snapshot.tools)) {
    return { fault: `the host's pool() gave ${kindOf(answer)}, not a pool snapshot` };
  }
  const odd = snapshot.tools.flatMap((tool, i) => (typeof tool?.name === 'string' ? [] : [i]));
  if (odd.length > 0) {
    const what = `the host's pool() gave no tool at place ${odd[0]! + 1} of its list${odd.length > 1 ? `, nor at ${odd.length - 1} more` : ''}: a tool is an object with a name`;
    if (!warn || odd.length === snapshot.tools.length) return { fault: what };
    warn(`${what}; the other tools are used`);
  }
  if (!isStrings(snapshot.deny ?? [])) return { fault: "the host's pool() gave a deny that is no list of strings" };
  if (typeof (snapshot.revision ?? '') !== 'string') return { fault: "the host's pool() gave a revision that is no string" };
  return snapshot;
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((s) => typeof s === 'string');
}

/** Reads an answer of `permission`; what it cannot read is denied. */
export function readPermission(answer: unknown): Decision {
  const decision = typeof answer === 'boolean' ? (answer ? 'allow' : 'deny') : (answer as { decision?: unknown })?.decision;
  switch (decision) {
    case 'allow':
    case 'cancelled':
      return { decision };
    case 'deny':
      return { decision, reason: String((answer as { reason?: unknown }).reason ?? 'the user or a rule refused it') };
    default:
      return { decision: 'deny', reason: `the host's permission() gave ${kindOf(answer)}, not a decision` };
  }
}

/** Reads an answer of `callTool`: a tool's result, or an outcome as it stands. */
export function readOutcome(answer: unknown): CallOutcome {
  const given = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>;
  switch (given.outcome) {
    case 'result':
      return isToolResult(given.result) ? { outcome: 'result', result: given.result } : nonsense(given.result);
    case 'denied':
      return { outcome: 'denied', reason: String(given.reason ?? 'the host refused it'), ...(given.by ? { by: String(given.by) } : {}) };
    case 'cancelled':
      return { outcome: 'cancelled' };
    case 'unreachable':
      return { outcome: 'unreachable', reason: String(given.reason ?? 'the host gave no reason') };
  }
  return isToolResult(answer) ? { outcome: 'result', result: answer } : nonsense(answer);
}

function isToolResult(value: unknown): value is CallToolResult {
  const r = value as CallToolResult | null | undefined;
  return typeof r === 'object' && r !== null && (Array.isArray(r.content) || r.structuredContent != null);
}

function nonsense(answer: unknown): CallOutcome {
  return { outcome: 'unreachable', reason: `the host's callTool() gave ${kindOf(answer)}, not a tool result` };
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object without the right members' : `a ${typeof value}`;
}
