// The VS Code sample, bundled as it is packaged, over a double of the `vscode` module and the real extension.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { real } from './fixture.mjs';

const sample = join(import.meta.dirname, '..', 'examples', 'vscode');
const manifest = JSON.parse(readFileSync(join(sample, 'package.json')));

// Activates the bundle in a folder whose node_modules hold the double.
function activate(t) {
  const folder = mkdtempSync(join(tmpdir(), 'exec-ext-vscode-'));
  cpSync(join(import.meta.dirname, 'vscode-double'), join(folder, 'node_modules'), { recursive: true });
  const bundle = join(folder, 'extension.js');
  execFileSync(process.execPath, [join(sample, 'build.mjs'), bundle]);
  const require = createRequire(bundle);
  const vscode = require('vscode');
  const context = { extension: { packageJSON: manifest }, extensionPath: folder, subscriptions: [] };
  require(bundle).activate(context);
  t.after(() => context.subscriptions.forEach((s) => s.dispose()));
  const invoke = (code, token = new vscode.CancellationTokenSource().token) =>
    vscode.double.registered.get('Exec').invoke({ input: { code }, toolInvocationToken: 'chat-1' }, token);
  return { vscode, invoke };
}

test('vscode: the manifest declares what initialize declares', async (t) => {
  const exec = await real(t, {});
  const [declared] = manifest.contributes.languageModelTools;
  assert.equal(declared.modelDescription, exec.info.execTool.description, 'copy execTool.description into examples/vscode/package.json');
  assert.deepEqual(declared.inputSchema, exec.info.execTool.inputSchema);
  assert.equal(declared.name, exec.info.execTool.name);
});

test('vscode: a script calls the tools of MCP servers through VS Code, and only those', async (t) => {
  const { vscode, invoke } = activate(t);
  const result = await invoke(`const found = await tools["$codemode"].search({});
    await tools.mcp__srv__picture();
    return [await tools.mcp__srv__get_text({ a: 1 }), found.map((f) => f.name).join()].join("\\n")`);
  const [text, image] = result.content;
  assert.ok(result instanceof vscode.LanguageModelToolResult);
  assert.equal(text.value, 'text {"a":1}\nmcp__srv__declined,mcp__srv__get_text,mcp__srv__hang,mcp__srv__picture');
  assert.deepEqual([image.mimeType, [...image.data]], ['image/png', [1, 2, 3]]);
  assert.deepEqual(vscode.double.invoked.at(-1), { name: 'mcp_srv_get_text', input: { a: 1 }, toolInvocationToken: 'chat-1' });
});

test('vscode: a declined confirmation reaches the script; cancelling ends a run; the invocation shows the name alone', async (t) => {
  const { vscode, invoke } = activate(t);
  const declined = await invoke('try { await tools.mcp__srv__declined() } catch (e) { return e.message }');
  assert.match(declined.content[0].value, /the user declined/);
  const source = new vscode.CancellationTokenSource();
  const running = invoke('await tools.mcp__srv__hang()', source.token);
  while (vscode.double.invoked.at(-1)?.name !== 'mcp_srv_hang') await new Promise(setImmediate);
  source.cancel();
  assert.match((await running).content[0].value, /cancel/i);
  assert.deepEqual(vscode.double.registered.get('Exec').prepareInvocation(), { invocationMessage: 'Exec' });
});
