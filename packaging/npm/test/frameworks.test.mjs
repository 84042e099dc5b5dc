// Each framework's own loop over the real extension, with a model that is a script.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { AIMessage } from '@langchain/core/messages';
import { Agent, run } from '@openai/agents';
import { ScriptedModel, assistantMessage, functionCall } from '@openai/agents/testing';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { aiSdkTools, execResultOf } from 'exec-ext/ai-sdk';
import { anthropicToolResult, anthropicTools } from 'exec-ext/anthropic';
import { langchainTools } from 'exec-ext/langchain';
import { openaiAgentsTools } from 'exec-ext/openai-agents';
import { real, text } from './fixture.mjs';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
const tools = {
  mcp__math__add: { declaration: { description: 'Adds', inputSchema: schema }, call: ({ a, b }) => text(String(a + b)) },
  mcp__math__plot: { declaration: {}, call: () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }) },
};
const CODE = { code: 'await tools.mcp__math__plot(); return Number(await tools.mcp__math__add({ a: 2, b: 3 })) * 2' };
const BAD = { code: 'throw new Error("no such luck")' };

// The plan of a folded turn, or of a flat one.
async function turn(t, { flat = false } = {}) {
  const exec = await real(t, tools, { config: { enableExec: { local: !flat } } });
  return { exec, plan: await exec.prepare({ sessionId: 's' }), session: { sessionId: 's' } };
}

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const aiModel = (toolName, input) => {
  const calls = [];
  const doGenerate = async (options) => {
    calls.push(options);
    return calls.length === 1
      ? { content: [{ type: 'tool-call', toolCallId: 'call-1', toolName, input: JSON.stringify(input) }], finishReason: { unified: 'tool-calls' }, usage, warnings: [] }
      : { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] };
  };
  return { model: new MockLanguageModelV3({ doGenerate }), calls };
};

test('ai sdk: Exec runs in the loop, text and image reach the model', async (t) => {
  const { exec, plan, session } = await turn(t);
  const { model, calls } = aiModel('Exec', CODE);
  const { text: said, steps } = await generateText({ model, tools: aiSdkTools(exec, plan, session), prompt: 'go', stopWhen: stepCountIs(3) });
  assert.equal(said, 'done');
  assert.deepEqual(calls[0].tools.map((x) => [x.name, x.description]), [['Exec', exec.info.execTool.description]]);
  const { output } = calls[1].prompt.at(-1).content[0];
  assert.deepEqual(output.value, [{ type: 'text', text: '10' }, { type: 'image-data', data: PIXEL, mediaType: 'image/png' }]);
  assert.equal(execResultOf(steps[0].toolResults[0].output).summary.total, 2);
});

test('ai sdk: a failed script is an error text', async (t) => {
  const { exec, plan, session } = await turn(t);
  const { model, calls } = aiModel('Exec', BAD);
  await generateText({ model, tools: aiSdkTools(exec, plan, session), prompt: 'go', stopWhen: stepCountIs(3) });
  const { output } = calls[1].prompt.at(-1).content[0];
  assert.equal(output.type, 'error-text');
  assert.match(output.value, /no such luck/);
});

test('ai sdk: a flat turn declares the MCP tools and calls them by the funnel', async (t) => {
  const { exec, plan, session } = await turn(t, { flat: true });
  const { model, calls } = aiModel('mcp__math__add', { a: 1, b: 2 });
  await generateText({ model, tools: aiSdkTools(exec, plan, session), prompt: 'go', stopWhen: stepCountIs(3) });
  assert.deepEqual(calls[0].tools[0].inputSchema, schema);
  assert.deepEqual(calls[1].prompt.at(-1).content[0].output, { type: 'text', value: '3' });
});

test('openai agents: Exec and flat tools run in the loop', async (t) => {
  for (const [flat, name, input, want] of [[false, 'Exec', CODE, '10'], [true, 'mcp__math__add', { a: 1, b: 2 }, '3']]) {
    const { exec, plan, session } = await turn(t, { flat });
    const model = new ScriptedModel([[functionCall(name, input, { callId: 'call-1' })], [assistantMessage('done')]]);
    const agent = new Agent({ name: 'a', model, tools: openaiAgentsTools(exec, plan, session) });
    const result = await run(agent, 'go', { tracing: { disabled: true } });
    assert.equal(result.finalOutput, 'done');
    const { request } = model.calls[0];
    assert.deepEqual(request.tools.map((x) => x.name), plan.declare);
    const { output } = model.calls[1].request.input.at(-1);
    const parts = Array.isArray(output) ? output : [output];
    assert.equal(parts[0].text, want);
    if (!flat) assert.match(JSON.stringify(parts[1]), new RegExp(PIXEL.slice(0, 20)));
  }
});

test('langchain: Exec and flat tools answer a tool call with a tool message', async (t) => {
  for (const [flat, name, args, want] of [[false, 'Exec', CODE, '10'], [true, 'mcp__math__add', { a: 1, b: 2 }, '3']]) {
    const { exec, plan, session } = await turn(t, { flat });
    const [call] = new AIMessage({ content: '', tool_calls: [{ type: 'tool_call', id: 'call-1', name, args }] }).tool_calls;
    const message = await langchainTools(exec, plan, session).find((x) => x.name === name).invoke(call);
    assert.equal(message.tool_call_id, 'call-1');
    assert.deepEqual(message.content[0], { type: 'text', text: want });
    if (!flat) {
      assert.equal(message.content[1].image_url.url, `data:image/png;base64,${PIXEL}`);
      assert.equal(message.artifact.result.status, 'completed');
    }
  }
});

test('anthropic: declarations and results fit the Messages API, images and errors included', async (t) => {
  const { exec, plan, session } = await turn(t);
  const requests = [];
  const reply = (content, stop_reason) => ({ id: 'm', type: 'message', role: 'assistant', model: 'scripted', content, stop_reason, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } });
  const script = [reply([{ type: 'tool_use', id: 'toolu_1', name: 'Exec', input: CODE }, { type: 'tool_use', id: 'toolu_2', name: 'Exec', input: BAD }], 'tool_use'), reply([{ type: 'text', text: 'done' }], 'end_turn')];
  const fetch = async (_url, init) => (requests.push(JSON.parse(init.body)), Response.json(script.shift()));
  const client = new Anthropic({ apiKey: 'none', fetch });
  const messages = [{ role: 'user', content: 'go' }];
  for (let turns = 0; turns < 2; turns++) {
    const answer = await client.messages.create({ model: 'scripted', max_tokens: 100, tools: anthropicTools(plan), messages });
    messages.push({ role: 'assistant', content: answer.content });
    const blocks = [];
    for (const use of answer.content.filter((b) => b.type === 'tool_use')) blocks.push((await anthropicToolResult(exec, plan, use, session)).block);
    if (blocks.length) messages.push({ role: 'user', content: blocks });
  }
  assert.deepEqual(requests[0].tools, [{ name: 'Exec', description: exec.info.execTool.description, input_schema: exec.info.execTool.inputSchema }]);
  const [good, bad] = requests[1].messages.at(-1).content;
  assert.deepEqual(good, {
    type: 'tool_result', tool_use_id: 'toolu_1', is_error: false,
    content: [{ type: 'text', text: '10' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }],
  });
  assert.equal(bad.is_error, true);
  assert.equal(await anthropicToolResult(exec, plan, { id: 'x', name: 'other', input: {} }, session), undefined);
});
