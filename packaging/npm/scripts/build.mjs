// Builds dist/: every source file as ESM and as CommonJS, and the declarations for both.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
rmSync('dist', { recursive: true, force: true });
const sources = readdirSync('src').filter((f) => f.endsWith('.ts')).map((f) => join('src', f));
const define = { PACKAGE_VERSION: JSON.stringify(JSON.parse(readFileSync('package.json')).version) };
const common = { entryPoints: sources, platform: 'node', target: 'node20', logLevel: 'warning' };
await build({ ...common, format: 'esm', outdir: 'dist/esm', define });
await build({
  ...common,
  format: 'cjs',
  outdir: 'dist/cjs',
  define: { ...define, 'import.meta.url': 'moduleUrl' },
  banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
});
const tsc = fileURLToPath(new URL('../bin/tsc', import.meta.resolve('typescript')));
execFileSync(process.execPath, [tsc, '-p', '.'], { stdio: 'inherit' });
cpSync('dist/esm', 'dist/cjs', { recursive: true, filter: (f) => !f.endsWith('.js') });
for (const [folder, type] of [['esm', 'module'], ['cjs', 'commonjs']]) {
  writeFileSync(`dist/${folder}/package.json`, JSON.stringify({ type }) + '\n');
}
