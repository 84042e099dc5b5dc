import { randomUUID } from 'node:crypto';
import { resolveBinary } from './binary.js';
import { checkCall, checkOptions, checkPrepare, checkRun } from './check.js';
import { ExecExtError, messageOf } from './errors.js';
import { Extension } from './extension.js';
import { flatPlan, lostRun } from './fallback.js';
import { Funnel, type Run } from './funnel.js';
import { mergePatch } from './merge-patch.js';
import { harmless, packageVersion, warner, warningIn, type ExecExtOptions } from './options.js';
import type {
  CallOutcome,
  CatalogRenderResult,
  CatalogSearchResult,
  ConfigPatch,
  ConfigUpdateResult,
  ExecProgressParams,
  ExecResult,
  ExecState,
  ExecTool,
  HealthResult,
  InitializeResult,
  LimitsPatch,
  PoolSnapshot,
  PoolTool,
  TurnPrepareResult,
} from './protocol.js';
import { Supervisor } from './supervisor.js';

/** What to prepare a request to the model for. */
export interface PrepareParams {
  sessionId: string;
  /** What the host's own rules say of Exec itself. */
  exec?: ExecState;
  /** Texts of the meta messages still in the context, oldest first: at least those given by announcements. */
  history?: string[];
  channel?: 'available' | 'absent';
}

/** The plan of one turn. `tools` are the declarations that belong to `declare`, from the same snapshot. */
export interface TurnPlan extends TurnPrepareResult {
  tools: (PoolTool | ExecTool)[];
  /** Why the extension was not asked, if it was not. */
  failure?: ExecExtError;
}

/** One Exec call of the model. */
export interface RunParams {
  sessionId: string;
  /** The model's tool input as it came: `{code}` or a bare string. */
  input: unknown;
  runId?: string;
  signal?: AbortSignal;
  limits?: LimitsPatch;
  exec?: ExecState;
  /** Taken instead of asking `pool`. */
  pool?: PoolSnapshot;
  /** The live run inside which this one was called. */
  parentRunId?: string;
  onProgress?: (progress: ExecProgressParams) => void;
}

/** One call that the model made itself, in flat mode. */
export interface FlatCallParams {
  sessionId: string;
  callId?: string;
  argumentsText?: string;
  signal?: AbortSignal;
}

const LATE_MS = 5000;
const INVALID_PARAMS = -32602;
const NO_PERMISSION =
  'no permission function was given: all calls are allowed that callTool itself does not refuse; ' +
  'if that is meant, give `permission: () => true`';

/**
 * An agent's Exec: plans turns, runs scripts, and passes their calls through the host's one funnel. `prepare`, `run`
 * and `call` reject for a mistake in their arguments alone, with a TypeError, or with an ExecExtError of the code
 * `request_refused` if the extension found it. Without a working extension the plan is flat and a run a failed result.
 */
export class ExecExt {
  private readonly funnel: Funnel;
  private readonly supervisor: Supervisor;
  private readonly progress = new Map<string, (p: ExecProgressParams) => void>();
  private readonly warn: (warning: string) => void;
  private config: ConfigPatch;

  /**
   * Makes one whose extension is up; rejects with an ExecExtError that says what to do, and for options that have
   * wrong names or types with a TypeError.
   */
  static async start(options: ExecExtOptions): Promise<ExecExt> {
    const exec = new ExecExt(options);
    await exec.supervisor.get();
    return exec;
  }

  /** Makes one that starts its extension when it is first needed. Throws a TypeError for wrong options. */
  constructor(private readonly options: ExecExtOptions) {
    checkOptions(options);
    this.config = options.config ?? {};
    this.warn = warner(options);
    if (!options.permission) this.warn(NO_PERMISSION);
    this.funnel = new Funnel(options, options.permissionMode ?? 'inFunnel', {
      poolMs: options.poolTimeoutMs ?? 10_000,
      callMs: options.callTimeoutMs,
    }, this.warn);
    const backoff = options.backoff ?? { firstMs: 250, maxMs: 30_000 };
    this.supervisor = new Supervisor(() => this.launch(), backoff, harmless(options.onExit));
  }

  /** What the running extension said of itself; undefined while none runs. */
  get info(): InitializeResult | undefined {
    return this.supervisor.current?.info;
  }

  /** Says what to declare and to append in the next request to the model. */
  async prepare(params: PrepareParams): Promise<TurnPlan> {
    checkPrepare(params);
    const snapshot = await this.funnel.snapshot({ sessionId: params.sessionId, purpose: 'turn' });
    try {
      const extension = await this.supervisor.get();
      const ask = () => extension.request<TurnPrepareResult>('turn/prepare', params);
      const plan = checked(await this.funnel.withPool(params.sessionId, snapshot, ask), 'turn/prepare', isPlan);
      return { ...plan, tools: declarations(plan, snapshot, plan.execTool ?? extension.info.execTool) };
    } catch (thrown) {
      if (isMistake(thrown)) throw thrown;
      const failure = asFailure(thrown);
      const plan = flatPlan(snapshot, disallowedBy(this.config), failure);
      return { ...plan, tools: declarations(plan, snapshot, undefined), failure };
    }
  }

  /** Runs one Exec call of the model. */
  async run(params: RunParams): Promise<ExecResult> {
    checkRun(params);
    const { onProgress, signal, ...rest } = params;
    const request = { ...rest, runId: params.runId ?? randomUUID() };
    const run = this.funnel.open(params.sessionId, request.runId, params.pool);
    if (!run) throw new ExecExtError('request_refused', `the session has a live run of the runId ${request.runId}`, { nextStep: 'Give each run an id of its own' });
    if (onProgress) this.progress.set(progressKey(request), harmless(onProgress));
    try {
      const extension = await this.supervisor.get();
      return checked(await this.untilAborted(extension, request, run, signal), 'exec/run', isResult);
    } catch (thrown) {
      if (isMistake(thrown)) throw thrown;
      return lostRun(request.runId, asFailure(thrown), run.calls);
    } finally {
      this.progress.delete(progressKey(request));
      this.funnel.close(run);
    }
  }

  /** Cancels a run, or every run of the session; each still gives its result. */
  cancel(sessionId: string, runId?: string, reason?: string): void {
    for (const run of this.funnel.runsOf(sessionId, runId)) run.cancelled ??= { reason };
    this.supervisor.current?.notify('exec/cancel', { sessionId, runId, reason });
  }

  /** Runs one leaf that the model called itself (flat mode), by the funnel that scripts use too. */
  async call(name: string, args: Record<string, unknown>, params: FlatCallParams): Promise<CallOutcome> {
    checkCall(name, args, params);
    return this.funnel.call(name, args, {
      origin: 'flat',
      sessionId: params.sessionId,
      callId: params.callId ?? randomUUID(),
      argumentsText: params.argumentsText ?? JSON.stringify(args),
      signal: params.signal ?? new AbortController().signal,
    });
  }

  /** The catalog text of the session's pool. Rejects with an ExecExtError, as all methods below. */
  async renderCatalog(sessionId: string, budgetTokens?: number): Promise<CatalogRenderResult> {
    return this.ask('catalog/render', { sessionId, budgetTokens });
  }

  /** Searches the session's pool. */
  async search(sessionId: string, input: { query?: string; server?: string; limit?: number }): Promise<CatalogSearchResult> {
    return this.ask('catalog/search', { sessionId, input });
  }

  /** Applies a JSON merge patch to the configuration; it outlives restarts. */
  async updateConfig(patch: ConfigPatch): Promise<ConfigUpdateResult> {
    const result = await this.ask<ConfigUpdateResult>('config/update', { patch });
    this.config = mergePatch(this.config, patch) as ConfigPatch;
    return result;
  }

  /** The state of the extension's process. */
  async health(selfTest = false): Promise<HealthResult> {
    return this.ask('extension/health', { selfTest });
  }

  /** Ends the extension's process; runs under way give failed results. */
  async close(): Promise<void> {
    await this.supervisor.close();
  }

  private async ask<R>(method: string, params: unknown): Promise<R> {
    return (await this.supervisor.get()).request<R>(method, params);
  }

  private async launch(): Promise<Extension> {
    const o = this.options;
    return Extension.start({
      binary: resolveBinary({ path: o.binary }),
      args: ['serve', ...(o.serveArgs ?? [])],
      env: o.env ?? process.env,
      clientInfo: o.clientInfo ?? { name: 'exec-ext-node', version: packageVersion },
      permissionMode: o.permissionMode ?? 'inFunnel',
      config: this.config,
      startTimeoutMs: o.startTimeoutMs ?? 10_000,
      livenessMs: o.livenessMs ?? 5000,
      onLog: (line) => this.logged(line),
      handlers: {
        pool: (p) => this.funnel.hostPool(p),
        callTool: (p, text, signal) => this.funnel.hostCallTool(p, text, signal),
        permission: (p, text, signal) => this.funnel.hostPermission(p, text, signal),
        progress: (p) => this.progressed(p),
      },
    });
  }

  private logged(line: string): void {
    const warning = warningIn(line);
    if (warning) this.warn(warning);
    harmless(this.options.onLog)(line);
  }

  private progressed(p: ExecProgressParams): void {
    if (!this.funnel.has(p.sessionId, p.runId)) return;
    harmless(this.options.onProgress)(p);
    this.progress.get(progressKey(p))?.(p);
  }

  // An abort cancels the run, which then gives its own result; only one that is overdue is given up.
  private async untilAborted(extension: Extension, request: RunParams & { runId: string }, run: Run, signal?: AbortSignal) {
    let giveUp: (result: ExecResult) => void;
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<ExecResult>((resolve) => (giveUp = resolve));
    const abort = () => {
      const reason = messageOf(signal!.reason);
      extension.notify('exec/cancel', { sessionId: request.sessionId, runId: request.runId, reason });
      timer = setTimeout(() => giveUp(lostRun(request.runId, { name: 'AbortError', message: reason }, run.calls, true)), LATE_MS);
    };
    const answer = extension.request<ExecResult>('exec/run', request);
    const { sessionId, runId } = request;
    if (run.cancelled) extension.notify('exec/cancel', { sessionId, runId, ...run.cancelled }); // it came before the run was sent
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([answer, overdue]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }
}

// What the caller can mend alone: a request refused for its params, or one that could not be written.
function isMistake(thrown: unknown): boolean {
  if (!(thrown instanceof ExecExtError) || thrown.code !== 'request_refused') return false;
  const code = thrown.detail.rpc?.code;
  return code === undefined || code === INVALID_PARAMS; // a runId in use is found here, before it is sent
}

function asFailure(thrown: unknown): ExecExtError {
  if (thrown instanceof ExecExtError) return thrown;
  return new ExecExtError('protocol_violation', messageOf(thrown), { nextStep: 'Report this with the log', cause: thrown });
}

function checked<T>(answer: T, method: string, fits: (answer: T) => boolean): T {
  if (typeof answer === 'object' && answer !== null && fits(answer)) return answer;
  throw new ExecExtError('protocol_violation', `the answer to ${method} has not the shape of the protocol`, {
    nextStep: 'Install the exec-ext package and binary of one release',
  });
}

function isPlan({ mode, announcement }: TurnPrepareResult): boolean {
  if (typeof mode !== 'string') return false;
  return announcement?.action === 'none' || (announcement?.action === 'append' && typeof announcement.message?.text === 'string');
}

function isResult(result: ExecResult): boolean {
  return Array.isArray(result.content) && result.content.length > 0 && typeof result.summary?.text === 'string';
}

function declarations(plan: TurnPrepareResult, snapshot: PoolSnapshot, execTool: ExecTool | undefined) {
  const byName = new Map<string, PoolTool | ExecTool>();
  for (const tool of snapshot.tools ?? []) if (tool && !byName.has(tool.name)) byName.set(tool.name, tool);
  if (execTool) byName.set(execTool.name, execTool);
  return (plan.declare ?? []).map((name) => byName.get(name)).filter((tool) => tool !== undefined);
}

function disallowedBy(config: ConfigPatch): string[] {
  return Array.isArray(config.disallowedTools) ? config.disallowedTools : [];
}

function progressKey(p: { sessionId: string; runId: string }): string {
  return JSON.stringify([p.sessionId, p.runId]);
}
