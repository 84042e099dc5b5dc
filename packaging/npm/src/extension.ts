import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import {
  CancellationTokenSource,
  ConnectionError,
  createMessageConnection,
  ParameterStructures,
  StreamMessageReader,
  StreamMessageWriter,
  type CancellationToken,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import type { Binary } from './binary.js';
import { argumentsText, decoder, encoder } from './codec.js';
import { ExecExtError, messageOf, type ErrorCode, type ErrorDetail } from './errors.js';
import { mismatch, refusal, spawnAdvice, versionError } from './failures.js';
import { PROTOCOL_VERSION } from './protocol.js';
import type {
  ConfigPatch,
  ExecProgressParams,
  HostCallToolParams,
  HostPermissionParams,
  HostPoolParams,
  Implementation,
  InitializeResult,
} from './protocol.js';
import { StderrTail } from './stderr.js';

/** The host's side of the connection. None of its functions may reject. */
export interface Handlers {
  pool(params: HostPoolParams): Promise<unknown>;
  callTool(params: HostCallToolParams, argumentsText: string, signal: AbortSignal): Promise<unknown>;
  permission(params: HostPermissionParams, argumentsText: string, signal: AbortSignal): Promise<unknown>;
  progress(params: ExecProgressParams): void;
}

/** How to start one extension process. */
export interface StartOptions {
  binary: Binary;
  args: string[];
  env: NodeJS.ProcessEnv;
  clientInfo: Implementation;
  permissionMode: 'inFunnel' | 'separate';
  config: ConfigPatch;
  startTimeoutMs: number;
  livenessMs: number;
  handlers: Handlers;
  onLog: (line: string) => void;
}

const STOP_MS = 5000;
const CLOSE_MS = 500;
const DRAIN_MS = 200;

/** One running extension process and the connection to it. It ends once, for one reason. */
export class Extension {
  /** The answer to `initialize`. */
  info!: InitializeResult;
  /** Why it ended; undefined while it lives. */
  failure: ExecExtError | undefined;
  /** Resolves with `failure` when it has ended. */
  readonly ended: Promise<ExecExtError>;

  private readonly stderr: StderrTail;
  private readonly connection: MessageConnection;
  private resolveEnded!: (why: ExecExtError) => void;
  private pending = 0;
  private pulse: NodeJS.Timeout | undefined;
  private missed = 0;
  private closed = false;

  /** Starts a process, shakes hands and checks the version; rejects with an ExecExtError. */
  static async start(options: StartOptions): Promise<Extension> {
    const extension = new Extension(options, launch(options));
    await extension.initialize(options);
    return extension;
  }

  private constructor(
    private readonly options: StartOptions,
    private readonly child: ChildProcessWithoutNullStreams,
  ) {
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
    this.stderr = new StderrTail(child.stderr, options.onLog);
    child.stdin.on('error', () => this.closing());
    child.on('error', (e) => this.end('spawn_failed', `${options.binary.path} could not be started: ${e.message}`, {
      nextStep: spawnAdvice(e),
      cause: e,
    }));
    child.on('exit', (exitCode, signal) => this.afterDrain(() => this.exited(exitCode, signal)));
    const reader = new StreamMessageReader(child.stdout, { contentTypeDecoder: decoder });
    reader.partialMessageTimeout = 0; // its timer would outlive a process that ended in the middle of a frame
    this.connection = createMessageConnection(
      reader,
      new StreamMessageWriter(child.stdin, {
        contentTypeEncoder: encoder(() => this.info?.capabilities?.maxMessageBytes ?? Infinity),
      }),
    );
    reader.onError((e) => this.outOfStep(e)); // errors of writing are told to the sender, or show as the end
    this.connection.onClose(() => this.closing());
    this.serve(options.handlers);
    this.connection.listen();
  }

  /** Whether it is on its way out: `failure` follows shortly. */
  get leaving(): boolean {
    return this.closed || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Sends a request. Rejects with an ExecExtError: the extension's refusal, or the reason of its end. */
  async request<R>(method: string, params: unknown, signal?: AbortSignal): Promise<R> {
    if (this.failure) throw this.failure;
    const source = new CancellationTokenSource();
    const cancel = () => source.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    this.hold();
    try {
      return await this.connection.sendRequest<R>(method, ParameterStructures.byName, params, source.token);
    } catch (thrown) {
      if (this.failure) throw this.failure;
      if (thrown instanceof ConnectionError || !this.child.stdin.writable) throw await this.ended;
      throw refusal(method, thrown);
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.release();
    }
  }

  /** Sends a notification; nothing is known of its fate. */
  notify(method: string, params: unknown): void {
    void this.quietly(() => this.connection.sendNotification(method, ParameterStructures.byName, params));
  }

  /** Ends the process in order, or by force after a few seconds. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.kill('closed', 'the extension was closed'), STOP_MS);
    try {
      await this.request('shutdown', {});
      this.notify('exit', {});
      this.hold();
      await this.ended;
    } catch {
      this.kill('closed', 'the extension was closed');
    } finally {
      clearTimeout(timer);
      await this.ended;
    }
  }

  /** Ends it at once for the reason given. */
  kill(code: ErrorCode, what: string, nextStep = 'Start a new one'): void {
    this.end(code, what, { nextStep });
    this.child.kill('SIGKILL');
  }

  private serve(h: Handlers): void {
    this.connection.onRequest('host/pool', (p: HostPoolParams) => h.pool(p));
    this.connection.onRequest('host/callTool', (p: HostCallToolParams, token: CancellationToken) =>
      h.callTool(p, argumentsText(p), abortSignal(token)));
    this.connection.onRequest('host/permission', (p: HostPermissionParams, token: CancellationToken) =>
      h.permission(p, argumentsText(p), abortSignal(token)));
    this.connection.onNotification('exec/progress', (p: ExecProgressParams) => h.progress(p));
  }

  private async initialize(o: StartOptions): Promise<void> {
    const timer = setTimeout(() => this.kill(
      'start_timeout',
      `${o.binary.path} did not answer within ${o.startTimeoutMs} ms of its start`,
      'See whether the machine is overloaded or the binary is another program; startTimeoutMs gives it longer',
    ), o.startTimeoutMs);
    try {
      const info = await this.request<InitializeResult>('initialize', {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo: o.clientInfo,
        processId: process.pid,
        capabilities: { pool: {}, callTool: { permission: o.permissionMode }, progress: true },
        config: o.config,
      });
      this.checkVersion(info);
      this.info = info;
      this.notify('initialized', {});
    } catch (thrown) {
      const why = versionError(thrown, o.binary) ?? (thrown as ExecExtError);
      this.kill(why.code, messageOf(why));
      throw why;
    } finally {
      clearTimeout(timer);
    }
  }

  private checkVersion(info: InitializeResult): void {
    const path = this.options.binary.path;
    if (info?.protocolVersion !== PROTOCOL_VERSION) throw mismatch(path, info?.protocolVersion);
    if (typeof info.execTool?.description === 'string' && info.execTool.inputSchema) return;
    throw new ExecExtError('protocol_violation', `${path} answered initialize without a declaration of Exec`, {
      nextStep: 'Install a release build of exec-ext of the same version as this package',
    });
  }

  // A pipe has closed: the exit code and the last words follow shortly, or the process is of no use any more.
  private closing(): void {
    this.closed = true;
    setTimeout(() => this.exited(null, null), CLOSE_MS);
  }

  private exited(exitCode: number | null, signal: string | null): void {
    const how = signal ? `by signal ${signal}` : exitCode === null ? 'its output' : `with exit code ${exitCode}`;
    const when = this.info ? '' : ' while it was starting';
    this.end('extension_exited', `${this.options.binary.path} ended ${how}${when}`, {
      nextStep: this.info
        ? 'The next call starts a new one; if it keeps ending, report its last words'
        : `Run \`${this.options.binary.path} serve\` by hand to see why`,
      exitCode,
      signal,
    });
    this.child.kill('SIGKILL');
  }

  private outOfStep(e: Error): void {
    if ('code' in e) return this.closing(); // the system's error, not a message's
    this.kill(
      'protocol_violation',
      `${this.options.binary.path} wrote what is no message of the protocol (${e.message})`,
      'See that the binary is exec-ext and that nothing else writes to its stdout',
    );
  }

  private end(code: ErrorCode, what: string, detail: ErrorDetail): void {
    if (this.failure) return;
    const stderr = this.stderr.text;
    this.failure = new ExecExtError(code, what, stderr ? { ...detail, stderr } : detail);
    clearInterval(this.pulse);
    this.resolveEnded(this.failure);
    this.connection.dispose();
    this.child.stdin.destroy(); // what a killed launcher leaves behind sees its end by this
  }

  // The last lines on stderr may arrive after the exit; a grandchild that holds the pipe must not delay us for ever.
  private afterDrain(then: () => void): void {
    const timer = setTimeout(then, DRAIN_MS);
    this.child.once('close', () => {
      clearTimeout(timer);
      then();
    });
  }

  // An idle extension does not keep the host's process alive; one that owes an answer does, and is asked for a sign
  // of life now and then.
  private hold(): void {
    if (this.pending++ > 0) return;
    for (const handle of this.handles()) handle.ref?.();
    this.missed = 0;
    this.pulse = setInterval(() => this.beat(), this.options.livenessMs).unref();
  }

  private release(): void {
    if (--this.pending > 0) return;
    clearInterval(this.pulse);
    for (const handle of this.handles()) handle.unref?.();
  }

  // A start has its own time limit. Two beats may be missed: after a long block of the host's own event loop the first is missed by the host.
  private beat(): void {
    if (!this.info) return;
    if (this.missed >= 2) {
      this.kill('extension_silent', `${this.options.binary.path} no longer answers`, 'The next call starts a new one');
      return;
    }
    if (this.missed++ === 0) {
      void this.quietly(async () => {
        await this.connection.sendRequest('ping', ParameterStructures.byName, {});
        this.missed = 0;
      });
    }
  }

  // For messages whose loss shows itself in other ways; sending throws once the connection is closed.
  private async quietly(send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch {
      // `failure` tells, now or soon.
    }
  }

  private handles(): { ref?(): void; unref?(): void }[] {
    return [this.child, this.child.stdin, this.child.stdout, this.child.stderr] as never[];
  }
}

function launch(o: StartOptions): ChildProcessWithoutNullStreams {
  try {
    return spawn(o.binary.path, o.args, { stdio: 'pipe', windowsHide: true, env: o.env });
  } catch (e) {
    throw new ExecExtError('spawn_failed', `${o.binary.path} could not be started: ${messageOf(e)}`, {
      nextStep: spawnAdvice(e as Error),
      cause: e,
    });
  }
}

function abortSignal(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
