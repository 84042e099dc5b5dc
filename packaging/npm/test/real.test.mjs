// The client and the real extension together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExecExt } from 'exec-ext';
import { real, text } from './fixture.mjs';

const echo = { mcp__srv__echo: { call: (args, { argumentsText }) => text(argumentsText) } };
const run = (exec, code, more = {}) => exec.run({ sessionId: 's', input: { code }, ...more });

for (const permissionMode of ['inFunnel', 'separate']) {
  test(`S8.2, S8.3: leaves are allowed and denied by name and arguments, ${permissionMode}`, async (t) => {
    const asked = [];
    const permission = (name, args) => (asked.push([name, args]), args.ok ? true : { decision: 'deny', reason: 'rule 7' });
    const exec = await real(t, echo, { permissionMode, permission });
    assert.equal((await run(exec, 'return await tools.mcp__srv__echo({ ok: true })')).content[0].text, '{"ok":true}');
    const denied = await run(exec, 'return await tools.mcp__srv__echo({ ok: false })');
    assert.equal(denied.errorKind, 'denied');
    assert.match(denied.content[0].text, /rule 7/);
    assert.deepEqual(asked, [['mcp__srv__echo', { ok: true }], ['mcp__srv__echo', { ok: false }]]);
  });
}

test('S1.3: argument bytes arrive as the script made them', async (t) => {
  const exec = await real(t, echo);
  assert.equal((await run(exec, 'return await tools.mcp__srv__echo({ z: 1, a: [], "é": "<&>" })')).content[0].text, '{"z":1,"a":[],"é":"<&>"}');
});

test('S4.8: an abort in a call ends the run as cancelled and aborts the call', async (t) => {
  let aborted = false;
  const controller = new AbortController();
  const exec = await real(t, {
    mcp__srv__slow: {
      call: (_, { signal }) => new Promise(() => {
        signal.addEventListener('abort', () => (aborted = true));
        controller.abort(new Error('the user pressed stop'));
      }),
    },
  });
  const result = await run(exec, 'return await tools.mcp__srv__slow()', { signal: controller.signal });
  assert.equal(result.status, 'cancelled');
  assert.equal(result.calls[0].name, 'mcp__srv__slow');
  assert.equal(aborted, true);
});

test('S4.1: a spinning script is a failed result and the extension lives on', async (t) => {
  const exec = await real(t, echo);
  assert.equal((await run(exec, 'for (;;);', { limits: { wallMs: 300 } })).status, 'timeout');
  assert.equal((await run(exec, 'return 7')).returnValue, 7);
});

test('S10.4: the summary is live', async (t) => {
  const exec = await real(t, echo);
  const seen = [];
  const result = await run(exec, 'await tools.mcp__srv__echo(); await tools.mcp__srv__echo(); return 1', { onProgress: (p) => seen.push(p.summary.total) });
  assert.equal(result.summary.text, '2 tool calls\nmcp__srv__echo\nmcp__srv__echo');
  assert.ok(seen.length > 0 && seen.every((n, i) => i === 0 || n >= seen[i - 1]), String(seen));
});

test('S6.2, S6.5, S6.6: announced once, silent, and again after a compaction', async (t) => {
  const exec = await real(t, echo);
  const first = await exec.prepare({ sessionId: 's', history: [] });
  assert.equal(first.announcement.kind, 'full');
  const { text: said } = first.announcement.message;
  assert.equal((await exec.prepare({ sessionId: 's', history: [said] })).announcement.action, 'none');
  assert.equal((await exec.prepare({ sessionId: 's', history: [] })).announcement.message.text, said);
});

test('E16: a sub-agent without Exec is planned flat, and one with it runs beside its parent', async (t) => {
  const exec = await real(t, {
    mcp__srv__agent: {
      call: async (_, { runId }) => text((await exec.run({ sessionId: 'child', input: 'return 1 + 1', parentRunId: runId })).content[0].text),
    },
  }, { config: { limits: { concurrentRuns: 1 } } });
  const plan = await exec.prepare({ sessionId: 'child', exec: 'excluded' });
  assert.deepEqual([plan.mode, plan.declare], ['flat', ['mcp__srv__agent']]);
  assert.equal((await run(exec, 'return await tools.mcp__srv__agent()')).content[0].text, '2');
});

test('S8.1: a permission that waits for a person costs the script no active time', async (t) => {
  const exec = await real(t, echo, { permission: () => new Promise((resolve) => setTimeout(resolve, 400, true)) });
  const result = await run(exec, 'return await tools.mcp__srv__echo()', { limits: { activeMs: 300 } });
  assert.equal(result.status, 'completed');
});

test('S9.4: switching off by updateConfig is flat at once, and back', async (t) => {
  const exec = await real(t, echo);
  await exec.updateConfig({ enableExec: { local: false } });
  assert.deepEqual((await exec.prepare({ sessionId: 's' })).tools.map((x) => x.name), ['mcp__srv__echo']);
  await exec.updateConfig({ enableExec: { local: null } });
  assert.deepEqual((await exec.prepare({ sessionId: 's' })).declare, ['Exec']);
});

test('catalog, search and health answer; a wrong request is a typed error', async (t) => {
  const exec = await real(t, echo);
  assert.match((await exec.renderCatalog('s')).text, /mcp__srv__echo/);
  assert.deepEqual((await exec.search('s', { query: 'echo' })).items.map((i) => i.name), ['mcp__srv__echo']);
  assert.equal((await exec.health()).version, exec.info.serverInfo.version);
  await assert.rejects(exec.search('s', { q: 'x' }), (e) => e.code === 'request_refused' && e.detail.rpc.code === -32602);
});

test('mistake: limits that the extension refuses reject the run', async (t) => {
  const exec = await real(t, echo);
  await assert.rejects(run(exec, 'return 1', { limits: { wallMs: 'long' } }), (e) => e.code === 'request_refused' && /limits\.wallMs/.test(e.message));
});

test('a wrong configuration and an unmet isolation level are errors at start', async () => {
  const host = { pool: () => [], callTool: () => text('') };
  await assert.rejects(ExecExt.start({ ...host, config: { limits: { wallMs: 'long' } } }), (e) => e.code === 'request_refused' && /wallMs/.test(e.message));
  await assert.rejects(ExecExt.start({ ...host, serveArgs: ['--require-isolation', 'nonsense'] }), (e) => e.code === 'extension_exited' && /require-isolation must be/.test(e.message));
});
