// An agent loop with exec-ext: real MCP servers, a scripted stand-in for the model, prompts for permission, the live
// summary, images, announcements and a compaction.
//
//   node agent-loop.mjs          asks you at the terminal before a tool is run
//   node agent-loop.mjs --yes    allows what no rule denies
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ExecExt } from 'exec-ext';
import { anthropicToolResult, anthropicTools } from 'exec-ext/anthropic';
import { McpHost } from 'exec-ext/mcp';
import { scriptedModel } from './scripted-model.mjs';

const folder = mkdtempSync(join(tmpdir(), 'exec-ext-example-'));
const note = join(folder, 'note.txt');

// ---- 1. The host's own MCP connections. exec-ext opens none.
async function connect(name, ...args) {
  const entry = join(dirname(createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist/index.js');
  const client = new Client({ name: 'agent-loop', version: '1.0.0' });
  const env = { ...process.env, MEMORY_FILE_PATH: join(folder, 'memory.json') };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [entry, ...args], env, stderr: 'ignore' }));
  return client;
}
const names = ['everything', 'filesystem', 'memory'];
const clients = await Promise.all([connect('everything'), connect('filesystem', folder), connect('memory')]);
const mcp = new McpHost(Object.fromEntries(names.map((n, i) => [n, clients[i]])), { onWarning: (w) => console.log(`! ${w}`) });

// ---- 2. The host's own permission rules and prompt, by the leaf's name. A flat call would pass them just so.
const always = new Set();
async function permission(name, args) {
  if (name.startsWith('mcp__memory__delete_')) return { decision: 'deny', reason: 'a rule keeps memories from being deleted' };
  if (always.has(name)) return true;
  const answer = await ask(`  ? ${name} ${JSON.stringify(args).slice(0, 80)} (once, always, no) `);
  if (answer === 'always') always.add(name);
  return answer === 'no' ? { decision: 'deny', reason: 'the user declined' } : true;
}
async function ask(question) {
  if (process.argv.includes('--yes')) return console.log(`${question}always`), 'always';
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return answer.trim() || 'once';
}

// ---- 3. The extension.
const exec = await ExecExt.start({ pool: mcp.pool, callTool: mcp.callTool, permission });

// ---- 4. The loop. Announcements are messages of the conversation, marked as ours.
let messages = [];
let shown = '';
const session = { sessionId: 'main', onProgress: ({ summary }) => {
  if (summary.text !== shown) console.log(`  ~ ${summary.text.replaceAll('\n', ' | ')}`);
  shown = summary.text;
} };

// Before every request to the model: servers may have come or gone while a tool ran.
async function prepare() {
  const history = messages.filter((m) => m.meta).map((m) => m.content);
  const plan = await exec.prepare({ sessionId: 'main', history });
  console.log(`  declares ${plan.declare}, announcement: ${plan.announcement.kind ?? 'none'}`);
  if (plan.announcement.action === 'append') messages.push({ role: 'user', content: plan.announcement.message.text, meta: true });
  return plan;
}

async function turn(model, prompt) {
  console.log(`> ${prompt}`);
  messages.push({ role: 'user', content: prompt });
  for (;;) {
    const plan = await prepare();
    const answer = await model({ tools: anthropicTools(plan), messages: messages.map(({ role, content }) => ({ role, content })) });
    messages.push({ role: 'assistant', content: answer.content });
    const results = [];
    for (const block of answer.content) {
      if (block.type === 'text') console.log(`< ${block.text}`);
      if (block.type !== 'tool_use') continue;
      console.log(`  ${block.name}`); // the folded call: its name alone
      const { block: toolResult, result } = await anthropicToolResult(exec, plan, block, session);
      console.log(`  = ${result.status}: ${toolResult.content.map((c) => c.text ?? `[${c.source.media_type}]`).join(' ')}`);
      results.push(toolResult);
    }
    if (results.length === 0) return;
    messages.push({ role: 'user', content: results });
  }
}

const model = scriptedModel([
  { code: `const sum = await tools["mcp__everything__get-sum"]({ a: 20, b: 22 });
           await tools.mcp__filesystem__write_file({ path: ${JSON.stringify(note)}, content: sum });
           await tools.mcp__memory__create_entities({ entities: [{ name: "sum", entityType: "note", observations: [sum] }] });
           return sum;` },
  'Noted and remembered.',
  { code: 'await tools["mcp__everything__get-tiny-image"](); return "one image"' },
  'That is the image.',
  { code: 'await tools.mcp__memory__delete_entities({ entityNames: ["sum"] })' },
  { code: `try { await tools.mcp__memory__delete_entities({ entityNames: ["sum"] }) } catch (e) { console.log(e.message) }
           return (await tools.mcp__memory__read_graph()).entities.length` },
  'I may not delete it.',
  'Nothing else to do.',
]);
await turn(model, 'Add 20 and 22, write it down and remember it.');
await turn(model, 'Show me the tiny image.');
await turn(model, 'Forget the sum.');

// ---- 5. Compaction: what is left of the conversation holds no announcement, so the next turn makes one again.
messages = [{ role: 'user', content: 'Summary: 20 + 22 was computed, noted and remembered.' }];
await turn(model, 'Anything left?');
console.log(`the note says: ${readFileSync(note, 'utf8')}`);
await exec.close();
await Promise.all(clients.map((c) => c.close()));
