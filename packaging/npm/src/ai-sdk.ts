import { dynamicTool, jsonSchema, type Tool } from 'ai';
import type { ExecExt, TurnPlan } from './exec-ext.js';
import type { ExecResult } from './protocol.js';
import { agentTools, textAndImages, type ToolOutcome, type ToolSession } from './tools.js';

export type { ToolOutcome, ToolSession } from './tools.js';

/**
 * The tools that a plan declares as a ToolSet of the Vercel AI SDK. A tool's output is `{content, isError, result?}`;
 * the model is given the content's text and images.
 */
export function aiSdkTools(exec: ExecExt, plan: TurnPlan, session: ToolSession): Record<string, Tool> {
  const entries = agentTools(exec, plan, session).map((t) => {
    const tool = dynamicTool({
      description: t.description,
      inputSchema: jsonSchema(t.inputSchema),
      execute: (input, { toolCallId, abortSignal }) => t.invoke(input, { callId: toolCallId, signal: abortSignal }),
      toModelOutput: ({ output }) => modelOutput(output as ToolOutcome),
    });
    return [t.name, tool as Tool] as const;
  });
  return Object.fromEntries(entries);
}

/** The Exec result inside a tool's output, if the tool was Exec. */
export function execResultOf(output: unknown): ExecResult | undefined {
  return (output as ToolOutcome | undefined)?.result;
}

function modelOutput({ content, isError }: ToolOutcome) {
  const parts = textAndImages(content);
  const text = parts.flatMap((p) => ('text' in p ? [p.text] : [])).join('\n');
  if (parts.every((p) => 'text' in p)) return { type: isError ? ('error-text' as const) : ('text' as const), value: text };
  return {
    type: 'content' as const,
    value: parts.map((p) =>
      'text' in p
        ? { type: 'text' as const, text: p.text }
        : { type: 'image-data' as const, data: p.data, mediaType: p.mimeType },
    ),
  };
}
