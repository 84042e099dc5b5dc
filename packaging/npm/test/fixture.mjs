// What several test files share: hosts over the fake extension and over the real binary.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { ExecExt } from 'exec-ext';

export const FAKE = fileURLToPath(new URL('fake-extension.mjs', import.meta.url));

export const POOL = [{ name: 'mcp__srv__tool' }, { name: 'mcp__srv__two' }];

export const text = (t) => ({ content: [{ type: 'text', text: t }] });

/** Options for a fake extension that starts in the way given. */
export function fakeOptions(how, more = {}) {
  return {
    binary: FAKE,
    env: { ...process.env, FAKE: how },
    pool: () => POOL,
    callTool: (name, args) => text(`${name} ${JSON.stringify(args)}`),
    backoff: { firstMs: 20, maxMs: 40 },
    onWarning: () => {},
    ...more,
  };
}

/** Starts a fake extension for one test. */
export async function fake(t, how = 'ok', more = {}) {
  const exec = await ExecExt.start(fakeOptions(how, more));
  t.after(() => exec.close());
  return exec;
}

/** Starts the real extension for one test, with tools made of functions. */
export async function real(t, tools, more = {}) {
  assert.ok(process.env.EXEC_EXT_PATH, 'EXEC_EXT_PATH must name a built binary; see README.md');
  const exec = await ExecExt.start({
    pool: () => ({ status: 'ok', revision: '1', tools: Object.entries(tools).map(([name, tool]) => ({ name, ...tool.declaration })) }),
    callTool: (name, args, context) => tools[name].call(args, context),
    onWarning: () => {},
    ...more,
  });
  t.after(() => exec.close());
  return exec;
}

/** Waits for a promise to reject and gives the error. */
export async function rejection(promise) {
  try {
    await promise;
  } catch (e) {
    return e;
  }
  assert.fail('it did not reject');
}
