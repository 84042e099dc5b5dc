#!/usr/bin/env node
// Runs the exec-ext binary of this installation with the arguments given.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { resolveBinary } from '../dist/esm/binary.js';

// A shim of this launcher on the PATH must not be taken for the binary.
if (process.env.EXEC_EXT_LAUNCHER) fail('exec-ext: no binary was found, only launchers. Install the platform package or set EXEC_EXT_PATH');

let binary;
try {
  binary = resolveBinary();
} catch (e) {
  fail(e.message);
}
const child = spawn(binary.path, process.argv.slice(2), {
  stdio: 'inherit',
  env: { ...process.env, EXEC_EXT_LAUNCHER: '1' },
});
child.on('error', (e) => fail(`${binary.path} could not be started: ${e.message}`));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(127);
}
