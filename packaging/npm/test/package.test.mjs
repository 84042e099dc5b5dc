// The package as a consumer sees it: both module systems, types in both, the messages' types against the schemas.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generate } from '../scripts/generate-types.mjs';

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json')));
const entries = Object.keys(manifest.exports).filter((e) => e !== './package.json').map((e) => e.replace('.', 'exec-ext'));

test('package: every entry loads as ESM and as CommonJS with the same names', async () => {
  assert.equal(entries.length, 6);
  const require = createRequire(import.meta.url);
  for (const entry of entries) {
    const esm = Object.keys(await import(entry));
    const cjs = Object.keys(require(entry)).filter((n) => n !== '__esModule');
    assert.ok(esm.length > 0, entry);
    assert.deepEqual(cjs.sort(), esm.filter((n) => n !== 'default' && n !== 'module.exports').sort(), entry);
  }
});

test('package: a host in TypeScript compiles, strictly, from either module system', () => {
  const tsc = fileURLToPath(new URL('../bin/tsc', import.meta.resolve('typescript')));
  execFileSync(process.execPath, [tsc, '-p', join(import.meta.dirname, 'types')], { encoding: 'utf8' });
});

// What the README leaves to its reader.
const README_HAS = `import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ExecExt, type ExecTool, type MetaMessage, type PoolTool } from 'exec-ext';
import { McpHost } from 'exec-ext/mcp';
declare const client: Client, sessionId: string, history: string[], signal: AbortSignal, messages: MetaMessage[];
declare const ask: (name: string) => Promise<boolean>;
declare function model(request: { tools: (PoolTool | ExecTool)[]; messages: MetaMessage[] }): Promise<{ toolCall: { input: unknown } }>;
`;

test('package: the example of the README compiles, strictly', (t) => {
  const folder = mkdtempSync(join(import.meta.dirname, 'types', 'readme-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const example = readFileSync(join(root, 'README.md'), 'utf8').split('```js\n')[1].split('```')[0];
  writeFileSync(join(folder, 'example.mts'), README_HAS + example);
  writeFileSync(join(folder, 'tsconfig.json'), '{"extends": "../tsconfig.json", "include": ["*.mts"]}');
  const tsc = fileURLToPath(new URL('../bin/tsc', import.meta.resolve('typescript')));
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  assert.equal(stdout, '');
});

test('package: the types are those of the schemas', () => {
  const committed = readFileSync(join(root, 'src', 'wire.ts'), 'utf8');
  assert.equal(committed, generate(process.env.EXEC_EXT_PATH), 'run `npm run generate` with EXEC_EXT_PATH set to the new binary');
});

test('package: the core depends on vscode-jsonrpc alone', () => {
  assert.deepEqual(Object.keys(manifest.dependencies), ['vscode-jsonrpc']);
});
