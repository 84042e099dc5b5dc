import type { ExecExtError } from './errors.js';
import type { HostCallbacks } from './host.js';
import type { ConfigPatch, ExecProgressParams, Implementation } from './protocol.js';
import type { Backoff } from './supervisor.js';

/** How to make an ExecExt: the host's callbacks, and settings that all have defaults. */
export interface ExecExtOptions extends HostCallbacks {
  /** The extension's binary. Left out: EXEC_EXT_PATH, the platform package, PATH. */
  binary?: string;
  /** Further arguments of `exec-ext serve`, for example `['--require-isolation', 'full']`. */
  serveArgs?: string[];
  /** The extension's environment; the host's own by default. Scripts see none of it. */
  env?: NodeJS.ProcessEnv;
  /** Names the host in the handshake. */
  clientInfo?: Implementation;
  /** The extension's configuration; `updateConfig` changes it later. */
  config?: ConfigPatch;
  /** Where the permission gate is; the same callbacks serve both. Default `inFunnel`. */
  permissionMode?: 'inFunnel' | 'separate';
  /** How long a start may take, handshake included. Default 10000. */
  startTimeoutMs?: number;
  /** How long `pool` may take. Default 10000. */
  poolTimeoutMs?: number;
  /** How long one `callTool` may take. Default: as long as its run. */
  callTimeoutMs?: number;
  /** How often an extension that owes an answer is asked for a sign of life. Default 5000. */
  livenessMs?: number;
  /** Pauses between restarts. Default 250 to 30000. */
  backoff?: Backoff;
  /** Every line of the extension's log. */
  onLog?: (line: string) => void;
  /** The live summary of every run. */
  onProgress?: (progress: ExecProgressParams) => void;
  /** An extension has ended or could not be started; the next call tries again. */
  onExit?: (why: ExecExtError) => void;
  /**
   * What the host's author should know, each sentence once: no `permission` was given, a member of `config` is not
   * known, `pool` failed or gave an entry that is no tool. Left out: a warning of the process (`process.emitWarning`).
   */
  onWarning?: (warning: string) => void;
}

declare const PACKAGE_VERSION: string; // set by the build, so that bundled hosts have it too

/** The version of this package. */
export const packageVersion = PACKAGE_VERSION;

/** What tells the host's author each sentence once. */
export function warner(options: ExecExtOptions): (warning: string) => void {
  const told = new Set<string>();
  const tell = harmless(options.onWarning ?? ((warning: string) => process.emitWarning(warning, 'ExecExtWarning')));
  return (warning) => {
    if (!told.has(warning)) tell(warning);
    told.add(warning);
  };
}

/** What the extension's log tells of a member of the config that is not known and such, if the line is a warning. */
export function warningIn(line: string): string | undefined {
  if (!line.startsWith('{"level":"warn"')) return undefined;
  try {
    return `exec-ext: ${String((JSON.parse(line) as { message?: unknown }).message)}`;
  } catch {
    return undefined;
  }
}

/** A callback of the host whose throw concerns nobody else. */
export function harmless<A extends unknown[]>(callback: ((...args: A) => void) | undefined): (...args: A) => void {
  return (...args) => {
    try {
      callback?.(...args);
    } catch {
      // The host's own display has failed; the run goes on.
    }
  };
}
