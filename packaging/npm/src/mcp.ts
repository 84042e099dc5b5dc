import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { ResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from './errors.js';
import type { CallContext, HostCallbacks } from './host.js';
import type { CallToolResult, PoolSnapshot, PoolTool } from './protocol.js';

/** Settings of an McpHost; all have defaults. */
export interface McpHostOptions {
  /** A server is left out, a name clashes: sentences for the host's log. */
  onWarning?: (warning: string) => void;
  /** What a server reports while it works on a call. */
  onCallProgress?: (name: string, progress: Progress) => void;
  /** How long one page of `tools/list` may take. Default 5000. */
  listTimeoutMs?: number;
  /** How long a call in flat mode may take; one of a script takes what its run has left. Default 600000. */
  flatCallTimeoutMs?: number;
}

/** What a server reports of a call it works on. */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

interface Server {
  client: Client;
  /** undefined: to be listed anew. */
  tools: PoolTool[] | undefined;
  listing: Promise<void> | undefined;
  /** Counts the changes that the server has told. */
  epoch: number;
  /** A server that could not be listed is left alone until then; a change it tells ends the pause. */
  retryAt: number;
}

interface Route {
  client: Client;
  tool: string;
  asTask: boolean;
}

const MAX_TIMER_MS = 2 ** 31 - 1;
const RETRY_MS = 30_000;

/**
 * An agent's MCP client sessions as the `pool` and `callTool` of an ExecExt: all pages of every server's tools under
 * flat names, listed again after `list_changed`, and each call sent to its server, as a task where the tool requires
 * it. Schemas and results are passed on as the servers sent them, neither validated nor completed.
 */
export class McpHost implements Pick<HostCallbacks, 'pool' | 'callTool'> {
  private readonly servers = new Map<string, Server>();
  private routes = new Map<string, Route>();
  private generation = 0;

  /** Takes connected clients by server name. */
  constructor(
    clients: Record<string, Client>,
    private readonly options: McpHostOptions = {},
  ) {
    for (const [name, client] of Object.entries(clients)) this.add(name, client);
  }

  /** Adds a connected client; the next turn has its tools. */
  add(name: string, client: Client): void {
    const server: Server = { client, tools: undefined, listing: undefined, epoch: 0, retryAt: 0 };
    this.servers.set(name, server);
    this.generation++;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.invalidate(name));
    const before = client.onclose;
    client.onclose = () => {
      before?.();
      if (this.servers.get(name) === server) this.invalidate(name);
    };
  }

  /** Takes a server's tools out of the pool. */
  remove(name: string): void {
    if (this.servers.delete(name)) this.generation++;
  }

  /** Has a server's tools listed anew, for hosts that handle `list_changed` themselves. */
  invalidate(name: string): void {
    const server = this.servers.get(name);
    if (!server) return;
    server.tools = undefined;
    server.epoch++;
    server.retryAt = 0;
    this.generation++;
  }

  /** The servers' own instructions, for the host's own channel: they are no part of the catalog. */
  instructions(): { server: string; text: string }[] {
    return [...this.servers]
      .map(([server, { client }]) => ({ server, text: client.getInstructions() ?? '' }))
      .filter(({ text }) => text);
  }

  /** The tools of all servers that answer; one that does not is left out with a warning. */
  readonly pool = async (): Promise<PoolSnapshot> => {
    await Promise.all([...this.servers].map(([name, server]) => this.listed(name, server)));
    const routes = new Map<string, Route>();
    const tools: PoolTool[] = [];
    for (const [name, server] of this.servers) {
      for (const tool of server.tools ?? []) {
        const flat = flatName(name, tool.name);
        if (routes.has(flat)) this.warn(`${flat} exists twice; the second one is left out`);
        else {
          routes.set(flat, { client: server.client, tool: tool.name, asTask: taskRequired(tool) });
          tools.push({ ...tool, name: flat });
        }
      }
    }
    this.routes = routes;
    return { status: 'ok', revision: String(this.generation), tools };
  };

  /** Sends one call to its server. */
  readonly callTool = async (name: string, args: Record<string, unknown>, context: CallContext): Promise<CallToolResult> => {
    const route = this.routes.get(name);
    if (!route) throw new Error(`no connected server has ${name}`);
    const timeout = Math.min(context.timeLeftMs ?? this.options.flatCallTimeoutMs ?? 600_000, MAX_TIMER_MS);
    const params = { name: route.tool, arguments: args };
    const report = this.options.onCallProgress;
    const options: RequestOptions = {
      signal: context.signal,
      timeout,
      ...(report && { onprogress: (p) => report(name, p as Progress) }),
    };
    if (route.asTask) return callAsTask(route.client, params, options);
    return route.client.request({ method: 'tools/call', params }, ResultSchema, options);
  };

  private listed(name: string, server: Server): Promise<void> {
    if (server.tools || Date.now() < server.retryAt) return Promise.resolve();
    return (server.listing ??= this.list(name, server).finally(() => (server.listing = undefined)));
  }

  // A change that arrives while the list is read makes the reading void; a server that changes all the time is taken
  // as it was last.
  private async list(name: string, server: Server): Promise<void> {
    try {
      for (let tries = 0; tries < 3 && !server.tools; tries++) {
        const epoch = server.epoch;
        const tools = server.client.getServerCapabilities()?.tools ? await this.pages(server.client) : [];
        if (server.epoch === epoch || tries === 2) server.tools = tools;
      }
      this.generation++;
    } catch (thrown) {
      server.retryAt = Date.now() + RETRY_MS;
      this.warn(`${name} is left out: its tools cannot be listed (${messageOf(thrown)})`);
    }
  }

  private async pages(client: Client): Promise<PoolTool[]> {
    const tools: PoolTool[] = [];
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const page = await client.request({ method: 'tools/list', params }, ResultSchema, { timeout: this.options.listTimeoutMs ?? 5000 });
      if (Array.isArray(page.tools)) tools.push(...page.tools.filter((t) => typeof t?.name === 'string'));
      cursor = typeof page.nextCursor === 'string' && !seen.has(page.nextCursor) ? page.nextCursor : undefined;
      if (cursor !== undefined) seen.add(cursor);
    } while (cursor !== undefined);
    return tools;
  }

  private warn(warning: string): void {
    this.options.onWarning?.(warning);
  }
}

function taskRequired(tool: PoolTool): boolean {
  return (tool.execution as { taskSupport?: unknown } | undefined)?.taskSupport === 'required';
}

// The task is polled until it has a result; cancelling the call cancels it at the server too.
async function callAsTask(client: Client, params: { name: string; arguments: Record<string, unknown> }, options: RequestOptions) {
  const { tasks } = client.experimental;
  const drop: (() => void)[] = [];
  try {
    for await (const message of tasks.callToolStream(params, ResultSchema as never, { ...options, task: {} })) {
      if (message.type === 'result') return message.result as CallToolResult;
      if (message.type === 'error') throw message.error;
      if (message.type !== 'taskCreated') continue;
      const cancel = () => void tasks.cancelTask(message.task.taskId).catch(() => {});
      options.signal?.addEventListener('abort', cancel, { once: true });
      drop.push(() => options.signal?.removeEventListener('abort', cancel));
    }
    throw new Error('the task ended without a result');
  } finally {
    for (const each of drop) each();
  }
}

/** The flat name of a server's tool; what providers do not allow in names becomes `_`. */
export function flatName(server: string, tool: string): string {
  return `mcp__${allowed(server)}__${allowed(tool)}`;
}

function allowed(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/g, '_');
}
