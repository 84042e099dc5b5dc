import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ExecExt } from 'exec-ext';
import { fake, fakeOptions, FAKE, rejection } from './fixture.mjs';

const folder = mkdtempSync(join(tmpdir(), 'exec-ext-start-'));
const file = (name, bytes, mode) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  chmodSync(path, mode);
  return path;
};

// Each way a start can fail: what is started, the code, and what the sentence must say.
const failures = {
  'a binary that is not there': [{ binary: join(folder, 'none') }, 'binary_not_found', /none is not a file.*Correct the option/],
  'a binary that is a folder': [{ binary: folder }, 'binary_not_found', /is not a file/],
  'a binary for another platform': [{ binary: file('macho', Buffer.from('cffaedfe07000001', 'hex'), 0o755) }, 'wrong_platform', /built for darwin-x64, this is .*Install @exec-ext/],
  'a binary whose interpreter is missing': [{ binary: file('script', '#!/nowhere/at/all\n', 0o755) }, 'spawn_failed', /could not be started/],
  'a program that is not exec-ext': [{ binary: file('hello', '#!/bin/sh\necho hello\n', 0o755) }, 'extension_exited', /serve` by hand/],
  'a crash at start': [fakeOptions('crash'), 'extension_exited', /exit code 7 while it was starting.*fake extension ends with 7/s],
  'text on stdout at start': [fakeOptions('garbage'), 'protocol_violation', /nothing else writes to its stdout/],
  'another protocol version, refused': [fakeOptions('version-mismatch'), 'version_mismatch', /speaks protocol \[7\], this package speaks 1.*one release/],
  'another protocol version, answered': [fakeOptions('version-other'), 'version_mismatch', /speaks protocol 99/],
  'an answer without a declaration': [fakeOptions('no-declaration'), 'protocol_violation', /without a declaration of Exec/],
  'a config of the wrong shape': [fakeOptions('bad-config'), 'request_refused', /Correct config\.limits\.wallMs \(a number\)/],
  'a slow start': [fakeOptions('slow', { startTimeoutMs: 200 }), 'start_timeout', /within 200 ms.*startTimeoutMs/],
};
for (const [name, [options, code, says]] of Object.entries(failures)) {
  test(`start: ${name} is ${code}`, async () => {
    const e = await rejection(ExecExt.start({ ...fakeOptions('ok'), ...options }));
    assert.equal(e.name, 'ExecExtError');
    assert.equal(e.code, code, e.message);
    assert.match(e.message, says);
    assert.ok(e.detail.nextStep);
  });
}

test('start: a file that may not be executed is binary_not_executable', { skip: process.getuid?.() === undefined }, async () => {
  const e = await rejection(ExecExt.start({ ...fakeOptions('ok'), binary: file('plain', 'x', 0o644) }));
  assert.equal(e.code, 'binary_not_executable');
  assert.match(e.message, /chmod \+x/);
});

test('start: info holds the answer to initialize', async (t) => {
  const exec = await fake(t);
  assert.equal(exec.info.serverInfo.name, 'exec-ext');
});

test('start: a closed one plans flat and fails runs, and close twice does no harm', async () => {
  const exec = await ExecExt.start(fakeOptions('ok'));
  await exec.close();
  await exec.close();
  assert.equal((await exec.prepare({ sessionId: 's' })).failure.code, 'closed');
  assert.equal((await exec.run({ sessionId: 's', input: { code: 'echo' } })).isError, true);
});

test('start: the host process ends by itself while an idle extension runs', async () => {
  const { execFileSync } = await import('node:child_process');
  const script = `import { ExecExt } from 'exec-ext';
    const exec = await ExecExt.start({ binary: ${JSON.stringify(FAKE)}, pool: () => [], callTool: () => ({ content: [] }) });
    console.log((await exec.run({ sessionId: 's', input: { code: 'echo' } })).content[0].text);`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname, timeout: 20_000 });
  assert.equal(String(out), 'hello\n');
});
