// Which vectors a client can play, and why not the others. A client lets nothing through that is not of the protocol:
// what is about bytes and odd messages is for interpreters that have the pipe in their own hands.
import { isObject, keepsSpelling } from './patterns.mjs';

const FORMS = ['steps', 'run', 'render', 'search', 'turns'];
const HEADER = ['id', 'title', 'scenarios', 'level', 'note'];
const SETTING = [
  'framing', 'timeoutMs', 'shared', 'open', 'capabilities', 'config', 'permission', 'process', 'tools', 'deny', 'pools', 'host',
  'gate', 'manual',
];
const STEP = [
  'call', 'start', 'as', 'finish', 'params', 'paramsText', 'result', 'error', 'withinMs', 'notify', 'send', 'sendText', 'invalid',
  'write', 'every', 'expect', 'several', 'maybe', 'none', 'calls', 'stderr', 'pauseMs', 'hold', 'close', 'hostDies', 'exit', 'note',
];
const BYTES = ['sendText', 'paramsText', 'write', 'stderr', 'hold', 'close', 'hostDies', 'exit'];
const PARAMS = {
  'exec/run': ['sessionId', 'runId', 'input', 'exec', 'pool', 'limits', 'parentRunId'],
  'turn/prepare': ['sessionId', 'exec', 'pool', 'channel', 'history'],
  'catalog/render': ['sessionId', 'pool', 'budgetTokens'],
  'catalog/search': ['sessionId', 'pool', 'input'],
  'config/update': ['patch'],
  'extension/health': ['selfTest'],
};

/** The vector's form. A member that has no meaning makes the vector invalid. */
export function formOf(vector) {
  const forms = FORMS.filter((form) => form in vector);
  const unknown = Object.keys(vector).filter((name) => ![...HEADER, ...SETTING, ...FORMS].includes(name));
  for (const step of vector.steps ?? []) unknown.push(...Object.keys(step).filter((name) => !STEP.includes(name)));
  if (forms.length !== 1 || unknown.length > 0) throw new Error(`${vector.id} has forms ${forms}, unknown members ${unknown}`);
  return forms[0];
}

/** Why the client can't play a vector; undefined if it can. */
export function leftOut(vector) {
  if (vector.open === false || vector.capabilities) return 'it is about the handshake, which the client does by itself';
  if (vector.process) return 'it is about the host\'s own process';
  if ((vector.pools ?? []).some(oddPool)) return ODD;
  for (const how of Object.values(vector.host ?? {}).flat()) {
    if (how.twice || how.error || ('answer' in how && !outcome(how.answer)) || (how.result && !toolResult(how.result))) return ODD;
    if (how.structured && !keepsSpelling(how.structured)) return SPELLING;
  }
  for (const decision of Object.values(vector.gate ?? {}).flat()) if (decision.answer) return ODD;
  for (const tool of vector.tools ?? []) {
    if (typeof tool === 'string' && tool.startsWith('{') && !keepsSpelling(tool)) return SPELLING;
  }
  for (const step of vector.steps ?? []) {
    const why = leftOutStep(step, vector);
    if (why) return why;
  }
  return undefined;
}

const ODD = 'its host answers what the client never does';
const SPELLING = 'it is about a spelling or depth of JSON that JavaScript does not keep';

function leftOutStep(step, vector) {
  if (BYTES.some((name) => name in step)) return 'it is about bytes of the pipe';
  if (step.invalid) return 'its request is not of the protocol';
  const method = step.call ?? step.start;
  if (method) {
    const known = PARAMS[method];
    if (!known) return `the client has no method for ${method}`;
    if (Object.keys(step.params ?? {}).some((name) => !known.includes(name))) return 'its request is not of the protocol';
    if (step.params?.pool && oddPool(step.params.pool)) return 'its request is not of the protocol';
    if (method === 'exec/run' && errorOf(step, vector)) return 'the client gives a failed result for an error of exec/run';
  }
  if (step.notify && step.notify !== 'exec/cancel') return `the client has no method for ${step.notify}`;
  if (step.send && (!vector.manual || !readable(step.send))) return ODD;
  const patterns = [step.expect, step.maybe, step.none, ...(step.several ?? [])].filter(Boolean);
  if (patterns.some((p) => !p.method)) return 'it is about bytes of the pipe';
  if (patterns.some((p) => p.method === 'host/callTool' && p.params?.grant)) return 'it looks at a grant, which the client keeps to itself';
  if (patterns.some((p) => p.method === 'host/pool')) return 'it looks at host/pool, which the client answers by itself';
  return undefined;
}

function errorOf(step, vector) {
  return step.error ?? vector.steps.find((other) => step.as && other.finish === step.as)?.error;
}

function oddPool(pool) {
  return !isObject(pool) || !['ok', 'unavailable'].includes(pool.status) || (pool.status === 'ok' && !Array.isArray(pool.tools));
}

function toolResult(result) {
  return Array.isArray(result.content) || result.structuredContent != null;
}

function outcome(answer) {
  return isObject(answer) && ['denied', 'cancelled', 'unreachable'].includes(answer.outcome) && (answer.outcome === 'cancelled' || typeof answer.reason === 'string');
}

function readable(message) {
  const { outcome: kind, decision, result } = message.result ?? {};
  if (kind === 'result') return isObject(result);
  return ['denied', 'cancelled', 'unreachable'].includes(kind) || ['allow', 'deny', 'cancelled'].includes(decision);
}
