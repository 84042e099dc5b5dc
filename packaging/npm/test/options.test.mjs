// What a host's author gets wrong: names and types of options, members of the config, callbacks left out.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { ExecExt } from 'exec-ext';
import { fakeOptions, FAKE, POOL, real, rejection, text } from './fixture.mjs';

const f = () => POOL;

// The options, and what the TypeError must say.
const wrong = {
  'a misspelt permission': [{ pool: f, callTool: f, permissions: () => false }, /no member "permissions"; did you mean "permission"\?/],
  'a short name': [{ pool: f, call: f }, /no member "call"; did you mean "callTool"\?/],
  'another letter case': [{ pool: f, calltool: f }, /did you mean "callTool"\?/],
  'a name like no other': [{ pool: f, callTool: f, zzzzzz: 1 }, /no member "zzzzzz"; it has pool, callTool, permission/],
  'no options': [undefined, /takes an object with pool, callTool.*not undefined/],
  'nothing in them': [{}, /pool must be a function, not undefined/],
  'no callTool': [{ pool: f }, /callTool must be a function, not undefined/],
  'a callTool that is none': [{ pool: f, callTool: 5 }, /callTool must be a function, not 5/],
  'a permission that is none': [{ pool: f, callTool: f, permission: false }, /permission must be a function, not a boolean/],
  'a permission of null': [{ pool: f, callTool: f, permission: null }, /permission must be a function, not null/],
  'a mode of its own': [{ pool: f, callTool: f, permissionMode: 'seperate' }, /permissionMode must be inFunnel or separate, not "seperate"/],
  'one argument for a list': [{ pool: f, callTool: f, serveArgs: '--require-isolation=full' }, /serveArgs must be a list of strings/],
  'a time that is text': [{ pool: f, callTool: f, startTimeoutMs: '10s' }, /startTimeoutMs must be a number of milliseconds/],
  'a time that no timer can wait': [{ pool: f, callTool: f, callTimeoutMs: Infinity }, /callTimeoutMs must be a number/],
  'half a backoff': [{ pool: f, callTool: f, backoff: { firstMs: 1 } }, /backoff must be \{firstMs, maxMs\}/],
  'a client without version': [{ pool: f, callTool: f, clientInfo: { name: 'x' } }, /clientInfo must be \{name, version\}/],
  'a config in a list': [{ pool: f, callTool: f, config: [] }, /config must be an object/],
};
for (const [name, [options, says]] of Object.entries(wrong)) {
  test(`options: ${name} is a TypeError, by start and by new`, async () => {
    const e = await rejection(ExecExt.start(options));
    assert.ok(e instanceof TypeError);
    assert.match(e.message, says);
    assert.throws(() => new ExecExt(options), { name: 'TypeError', message: e.message });
  });
}

test('options: a permission left out is told once, one given is not', async (t) => {
  for (const [permission, told] of [[undefined, 1], [() => true, 0]]) {
    const warnings = [];
    const exec = new ExecExt(fakeOptions('ok', { permission, onWarning: (w) => warnings.push(w) }));
    t.after(() => exec.close());
    await exec.run({ sessionId: 's', input: { code: 'call' } });
    await exec.run({ sessionId: 's', input: { code: 'call' } });
    assert.equal(warnings.filter((w) => /no permission function was given/.test(w)).length, told);
  }
});

test('options: without onWarning it is a warning of the process', () => {
  const script = `import { ExecExt } from 'exec-ext';
    new ExecExt({ binary: ${JSON.stringify(FAKE)}, pool: () => [], callTool: () => ({ content: [] }) });
    process.on('warning', (w) => console.log(w.name, w.message));`;
  const out = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { cwd: import.meta.dirname, encoding: 'utf8' });
  assert.match(out, /^ExecExtWarning no permission function was given.*permission: \(\) => true/);
});

test('options: members of the config that are not known are told, at the start and in updates', async (t) => {
  const [warnings, log] = [[], []];
  const exec = await real(t, {}, { config: { limts: { wallMs: 1 } }, onWarning: (w) => warnings.push(w), onLog: (l) => log.push(l), permission: () => true });
  await exec.updateConfig({ sandbx: {} });
  await exec.close();
  assert.match(warnings.join('\n'), /^exec-ext: the config: the member "limts" is not known and has no effect; did you mean "limits"\?\nexec-ext: the patch: the member "sandbx".*"sandbox"\?$/);
  assert.ok(log.some((l) => l.includes('limts')), 'the log has it too');
});

test('options: a pool that is none is unavailable, and told once', async (t) => {
  for (const [pool, reason] of [
    [() => ['x'], /gave no tool at place 1 of its list/],
    [() => ({ status: 'ok' }), /not a pool snapshot/],
    [() => ({ status: 'ok', tools: POOL, deny: 'mcp__a' }), /deny that is no list/],
    [() => { throw new Error('kaputt'); }, /pool\(\) failed: kaputt/],
  ]) {
    const warnings = [];
    const exec = await real(t, {}, { pool, permission: () => true, onWarning: (w) => warnings.push(w) });
    for (let i = 0; i < 2; i++) assert.equal((await exec.prepare({ sessionId: 's' })).reason, 'pool_unavailable');
    assert.match((await exec.run({ sessionId: 's', input: 'return 1' })).error.message, reason);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], reason);
  }
});

test('options: an entry of the pool that is no tool is left out, and told once', async (t) => {
  const warnings = [];
  const tools = [{ name: 'mcp__srv__odd', inputSchema: 5 }, { name: 7 }, ...POOL, 'mcp__srv__three', null];
  const exec = await real(t, {}, { pool: () => tools, callTool: () => text('ran'), permission: () => true, onWarning: (w) => warnings.push(w) });
  const plan = await exec.prepare({ sessionId: 's' });
  assert.deepEqual([plan.mode, plan.pool.size], ['exec', 3]);
  assert.match(plan.warnings.join('\n'), /tool 2 of the pool is left out.*\n.*tool 5 .*\n.*tool 6 /);
  const code = 'return [await tools.mcp__srv__tool({}), await tools.mcp__srv__odd({}), Object.keys(tools).length]';
  assert.deepEqual((await exec.run({ sessionId: 's', input: code })).returnValue, ['ran', 'ran', 3]);
  assert.deepEqual(warnings, ["the host's pool() gave no tool at place 2 of its list, nor at 2 more: a tool is an object with a name; the other tools are used"]);
  await exec.updateConfig({ enableExec: { local: false } });
  assert.deepEqual((await exec.prepare({ sessionId: 's' })).tools.map((x) => x.name), ['mcp__srv__odd', 'mcp__srv__tool', 'mcp__srv__two']);
});
