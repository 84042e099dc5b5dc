import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ExecExt, ExecExtError, ToolDenied, type ExecResult, type TurnPlan } from 'exec-ext';
import { aiSdkTools } from 'exec-ext/ai-sdk';
import { anthropicTools } from 'exec-ext/anthropic';
import { langchainTools } from 'exec-ext/langchain';
import { McpHost } from 'exec-ext/mcp';
import { openaiAgentsTools } from 'exec-ext/openai-agents';
import type Anthropic from '@anthropic-ai/sdk';
import { Agent } from '@openai/agents';
import { generateText, type LanguageModel } from 'ai';

export async function host(client: Client, model: LanguageModel): Promise<ExecResult> {
  const mcp = new McpHost({ github: client });
  const exec = await ExecExt.start({
    pool: mcp.pool,
    callTool: mcp.callTool,
    permission: async (name, args, { signal }) => (name.endsWith('delete') && !signal.aborted ? { decision: 'deny', reason: 'no' } : 'force' in args),
    config: { limits: { wallMs: 1000 }, enableExec: { local: null } },
  });
  const plan: TurnPlan = await exec.prepare({ sessionId: 's', history: [] });
  const said: string = plan.announcement.action === 'append' ? plan.announcement.message.text + plan.announcement.kind : plan.announcement.reason;
  // @ts-expect-error without an announcement there may be no message
  console.log(said, plan.announcement.message.text);
  const session = { sessionId: 's', onProgress: (p: { summary: { text: string } }) => console.log(p.summary.text) };
  await generateText({ model, prompt: 'go', tools: aiSdkTools(exec, plan, session) });
  new Agent({ name: 'a', tools: openaiAgentsTools(exec, plan, session) });
  const tools: Anthropic.Tool[] = anthropicTools(plan);
  void langchainTools(exec, plan, session).map((t) => t.name);
  // @ts-expect-error a run needs a session
  void exec.run({ input: { code: `return ${tools.length}` } });
  return exec.run({ sessionId: 's', input: 'return 1', signal: AbortSignal.timeout(1000) });
}

export const nextStep = (e: unknown): string => (e instanceof ExecExtError && e.code === 'backing_off' ? e.detail.nextStep : '');
export const refuse = (): never => {
  throw new ToolDenied('no');
};
