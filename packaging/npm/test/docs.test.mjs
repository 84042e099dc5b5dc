// The code of the integration guide, run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ExecExt } from 'exec-ext';
import { real, text } from './fixture.mjs';

const guide = readFileSync(join(import.meta.dirname, '..', '..', 'INTEGRATION.md'), 'utf8');
const block = (name) => guide.split(`\`\`\`js ${name}\n`)[1].split('```')[0];

// What a program prints that must end by itself: one that is still there after the time is killed, and this rejects.
async function printed(script) {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname, timeout: 60_000 });
  return stdout;
}

test('guide: the quick start runs as it stands and ends by itself, with the server from the development packages', async () => {
  const server = join(import.meta.dirname, '..', 'node_modules/@modelcontextprotocol/server-memory/dist/index.js');
  const code = block('quickstart').replace("command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory']", `command: process.execPath, args: [${JSON.stringify(server)}], stderr: 'ignore'`);
  assert.notEqual(code, block('quickstart'));
  const script = `${code}\nconsole.log(plan.declare, plan.announcement.kind);`;
  const stdout = await printed(script);
  assert.match(stdout, /"entities":\[.*\[ 'Exec' \] full/s);
});

test('guide: the table of options has all there are', () => {
  const rows = guide.split('| option of `ExecExt` |')[1].split('\n\n')[0].split('\n').slice(2).map((row) => row.split('|')[1]);
  const named = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map((m) => m[1]));
  let known;
  try {
    new ExecExt({ zzzzzz: 1 });
  } catch (e) {
    known = e.message.split('it has ')[1].split(', ');
  }
  assert.deepEqual(named.sort(), known.sort());
});

test('guide: a host of own functions runs as it stands', async () => {
  const code = block('own');
  assert.match(await printed(code), /text: 'Fix the pump\.'/);
  assert.match(await printed(code.replace("note: 'todo' }", "note: 'diary' }")), /not permitted: the diary is private/);
});

test('guide: the ACP functions ask, remember, cancel and show', async (t) => {
  const { permissionBy, runExec } = await import(`data:text/javascript,${encodeURIComponent(block('acp'))}`);
  const updates = [];
  const asked = [];
  let answer = { outcome: 'selected', optionId: 'always' };
  const client = {
    requestPermission: async (p) => (asked.push(p.toolCall.title), { outcome: answer }),
    sessionUpdate: async ({ update }) => updates.push(update),
  };
  const exec = await real(t, { mcp__a__one: { call: () => text('1') }, mcp__a__two: { call: () => text('2') } }, { permission: permissionBy(client) });
  const run = (code) => runExec(client, exec, { sessionId: 's', toolCallId: 't1', input: { code } });
  assert.equal((await run('await tools.mcp__a__one(); return tools.mcp__a__one()')).content[0].text, '1');
  answer = { outcome: 'selected', optionId: 'no' };
  assert.equal((await run('await tools.mcp__a__two()')).errorKind, 'denied');
  answer = { outcome: 'cancelled' };
  assert.equal((await run('await tools.mcp__a__two()')).status, 'cancelled');
  assert.deepEqual(asked, ['mcp__a__one', 'mcp__a__two', 'mcp__a__two']);
  assert.deepEqual(updates[0], { toolCallId: 't1', sessionUpdate: 'tool_call', title: 'Exec', kind: 'execute', status: 'in_progress' });
  assert.ok(updates.some((u) => u.status === 'completed' && u.content[0].content.text === '2 tool calls\nmcp__a__one\nmcp__a__one'));
  assert.equal(updates.at(-1).status, 'failed');
});
