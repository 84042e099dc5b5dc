import { ResponseError } from 'vscode-jsonrpc/node';
import type { Binary } from './binary.js';
import { ExecExtError, messageOf } from './errors.js';
import { PROTOCOL_VERSION } from './protocol.js';

// Failures of starting and of asking, as errors that say what to do.

/** What to do about a program that the system would not start. */
export function spawnAdvice(e: Error): string {
  const code = (e as NodeJS.ErrnoException).code;
  if (code === 'ENOEXEC' || code === 'EBADARCH' || code === 'UNKNOWN' || code === 'EFTYPE') {
    return `It is no program for ${process.platform}-${process.arch}: install the package for this platform`;
  }
  if (code === 'EACCES' || code === 'EPERM') return 'Make it executable, and see that its file system is not mounted noexec';
  if (code === 'EAGAIN' || code === 'EMFILE' || code === 'ENOMEM') return 'The system is out of processes, files or memory';
  return 'See that the file exists and can be run by hand';
}

/** The error for a request that the extension answered with a JSON-RPC error. */
export function refusal(method: string, thrown: unknown): ExecExtError {
  const rpc = thrown instanceof ResponseError ? { code: thrown.code, data: thrown.data } : undefined;
  const wrong = rpc?.data as { path?: string; expected?: string } | undefined;
  return new ExecExtError('request_refused', `${method} was refused: ${messageOf(thrown)}`, {
    nextStep: wrong?.path ? `Correct ${wrong.path}${wrong.expected ? ` (${wrong.expected})` : ''}` : 'Correct the request',
    ...(rpc && { rpc }),
    cause: thrown,
  });
}

/** The version mismatch that an answer to `initialize` tells of, if it does. */
export function versionError(thrown: unknown, binary: Binary): ExecExtError | undefined {
  if (!(thrown instanceof ExecExtError) || thrown.detail.rpc?.code !== -31001) return undefined;
  return mismatch(binary.path, (thrown.detail.rpc.data as { supported?: unknown })?.supported);
}

/** The error for an extension that speaks another version of the protocol. */
export function mismatch(path: string, theirs: unknown): ExecExtError {
  return new ExecExtError(
    'version_mismatch',
    `${path} speaks protocol ${JSON.stringify(theirs) ?? 'unknown'}, this package speaks ${PROTOCOL_VERSION}`,
    { nextStep: 'Install the exec-ext package and binary of one release, and see which binary EXEC_EXT_PATH names' },
  );
}
