import { tool, type FunctionTool } from '@openai/agents';
import type { ExecExt, TurnPlan } from './exec-ext.js';
import { agentTools, textAndImages, type ToolSession } from './tools.js';

export type { ToolSession } from './tools.js';

/**
 * The tools that a plan declares as function tools of the OpenAI Agents SDK, their output as text and images. That SDK
 * has no mark for a failed call: the text says so.
 */
export function openaiAgentsTools(exec: ExecExt, plan: TurnPlan, session: ToolSession): FunctionTool[] {
  return agentTools(exec, plan, session).map((t) =>
    tool({
      name: t.name,
      description: t.description,
      parameters: { required: [], ...t.inputSchema, additionalProperties: true } as never,
      strict: false,
      execute: async (input, _context, details) => {
        const outcome = await t.invoke(input, { callId: details?.toolCall?.callId, signal: details?.signal });
        return textAndImages(outcome.content).map((p) =>
          'text' in p
            ? { type: 'text' as const, text: p.text }
            : { type: 'image' as const, image: { data: p.data, mediaType: p.mimeType } },
        );
      },
    }) as FunctionTool,
  );
}
