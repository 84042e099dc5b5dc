// Runs, the funnel and the death of an extension, against an extension that plays every fault.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ExecExt, ToolDenied } from 'exec-ext';
import { fake, fakeOptions, POOL, text } from './fixture.mjs';

const run = (exec, code, more = {}) => exec.run({ sessionId: 's', input: { code }, ...more });
const said = (result) => JSON.parse(result.content[0].text);

// One extension for the tables below; each row gives it callbacks of its own.
let host;
const shared = await ExecExt.start(fakeOptions('ok', {
  pool: (context) => (host.pool ?? (() => POOL))(context),
  callTool: (...call) => (host.callTool ?? (() => text('')))(...call),
  permission: (...call) => (host.permission ?? (() => true))(...call),
  poolTimeoutMs: 50,
  callTimeoutMs: 50,
}));
after(() => shared.close());
const withHost = (callbacks) => ((host = callbacks), shared);

test('funnel: a leaf is called with name, arguments and context', async (t) => {
  let seen;
  const exec = await fake(t, 'ok', { callTool: (name, args, context) => ((seen = { name, args, context }), text('done')) });
  assert.deepEqual(said(await run(exec, 'call')).result, { outcome: 'result', result: text('done') });
  const { signal, ...context } = seen.context;
  assert.ok(signal instanceof AbortSignal);
  assert.match(context.runId, /^[0-9a-f-]{36}$/);
  assert.deepEqual({ ...seen, context: { ...context, runId: '' } }, {
    name: 'mcp__srv__tool', args: { a: 1 },
    context: { origin: 'exec', sessionId: 's', runId: '', callId: 'c1', index: 1, argumentsText: '{"a":1}', timeLeftMs: 1000 },
  });
});

test('funnel: argumentsText keeps the bytes that JSON.parse would lose', async () => {
  let seen;
  const exec = withHost({ callTool: (_, args, { argumentsText }) => ((seen = argumentsText), text('')) });
  await run(exec, 'rawCall');
  assert.equal(seen, '{"b":12345678901234567890,"2":1, "1":{}}');
});

// What callTool does, and the outcome on the wire.
const cyclic = { content: [] };
cyclic.self = cyclic;
const outcomes = {
  'a throw': [() => { throw new Error('kaputt'); }, { outcome: 'unreachable', reason: 'kaputt' }],
  'a rejection with no error': [() => Promise.reject(undefined), { outcome: 'unreachable', reason: 'undefined' }],
  'ToolDenied': [() => { throw new ToolDenied('not today', 'rule'); }, { outcome: 'denied', reason: 'not today', by: 'rule' }],
  'an outcome of its own': [() => ({ outcome: 'denied', reason: 'no' }), { outcome: 'denied', reason: 'no' }],
  'cancelled': [() => ({ outcome: 'cancelled' }), { outcome: 'cancelled' }],
  'nothing': [() => {}, { outcome: 'unreachable', reason: "the host's callTool() gave undefined, not a tool result" }],
  'a string': [() => 'text', { outcome: 'unreachable', reason: "the host's callTool() gave a string, not a tool result" }],
  'an empty object': [() => ({}), { outcome: 'unreachable', reason: "the host's callTool() gave an object without the right members, not a tool result" }],
  'an outcome without its result': [() => ({ outcome: 'result' }), { outcome: 'unreachable', reason: "the host's callTool() gave undefined, not a tool result" }],
  'no answer in time': [() => new Promise(() => {}), { outcome: 'unreachable', reason: 'no answer within 50 ms' }],
};
for (const [name, [callTool, outcome]] of Object.entries(outcomes)) {
  test(`funnel: callTool gives ${name}`, async () => {
    const exec = withHost({ callTool });
    assert.deepEqual(said(await run(exec, 'call')).result, outcome);
  });
}

for (const [name, result, says] of [
  ['that JSON cannot hold', cyclic, /cannot be sent: .*circular/],
  ['that is too large', text('x'.repeat(200_000)), /cannot be sent: it is larger/],
]) {
  test(`funnel: a result ${name} is an error answer, not an open call`, async () => {
    const exec = withHost({ callTool: () => result });
    assert.match(said(await run(exec, 'call')).error.message, says);
  });
}

// Mistakes of the caller, by what is given: none of them is a crash.
const mistakes = {
  'run without a session': [(e) => e.run({}), /run: sessionId must be a string that is not empty, not undefined/],
  'run of an empty session': [(e) => e.run({ sessionId: '', input: 'x' }), /run: sessionId .* not an empty string/],
  'run with a misspelt member': [(e) => e.run({ sessionId: 's', input: 'x', exce: 'denied' }), /run has no member "exce"; did you mean "exec"/],
  'run with limits of text': [(e) => e.run({ sessionId: 's', input: 'x', limits: '5' }), /limits must be an object/],
  'run with a pool that is none': [(e) => e.run({ sessionId: 's', input: 'x', pool: { status: 'ok', tools: ['x'] } }), /pool must be a pool snapshot/],
  'run of nothing': [(e) => e.run(), /run takes an object with sessionId/],
  'prepare with a text for a history': [(e) => e.prepare({ sessionId: 's', history: 'x' }), /history must be a list of strings, not "x"/],
  'prepare with messages for a history': [(e) => e.prepare({ sessionId: 's', history: [{ text: 'x' }] }), /history must be a list of strings, not a list of something else/],
  'call without arguments': [(e) => e.call('mcp__srv__tool', undefined, { sessionId: 's' }), /arguments must be an object/],
  'call without a session': [(e) => e.call('mcp__srv__tool', {}), /call takes an object with sessionId/],
};
for (const [name, [does, says]] of Object.entries(mistakes)) {
  test(`mistake: ${name} is a TypeError`, async () => {
    await assert.rejects(does(withHost({})), (e) => e instanceof TypeError && says.test(e.message));
  });
}

test('mistake: an input that JSON cannot hold is refused, and the extension lives on', async () => {
  const exec = withHost({});
  const { info } = exec;
  await assert.rejects(exec.run({ sessionId: 's', input: { code: 1n } }), { name: 'TypeError', message: /input must be what JSON can hold/ });
  assert.equal((await run(exec, 'echo')).status, 'completed');
  assert.equal(exec.info, info);
});

test('funnel: a call cancelled by the extension aborts the signal and is let go', async (t) => {
  let aborted = false;
  const exec = await fake(t, 'ok', {
    callTool: (_n, _a, { signal }) => new Promise(() => signal.addEventListener('abort', () => (aborted = true))),
  });
  assert.deepEqual(said(await run(exec, 'cancelledCall')).result, { outcome: 'cancelled' });
  assert.equal(aborted, true);
});

// What permission does, and what becomes of the call in mode inFunnel.
const permissions = {
  'true': [() => true, 'result'],
  'allow': [async () => ({ decision: 'allow' }), 'result'],
  'false': [() => false, 'denied', 'the user or a rule refused it'],
  'deny': [() => ({ decision: 'deny', reason: 'rule 7' }), 'denied', 'rule 7'],
  'cancelled': [() => ({ decision: 'cancelled' }), 'cancelled'],
  'a throw': [() => { throw new Error('no prompt'); }, 'denied', "the host's permission() failed: no prompt"],
  'nonsense': [() => 'yes', 'denied', "the host's permission() gave a string, not a decision"],
};
for (const [name, [permission, outcome, reason]] of Object.entries(permissions)) {
  test(`funnel: permission gives ${name}`, async () => {
    let calls = 0;
    const exec = withHost({ permission, callTool: () => (calls++, text('')) });
    const got = said(await run(exec, 'call')).result;
    assert.equal(got.outcome, outcome);
    assert.equal(got.reason, reason);
    assert.equal(calls, outcome === 'result' ? 1 : 0);
  });
}

test('funnel: unknown names, unknown runs and repeated call ids are refused', async () => {
  const exec = withHost({});
  const got = said(await run(exec, 'strange')).map((a) => a.result.reason ?? a.result.outcome);
  assert.deepEqual(got, ['mcp__srv__other is not in the pool of this run', 'there is no such run', 'its arguments are no object', 'result', 'this call was made before']);
});

test('funnel: names that the deny list hits are refused', async () => {
  const exec = withHost({ pool: () => ({ status: 'ok', tools: POOL, deny: ['mcp__srv__t*'] }) });
  assert.match(said(await run(exec, 'call')).result.reason, /not in the pool/);
});

test('funnel: separate mode runs only what holds an unused grant for exactly that call', async (t) => {
  const asked = [];
  const exec = await fake(t, 'ok', { permissionMode: 'separate', permission: (name, _, { callId }) => (asked.push(callId), true) });
  const got = said(await run(exec, 'grants')).map((a) => a.result.outcome);
  assert.deepEqual(got, ['result', 'denied', 'denied', 'denied', 'denied', 'denied']);
  assert.deepEqual(asked, ['c1', 'c2', 'c3']);
});

// What pool does, and what the extension is told.
const pools = {
  'a list': [() => POOL, { status: 'ok', tools: POOL }],
  'a snapshot': [() => ({ status: 'ok', revision: 'r1', tools: POOL }), { status: 'ok', revision: 'r1', tools: POOL }],
  'a snapshot that the extension has': [() => ({ status: 'ok', revision: 'r0', tools: POOL }), { status: 'unchanged', revision: 'r0' }],
  'unavailable': [() => ({ status: 'unavailable', reason: 'starting' }), { status: 'unavailable', reason: 'starting' }],
  'a throw': [() => { throw new Error('kaputt'); }, { status: 'unavailable', reason: "the host's pool() failed: kaputt" }],
  'nonsense': [() => 7, { status: 'unavailable', reason: "the host's pool() gave a number, not a pool snapshot" }],
  'no answer': [() => new Promise(() => {}), { status: 'unavailable', reason: "the host's pool() failed: no answer within 50 ms" }],
};
for (const [name, [pool, told]] of Object.entries(pools)) {
  test(`funnel: pool gives ${name}`, async () => {
    const exec = withHost({ pool });
    const plan = await exec.prepare({ sessionId: 's' });
    assert.deepEqual(JSON.parse(plan.reason), told);
  });
}

test('prepare: one turn takes the pool once, and tools are the declarations of that snapshot', async (t) => {
  let taken = 0;
  const exec = await fake(t, 'flat', { pool: () => (taken++, POOL) });
  const plan = await exec.prepare({ sessionId: 's' });
  assert.equal(taken, 1);
  assert.deepEqual(plan.tools, POOL);
  const folded = await (await fake(t)).prepare({ sessionId: 's' });
  assert.equal(folded.tools[0].description, 'Runs a script.');
});

test('run: progress of a live run reaches the run and the host, and a display that throws harms nothing', async (t) => {
  const seen = [];
  const exec = await fake(t, 'ok', { onProgress: (p) => { seen.push(p.seq); throw new Error('display'); } });
  const result = await run(exec, 'progress', { onProgress: (p) => { seen.push(p.summary.text); throw new Error('display'); } });
  assert.equal(result.status, 'completed');
  assert.deepEqual(seen, [1, '1 tool call']);
});

test('run: an abort cancels the run, also one raised before', async () => {
  const exec = withHost({});
  const controller = new AbortController();
  const running = run(exec, 'waitForCancel', { signal: controller.signal });
  setTimeout(() => controller.abort(), 30);
  assert.equal((await running).content[0].text, 'stopped');
  assert.equal((await run(exec, 'waitForCancel', { signal: AbortSignal.abort() })).status, 'cancelled');
});

test('run: a cancel in the same breath, or while the extension starts, is not lost', async (t) => {
  const running = run(withHost({}), 'waitForCancel', { runId: 'at once' });
  shared.cancel('s', 'at once', 'no more');
  assert.equal((await running).status, 'cancelled');
  const lazy = new ExecExt(fakeOptions('ok'));
  t.after(() => lazy.close());
  const first = run(lazy, 'waitForCancel');
  lazy.cancel('s');
  assert.equal((await first).status, 'cancelled');
});

test('mistake: a runId in use is refused', async () => {
  const exec = withHost({});
  const first = run(exec, 'waitForCancel', { runId: 'r' });
  await assert.rejects(run(exec, 'echo', { runId: 'r' }), (e) => e.code === 'request_refused' && /live run of the runId r\. Give each/.test(e.message));
  exec.cancel('s');
  exec.cancel('s', 'r');
  assert.equal((await first).status, 'cancelled');
});

test('an answer without the right shape is a failed result, or a flat plan', async (t) => {
  const exec = await fake(t, 'nonsense');
  for (const code of ['nonsense', 'nothing']) assert.match((await run(exec, code)).error.message, /exec\/run has not the shape/);
  const plan = await exec.prepare({ sessionId: 's' });
  assert.deepEqual([plan.mode, plan.failure.code, plan.declare.length], ['flat', 'protocol_violation', 2]);
});

// How an extension dies in a run, and the code of the error that the host is told of.
const deaths = {
  crashInRun: 'extension_exited',
  crashInFrame: 'extension_exited',
  garbage: 'protocol_violation',
  silent: 'extension_silent',
  closeOutput: 'extension_exited',
};
for (const [code, error] of Object.entries(deaths)) {
  test(`death: ${code} is a failed result, and the next run has a new extension`, async (t) => {
    const exits = [];
    const exec = await fake(t, 'ok', { onExit: (why) => exits.push(why.code), livenessMs: code === 'silent' ? 100 : 5000 });
    const result = await run(exec, code);
    assert.equal(result.isError, true);
    assert.equal(result.status, 'sandbox_error');
    assert.match(result.content[0].text, /Exec failed: the process that runs scripts ended/);
    assert.equal(result.summary.text, 'failed');
    assert.equal((await run(exec, 'echo')).content[0].text, 'hello');
    assert.deepEqual(exits, [error]);
  });
}

test('death: the failed result names what completed and what may have taken effect', async (t) => {
  const exec = await fake(t, 'ok', { callTool: (name) => (name.endsWith('two') ? new Promise(() => {}) : text('')) });
  const result = await run(exec, 'crashInRun');
  assert.match(result.content[0].text, /remain in effect: mcp__srv__tool\./);
  assert.match(result.content[0].text, /may or may not have taken effect: mcp__srv__two\./);
  assert.deepEqual(result.calls.map((c) => c.status), ['ok', 'in_flight']);
  assert.match(result.error.message, /exit code 9.*fake extension ends with 9/s);
});

test('death: an extension that cannot start leaves flat declarations, backs off, and the config outlives a restart', async (t) => {
  const env = { ...process.env, FAKE: 'ok' };
  const logs = [];
  const exec = await fake(t, 'ok', {
    env, onLog: (line) => logs.push(line), backoff: { firstMs: 20, maxMs: 600_000 },
    pool: () => ({ status: 'ok', revision: '5', tools: POOL, deny: ['mcp__srv__two'] }),
  });
  await exec.updateConfig({ disallowedTools: ['mcp__other*'], limits: { toolCalls: 3 } });
  env.FAKE = 'crash';
  await run(exec, 'crashInRun');
  const plan = await exec.prepare({ sessionId: 's' });
  assert.equal(plan.mode, 'flat');
  assert.equal(plan.reason, 'extension_unavailable');
  assert.deepEqual(plan.declare, ['mcp__srv__tool']);
  assert.deepEqual(plan.tools, [POOL[0]]);
  assert.deepEqual(plan.pool, { size: 1, revision: '5' });
  assert.equal(plan.announcement.action, 'none');
  assert.equal(plan.failure.code, 'extension_exited');
  assert.match(logs.at(-1), /ends with 7/);
  for (let i = 0; i < 5; i++) await exec.prepare({ sessionId: 's' });
  assert.equal((await exec.prepare({ sessionId: 's' })).failure.code, 'backing_off');
  assert.equal((await run(exec, 'echo')).status, 'sandbox_error');
});

test('death: without a pool the flat plan declares nothing rather than an empty list', async (t) => {
  const exec = await fake(t, 'ok', { pool: () => { throw new Error('x'); } });
  await exec.close();
  assert.equal((await exec.prepare({ sessionId: 's' })).declare, undefined);
});

test('flat: a call of the model itself goes through the same funnel', async () => {
  const exec = withHost({ permission: (name) => name !== 'mcp__srv__two', callTool: (name, args) => text(`${name} ${JSON.stringify(args)}`) });
  assert.equal((await exec.call('mcp__srv__tool', { x: 1 }, { sessionId: 's' })).result.content[0].text, 'mcp__srv__tool {"x":1}');
  assert.equal((await exec.call('mcp__srv__two', {}, { sessionId: 's' })).outcome, 'denied');
});
