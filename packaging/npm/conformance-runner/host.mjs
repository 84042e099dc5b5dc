// The canned host of a vector: its answers to the client's callbacks, and a record of them.
import { ToolDenied } from 'exec-ext';

const NEVER = new Promise(() => {});

/** The tools of a vector as a server would list them. */
export function toolsOf(list) {
  return (list ?? []).map((tool) => {
    if (typeof tool !== 'string') return tool;
    if (tool.startsWith('{')) return JSON.parse(tool);
    return { name: tool, description: `Does ${tool.slice(tool.lastIndexOf('_') + 1)}.`, inputSchema: { type: 'object' } };
  });
}

/** The pool of some tools. */
export function snapshotOf(tools, deny) {
  return { status: 'ok', tools: toolsOf(tools), ...(deny && { deny }) };
}

/** Answers the callbacks of one vector. What the vector answers by hand waits in `inbox`, as on the wire. */
export class CannedHost {
  calls = [];
  mostInFlight = 0;
  faults = [];
  inbox = [];
  /** Pools that stand in for those of requests, by session, each for the next question. */
  next = new Map();
  #inFlight = 0;
  #ids = 0;
  #used = new Map();
  #seen = new Set();
  #manual;
  #answers = new Map();
  #watchers = new Set();

  constructor(vector) {
    this.vector = vector;
    this.#manual = new Set(vector.manual);
    this.pools = [...(vector.pools ?? [snapshotOf(vector.tools, vector.deny)])];
  }

  pool({ sessionId }) {
    const inline = this.next.get(sessionId);
    this.next.delete(sessionId);
    return inline ?? (this.pools.length > 1 ? this.pools.shift() : this.pools[0]);
  }

  permission(name, args, context) {
    if (this.#manual.has('host/permission')) return this.#byHand('host/permission', name, args, context);
    const decision = this.#take(`gate ${name}`, this.vector.gate?.[name]) ?? {};
    if (decision.deny !== undefined) return { decision: 'deny', reason: decision.deny };
    return decision.cancel ? { decision: 'cancelled' } : true;
  }

  async callTool(name, args, context) {
    this.#record(name, context);
    if (this.#manual.has('host/callTool')) return this.#byHand('host/callTool', name, args, context);
    this.mostInFlight = Math.max(this.mostInFlight, ++this.#inFlight);
    const how = this.#take(`host ${name}`, this.vector.host?.[name]) ?? { echo: true };
    if (how.never) return NEVER;
    if (how.delayMs) await new Promise((resolve) => setTimeout(resolve, how.delayMs));
    this.#inFlight--;
    if (how.denied !== undefined) throw new ToolDenied(how.denied);
    if (how.error) throw new Error(how.error.message);
    return how.answer ?? how.result ?? resultOf(how, args);
  }

  progress(params) {
    this.#arrive({ method: 'exec/progress', params });
  }

  /** Answers a callback that waits. */
  answer({ id, result, error }) {
    if (!this.#answers.has(id)) throw new Error(`the vector is wrong: nothing waits as ${id}`);
    const { resolve, reject } = this.#answers.get(id);
    this.#answers.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  }

  /** Takes the first message that fits, now or as soon as it comes; undefined if none does in time. */
  async take(test, ms) {
    const deadline = Date.now() + ms;
    for (;;) {
      const at = this.inbox.findIndex(test);
      if (at >= 0) return this.inbox.splice(at, 1)[0];
      const left = deadline - Date.now();
      if (left <= 0) return undefined;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#watchers.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #arrive(message) {
    this.inbox.push(message);
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }

  #byHand(method, name, args, context) {
    const { sessionId, runId, callId, index, timeLeftMs, signal } = context;
    const id = ++this.#ids;
    this.#arrive({ method, id, params: { sessionId, runId, callId, index, name, arguments: args, timeLeftMs } });
    signal.addEventListener('abort', () => this.#arrive({ method: '$/cancelRequest', params: { id } }));
    return new Promise((resolve, reject) => this.#answers.set(id, { resolve, reject }));
  }

  // What must be so of every call that reaches the host.
  #record(name, { sessionId, runId, callId, index, argumentsText }) {
    this.calls.push(`${name} ${argumentsText}`);
    for (const key of [`callId ${callId}`, `index ${index}`]) {
      const full = JSON.stringify([sessionId, runId, key]);
      if (this.#seen.has(full)) this.faults.push(`the call of ${name}: ${key} is not new`);
      this.#seen.add(full);
    }
  }

  #take(key, list) {
    const n = this.#used.get(key) ?? 0;
    this.#used.set(key, n + 1);
    return list?.[Math.min(n, list.length - 1)];
  }
}

function resultOf(how, args) {
  if (how.text !== undefined) return textResult(how.text);
  if (how.textTimes) return textResult(how.textTimes.piece.repeat(how.textTimes.times));
  return { content: [], structuredContent: how.structured ? JSON.parse(how.structured) : { args } };
}

function textResult(text) {
  return { content: [{ type: 'text', text }] };
}
