/** Stable codes of the errors of this package. */
export type ErrorCode =
  | 'binary_not_found'
  | 'binary_not_executable'
  | 'wrong_platform'
  | 'platform_not_supported'
  | 'spawn_failed'
  | 'start_timeout'
  | 'version_mismatch'
  | 'extension_exited'
  | 'extension_silent'
  | 'protocol_violation'
  | 'request_refused'
  | 'backing_off'
  | 'closed';

/** More of an error than its sentence. */
export interface ErrorDetail {
  /** What the host's author or user can do now. */
  nextStep: string;
  /** The last lines the extension wrote to stderr. */
  stderr?: string;
  /** Where a binary was looked for, in order. */
  tried?: string[];
  /** Code and data of a JSON-RPC error. */
  rpc?: { code: number; data?: unknown };
  exitCode?: number | null;
  signal?: string | null;
  cause?: unknown;
}

/**
 * Every error this package throws. Tell them apart by `code`; `message` says what happened and what to do next,
 * `detail` has the parts.
 */
export class ExecExtError extends Error {
  readonly code: ErrorCode;
  readonly detail: ErrorDetail;

  constructor(code: ErrorCode, what: string, detail: ErrorDetail) {
    const said = detail.stderr ? `\nIts last words on stderr:\n${indent(detail.stderr)}` : '';
    super(`${what}. ${detail.nextStep}${said}`, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'ExecExtError';
    this.code = code;
    this.detail = detail;
  }
}

/** Thrown by a host's `callTool` to say that its own rules refuse this call; `reason` reaches the script. */
export class ToolDenied extends Error {
  readonly by: string | undefined;

  constructor(reason: string, by?: string) {
    super(reason);
    this.name = 'ToolDenied';
    this.by = by;
  }
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  try {
    return String(thrown);
  } catch {
    return 'something that has no text was thrown';
  }
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
