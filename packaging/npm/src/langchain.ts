import { tool, type StructuredToolInterface } from '@langchain/core/tools';
import type { ExecExt, TurnPlan } from './exec-ext.js';
import { agentTools, textAndImages, type ToolSession } from './tools.js';

export type { ToolOutcome, ToolSession } from './tools.js';

/**
 * The tools that a plan declares as LangChain tools. Their message content is text and image_url blocks, the artifact
 * is `{content, isError, result?}`.
 */
export function langchainTools(exec: ExecExt, plan: TurnPlan, session: ToolSession): StructuredToolInterface[] {
  return agentTools(exec, plan, session).map((t) =>
    tool(
      async (input: unknown, config) => {
        const call = config as { signal?: AbortSignal; toolCall?: { id?: string } } | undefined;
        const outcome = await t.invoke(input, { callId: call?.toolCall?.id, signal: call?.signal });
        return [textAndImages(outcome.content).map(block), outcome];
      },
      { name: t.name, description: t.description, schema: t.inputSchema as never, responseFormat: 'content_and_artifact' },
    ) as unknown as StructuredToolInterface,
  );
}

function block(part: { text: string } | { data: string; mimeType: string }) {
  if ('text' in part) return { type: 'text', text: part.text };
  return { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } };
}
