#!/usr/bin/env node
// Runs the exec-ext binary of this installation with the arguments given.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { resolveBinary } from '../dist/esm/binary.js';

let binary;
try {
  binary = resolveBinary();
} catch (e) {
  fail(e.message);
}
// What PATH has may be a shim of another launcher, and what that one finds may be a shim of this one.
const fromPath = binary.source === 'PATH';
if (fromPath && process.env.EXEC_EXT_LAUNCHER) fail('exec-ext: no binary was found, only launchers. Install the platform package or set EXEC_EXT_PATH');

const env = fromPath ? { ...process.env, EXEC_EXT_LAUNCHER: '1' } : process.env;
// Listening comes before the start: a signal in between must not end this process and leave the binary behind.
// A terminal sends its signals to the whole group, so that the binary has them already.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => signal === 'SIGTERM' || !process.stdin.isTTY ? child.kill(signal) : undefined);
}
const child = spawn(binary.path, process.argv.slice(2), { stdio: 'inherit', env });
child.on('error', (e) => fail(`${binary.path} could not be started: ${e.message}`));
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(127);
}
