import type { ExecExt, TurnPlan } from './exec-ext.js';
import type { ExecResult } from './protocol.js';
import { agentTools, textAndImages, type ToolSession } from './tools.js';

export type { ToolSession } from './tools.js';

/** A tool declaration in Anthropic's format. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [member: string]: unknown };
}

/** A tool_use block as a model wrote it. */
export interface AnthropicToolUse {
  id: string;
  name: string;
  input: unknown;
}

/** What a tool_result block may hold. */
export type AnthropicResultBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'; data: string } };

/** A tool_result block for the next user message. */
export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  is_error: boolean;
  content: AnthropicResultBlock[];
}

/** The tools that a plan declares, for `tools` of a Messages request. */
export function anthropicTools(plan: TurnPlan): AnthropicTool[] {
  return plan.tools.map((t) => ({
    name: t.name,
    description: t.description ?? '',
    input_schema: { ...(t.inputSchema as object | undefined), type: 'object' },
  }));
}

/**
 * Runs one tool_use block; undefined if the plan declares no tool of its name (another of the host's own). The second
 * member of the answer is the whole result of an Exec call. Never rejects.
 */
export async function anthropicToolResult(
  exec: ExecExt,
  plan: TurnPlan,
  use: AnthropicToolUse,
  session: ToolSession,
): Promise<{ block: AnthropicToolResult; result?: ExecResult } | undefined> {
  const tool = agentTools(exec, plan, session).find((t) => t.name === use.name);
  if (!tool) return undefined;
  const { content, isError, result } = await tool.invoke(use.input, { callId: use.id });
  const blocks = textAndImages(content).map(resultBlock);
  const block = { type: 'tool_result' as const, tool_use_id: use.id, is_error: isError, content: blocks };
  return { block, ...(result && { result }) };
}

function resultBlock(part: { text: string } | { data: string; mimeType: string }): AnthropicResultBlock {
  if ('text' in part) return { type: 'text', text: part.text };
  const media_type = part.mimeType as 'image/png';
  return { type: 'image', source: { type: 'base64', media_type, data: part.data } };
}
