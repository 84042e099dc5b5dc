import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { resolveBinary } from 'exec-ext';

const root = join(import.meta.dirname, '..');
const unix = { skip: process.platform === 'win32' };

function executable(folder, name = 'exec-ext', body = '#!/bin/sh\necho "$0 $*"\nexit 3\n') {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, body);
  chmodSync(path, 0o755);
  return path;
}

// An installation as npm lays it: the package, its dependency, and the platform package beside it.
function installation({ withBinary }) {
  const modules = join(mkdtempSync(join(tmpdir(), 'exec-ext-install-')), 'node_modules');
  const own = join(modules, 'exec-ext');
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(own, part), { recursive: true });
  symlinkSync(join(root, 'node_modules', 'vscode-jsonrpc'), join(modules, 'vscode-jsonrpc'));
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../exec-ext/bin/exec-ext.mjs', join(modules, '.bin', 'exec-ext'));
  const platform = join(modules, '@exec-ext', `${process.platform}-${process.arch}`);
  if (withBinary) {
    executable(join(platform, 'bin'));
    writeFileSync(join(platform, 'package.json'), JSON.stringify({ name: `@exec-ext/${process.platform}-${process.arch}` }));
  }
  return { modules, binary: join(platform, 'bin', 'exec-ext'), launcher: join(modules, '.bin', 'exec-ext') };
}

const found = (installed, env) => {
  const script = `import { resolveBinary } from 'exec-ext'; console.log(JSON.stringify(resolveBinary({ env: ${JSON.stringify(env)} })));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: join(installed.modules, '..') }));
};

test('binary: option beats EXEC_EXT_PATH beats platform package beats PATH', unix, () => {
  const installed = installation({ withBinary: true });
  const other = executable(mkdtempSync(join(tmpdir(), 'exec-ext-path-')));
  const env = { EXEC_EXT_PATH: other, PATH: join(other, '..') };
  assert.deepEqual(resolveBinary({ path: installed.binary, env }), { path: installed.binary, source: 'option' });
  assert.deepEqual(resolveBinary({ env }), { path: other, source: 'EXEC_EXT_PATH' });
  assert.deepEqual(found(installed, { PATH: env.PATH }), { path: installed.binary, source: 'package' });
  assert.deepEqual(found(installation({ withBinary: false }), { PATH: env.PATH }), { path: other, source: 'PATH' });
});

test('binary: the error says what was tried, in order, and what to do', unix, () => {
  const { launcher } = installation({ withBinary: false });
  assert.throws(
    () => resolveBinary({ env: { PATH: ['/nowhere', join(launcher, '..')].join(delimiter) } }),
    (e) => {
      assert.equal(e.code, 'binary_not_found');
      assert.equal(e.detail.tried.length, 4);
      assert.match(e.message, /option.*EXEC_EXT_PATH.*@exec-ext\/.*PATH.*npm install exec-ext/s);
      return true;
    },
  );
});

test('binary: a wrong EXEC_EXT_PATH is an error, not skipped', () => {
  assert.throws(() => resolveBinary({ env: { EXEC_EXT_PATH: '/nowhere/exec-ext' } }), /Correct EXEC_EXT_PATH/);
});

test('binary: an unknown platform is told so', () => {
  assert.throws(
    () => resolveBinary({ env: {}, platform: 'sunos', arch: 'sparc' }),
    (e) => e.code === 'platform_not_supported' && /sunos-sparc/.test(e.message),
  );
});

test('launcher: runs the platform package with its arguments and exit code', unix, () => {
  const { launcher, binary } = installation({ withBinary: true });
  const ran = spawnSync(launcher, ['run', '--demo'], { encoding: 'utf8', env: { PATH: process.env.PATH } });
  assert.equal(ran.stdout, `${binary} run --demo\n`);
  assert.equal(ran.status, 3);
});

test('launcher: passes a signal on and ends as the binary ends', { ...unix, timeout: 60_000 }, async () => {
  const body = '#!/bin/sh\ntrap "echo got it; exit 9" TERM\necho ready\nwhile :; do sleep 0.05; done\n';
  const binary = executable(mkdtempSync(join(tmpdir(), 'exec-ext-signal-')), 'exec-ext', body);
  const child = spawn(installation({ withBinary: false }).launcher, ['serve'], { env: { ...process.env, EXEC_EXT_PATH: binary } });
  let out = '';
  for await (const chunk of child.stdout) {
    out += chunk;
    if (out === 'ready\n') child.kill('SIGTERM');
  }
  assert.equal(out, 'ready\ngot it\n');
  assert.equal(child.exitCode ?? (await once(child, 'exit'))[0], 9);
});

test('launcher: launchers that find each other end with a sentence', unix, () => {
  const { launcher } = installation({ withBinary: false });
  const shims = mkdtempSync(join(tmpdir(), 'exec-ext-shim-'));
  executable(shims, 'exec-ext', `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`);
  const ran = spawnSync(launcher, [], { encoding: 'utf8', env: { PATH: [shims, process.env.PATH].join(delimiter) } });
  assert.equal(ran.status, 127);
  assert.match(ran.stderr, /only launchers/);
});
