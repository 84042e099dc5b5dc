import { randomUUID } from 'node:crypto';
import type { ExecExt, RunParams, TurnPlan } from './exec-ext.js';
import type { CallOutcome, ContentBlock, ExecResult } from './protocol.js';
import { outcomeText } from './text.js';

/** What the tools of one turn need to know of their conversation. */
export interface ToolSession extends Pick<RunParams, 'sessionId' | 'limits' | 'exec' | 'onProgress'> {
  /** Cancels every call, beside the framework's own signal. */
  signal?: AbortSignal;
}

/** What one tool call gave: MCP content for the model, and the whole result of an Exec call. */
export interface ToolOutcome {
  content: ContentBlock[];
  isError: boolean;
  result?: ExecResult;
}

/** One declared tool, whatever the framework: Exec, or an MCP tool in a flat turn. */
export interface AgentTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** Rejects for a mistake in the session alone, as `run` and `call` do. */
  invoke(input: unknown, call?: { callId?: string | undefined; signal?: AbortSignal | undefined }): Promise<ToolOutcome>;
}

/** The tools that a plan declares, ready to be called; all of them go through the host's funnel. */
export function agentTools(exec: ExecExt, plan: TurnPlan, session: ToolSession): AgentTool[] {
  return plan.tools.map((tool) => ({
    name: tool.name,
    description: tool.description ?? '',
    inputSchema: objectSchema(tool.inputSchema),
    invoke: plan.mode === 'exec' && tool.name === 'Exec' ? runner(exec, session) : caller(exec, tool.name, session),
  }));
}

function runner(exec: ExecExt, session: ToolSession): AgentTool['invoke'] {
  return async (input, call) => {
    const signal = anySignal(session.signal, call?.signal);
    const { sessionId, limits, exec: state, onProgress } = session;
    const own = { ...(limits && { limits }), ...(state && { exec: state }), ...(onProgress && { onProgress }) };
    const result = await exec.run({ ...own, sessionId, input, runId: call?.callId ?? randomUUID(), ...(signal && { signal }) });
    return { content: result.content, isError: result.isError, result };
  };
}

function caller(exec: ExecExt, name: string, session: ToolSession): AgentTool['invoke'] {
  return async (input, call) => {
    const signal = anySignal(session.signal, call?.signal);
    const args = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
    const { sessionId } = session;
    const outcome = await exec.call(name, args, { sessionId, ...(call?.callId && { callId: call.callId }), ...(signal && { signal }) });
    return flatOutcome(outcome);
  };
}

function flatOutcome(outcome: CallOutcome): ToolOutcome {
  if (outcome.outcome !== 'result') return { content: [{ type: 'text', text: outcomeText(outcome) }], isError: true };
  const { content = [], structuredContent, isError = false } = outcome.result;
  const shown = content.length > 0 ? content : [{ type: 'text', text: JSON.stringify(structuredContent ?? null) }];
  return { content: shown, isError };
}

function objectSchema(schema: unknown): Record<string, unknown> {
  const given = typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? schema : {};
  return { type: 'object', properties: {}, ...given };
}

function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((s) => s !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/** Content as text and images; of other blocks the text says that they were left out. */
export function textAndImages(content: ContentBlock[]): ({ text: string } | { data: string; mimeType: string })[] {
  return content.map((block) => {
    if (block.type === 'text') return { text: block.text ?? '' };
    if (block.type === 'image' && block.data) return { data: block.data, mimeType: block.mimeType ?? 'image/png' };
    const resource = block.resource as { text?: string } | undefined;
    return { text: resource?.text ?? `[a block of type ${block.type} is not shown]` };
  });
}
