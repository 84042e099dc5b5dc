// Bundles the extension into one file. Outside this repository, add `exec-ext` to the dependencies and drop the alias.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
await build({
  entryPoints: [join(here, 'src/extension.js')],
  outfile: process.argv[2] ?? join(here, 'dist/extension.js'),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  alias: { 'exec-ext': join(here, '../../dist/cjs/index.js') },
  logLevel: 'warning',
});
