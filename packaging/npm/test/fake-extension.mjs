#!/usr/bin/env node
// A test double of `exec-ext serve` that misbehaves on demand. FAKE names how it starts; the code of a run names what
// the run does. It speaks the protocol by hand, so that it can also break it.
import { writeSync } from 'node:fs';

const start = process.env.FAKE ?? 'ok';
const pending = new Map();
let nextId = 1;
let deaf = false;

const frame = (message) => {
  const body = Buffer.from(typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
};
const send = (message) => writeSync(1, frame(message));
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = nextId++;
    pending.set(id, resolve);
    send({ id, method, params });
  });
const die = (code) => {
  writeSync(2, `{"level":"fatal","message":"fake extension ends with ${code}"}\n`);
  process.exit(code);
};

const execTool = { name: 'Exec', description: 'Runs a script.', inputSchema: { type: 'object' } };
const initialized = {
  protocolVersion: start === 'version-other' ? 99 : 1,
  serverInfo: { name: 'exec-ext', version: 'fake' },
  capabilities: { maxMessageBytes: 100_000 },
  execTool: start === 'no-declaration' ? undefined : execTool,
};
const result = (runId, text, more = {}) => ({
  runId, isError: false, status: 'completed', content: [{ type: 'text', text }], logs: { text: '', chars: 0, truncated: false },
  summary: { text: '0 tool calls', total: 0, state: 'done' }, calls: [], stats: { wallMs: 1, activeMs: 1, queuedMs: 0 }, ...more,
});

// Each play gets the params of exec/run and gives what to answer; `say` of a callback's answer shows it to the test.
const say = (p, answer) => result(p.runId, JSON.stringify(answer));
const leaf = (p, more = {}) => ({
  sessionId: p.sessionId, runId: p.runId, callId: 'c1', index: 1, name: 'mcp__srv__tool', arguments: { a: 1 }, timeLeftMs: 1000, ...more,
});
const plays = {
  echo: async (p) => result(p.runId, 'hello'),
  async call(p) {
    await ask('host/pool', { sessionId: p.sessionId, purpose: 'run' });
    return say(p, await ask('host/callTool', leaf(p)));
  },
  async rawCall(p) {
    await ask('host/pool', { sessionId: p.sessionId, purpose: 'run' });
    const params = JSON.stringify({ ...leaf(p), arguments: 0 }).replace('"arguments":0', '"arguments": {"b":12345678901234567890,"2":1, "1":{}}');
    const answer = new Promise((resolve) => pending.set(nextId, resolve));
    send(`{"jsonrpc":"2.0","id":${nextId++},"method":"host/callTool","params":${params}}`);
    return say(p, await answer);
  },
  async cancelledCall(p) {
    await ask('host/pool', { sessionId: p.sessionId, purpose: 'run' });
    const answer = ask('host/callTool', leaf(p));
    const cancelled = nextId - 1;
    setTimeout(() => send({ method: '$/cancelRequest', params: { id: cancelled } }), 30);
    return say(p, await answer);
  },
  async strange(p) {
    await ask('host/pool', { sessionId: p.sessionId, purpose: 'run' });
    return say(p, [
      await ask('host/callTool', leaf(p, { name: 'mcp__srv__other' })),
      await ask('host/callTool', leaf(p, { runId: 'no-such-run' })),
      await ask('host/callTool', leaf(p, { arguments: [1] })),
      await ask('host/callTool', leaf(p)),
      await ask('host/callTool', leaf(p)),
    ]);
  },
  async grants(p) {
    await ask('host/pool', { sessionId: p.sessionId, purpose: 'run' });
    const grantFor = async (callId) => (await ask('host/permission', leaf(p, { callId }))).result.grant;
    const [g1, g2, g3] = [await grantFor('c1'), await grantFor('c2'), await grantFor('c3')];
    return say(p, [
      await ask('host/callTool', leaf(p, { callId: 'c1', grant: g1 })),
      await ask('host/callTool', leaf(p, { callId: 'c4', grant: g1 })),
      await ask('host/callTool', leaf(p, { callId: 'c2', grant: g2, arguments: { a: 2 } })),
      await ask('host/callTool', leaf(p, { callId: 'c2', grant: g2 })),
      await ask('host/callTool', leaf(p, { callId: 'c3', grant: g3, name: 'mcp__srv__two' })),
      await ask('host/callTool', leaf(p, { callId: 'c5' })),
    ]);
  },
  async progress(p) {
    send({ method: 'exec/progress' });
    send({ method: 'exec/progress', params: { sessionId: p.sessionId, runId: 'no-such-run', seq: 7 } });
    send({ method: 'exec/progress', params: { sessionId: p.sessionId, runId: p.runId, seq: 1, summary: { text: '1 tool call', total: 1, state: 'running' } } });
    return result(p.runId, 'hello');
  },
  async crashInRun(p) {
    await ask('host/pool', { sessionId: p.sessionId, purpose: 'run' });
    await ask('host/callTool', leaf(p));
    ask('host/callTool', leaf(p, { callId: 'c2', name: 'mcp__srv__two' }));
    setTimeout(() => die(9), 50);
    return new Promise(() => {});
  },
  async crashInFrame(p) {
    const whole = frame({ id: 1, result: result(p.runId, 'x'.repeat(5000)) });
    writeSync(1, whole.subarray(0, whole.length / 2));
    die(9);
  },
  async garbage() {
    writeSync(1, 'panic: this is no frame\r\n\r\n');
    return new Promise(() => {});
  },
  async silent() {
    deaf = true;
    return new Promise(() => {});
  },
  closeOutput: async () => {
    const { closeSync } = await import('node:fs');
    closeSync(1);
    return new Promise(() => {});
  },
  nonsense: () => ({ content: 'text' }),
  nothing: () => null,
  waitForCancel: (p) => new Promise((resolve) => pending.set(p.runId, resolve)),
  ignoreCancel: () => new Promise(() => {}),
};

const methods = {
  initialize: () => initialized,
  ping: () => ({}),
  shutdown: () => null,
  'config/update': (p) => ({ effectiveConfig: p.patch, changed: [], clamped: [] }),
  'turn/prepare': async (p) => {
    const pool = (await ask('host/pool', { sessionId: p.sessionId, purpose: 'turn', ifRevision: 'r0' })).result;
    if (start === 'nonsense') return 7;
    const declare = start === 'flat' ? pool.tools.map((t) => t.name) : ['Exec'];
    return { mode: 'exec', reason: JSON.stringify(pool), declare, announcement: { action: 'none', reason: '' }, pool: { size: 1 }, warnings: [] };
  },
  'exec/run': (p) => plays[p.input.code](p),
};

async function receive(message) {
  if (deaf) return;
  const { id, method, params } = message;
  if (method === 'exit') process.exit(0);
  if (method === 'exec/cancel') pending.get(params.runId)?.(result(params.runId, 'stopped', { isError: true, status: 'cancelled', errorKind: 'cancelled' }));
  if (method === undefined) return pending.get(id)?.(message.error ? { error: message.error } : { result: message.result });
  if (id === undefined) return;
  if (method === 'initialize' && start === 'version-mismatch') {
    send({ id, error: { code: -31001, message: 'no common version', data: { kind: 'version', supported: [7] } } });
  } else if (method === 'initialize' && start === 'bad-config') {
    send({ id, error: { code: -32602, message: 'limits.wallMs must be a number', data: { path: 'config.limits.wallMs', expected: 'a number' } } });
  } else {
    send({ id, result: await methods[method](params) });
  }
}

if (start === 'crash') die(7);
if (start === 'garbage') writeSync(1, 'exec-ext 0.0\r\n\r\n');
if (start === 'slow') await new Promise((resolve) => setTimeout(resolve, 60_000));
let buffer = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const at = buffer.indexOf('\r\n\r\n');
    if (at < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(buffer.subarray(0, at).toString())[1]);
    if (buffer.length < at + 4 + length) return;
    const body = buffer.subarray(at + 4, at + 4 + length);
    buffer = buffer.subarray(at + 4 + length);
    void receive(JSON.parse(body));
  }
});
process.stdin.on('end', () => process.exit(0));
