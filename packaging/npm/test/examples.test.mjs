// The examples, run as a reader would run them: real MCP servers, the real extension, a model that is a script.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const folder = join(import.meta.dirname, '..', 'examples');
const example = async (name) => (await promisify(execFile)(process.execPath, [join(folder, name), '--yes'], { timeout: 60_000 })).stdout;

test('example: an agent loop by the library', async () => {
  const out = await example('agent-loop.mjs');
  const order = [
    '> Add 20 and 22', 'declares Exec, announcement: full', '? mcp__everything__get-sum', '? mcp__filesystem__write_file',
    '~ ... 3 tool calls | mcp__filesystem__write_file | mcp__memory__create_entities', '= completed: The sum of 20 and 22 is 42.',
    '> Show me', 'announcement: none', '= completed: one image [image/png]',
    '> Forget', '= code_error:', 'a rule keeps memories from being deleted', '= completed: 1', '< I may not delete it.',
    '> Anything left?', 'announcement: full', 'the note says: The sum of 20 and 22 is 42.',
  ];
  let at = 0;
  for (const part of order) {
    const found = out.indexOf(part, at);
    assert.ok(found >= 0, `"${part}" is not in the rest:\n${out.slice(at)}`);
    at = found;
  }
});

test('example: a host by hand, in at most 60 lines', async () => {
  const out = await example('by-hand.mjs');
  assert.match(out, /announcement: full\n.*announcement: none\n/);
  assert.match(out, /~ \.\.\. 3 tool calls \| mcp__everything__get-env \| mcp__everything__get-tiny-image/);
  assert.match(out, /completed: The sum of 20 and 22 is 42\.[^]*a rule or the user refused it image\/png\n.*announcement: full/);
  const lines = readFileSync(join(folder, 'by-hand.mjs'), 'utf8').trimEnd().split('\n');
  assert.ok(lines.length <= 60, `${lines.length} lines`);
  assert.ok(!lines.some((l) => /from 'exec-ext/.test(l)));
});
