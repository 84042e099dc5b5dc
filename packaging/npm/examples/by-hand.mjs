// A host without this package: exec-ext spoken to by hand, one JSON value a line. EXEC_EXT_PATH names the binary.
// It asks before a tool is run; --yes allows all but what its rule denies.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
const mcp = new Client({ name: 'by-hand', version: '1.0.0' });
const entry = fileURLToPath(new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/server-everything/package.json')));
await mcp.connect(new StdioClientTransport({ command: process.execPath, args: [entry], stderr: 'ignore' }));
const { tools } = await mcp.listTools();
const pool = { status: 'ok', revision: '1', tools: tools.map((t) => ({ ...t, name: `mcp__everything__${t.name}` })) };

const child = spawn(process.env.EXEC_EXT_PATH ?? 'exec-ext', ['serve'], { stdio: ['pipe', 'pipe', 'ignore'] });
const pending = new Map();
const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
const request = (method, params) => new Promise((resolve, reject) => {
  pending.set(pending.size + 1, { resolve, reject });
  send({ id: pending.size, method, params });
});
child.on('exit', () => pending.forEach(({ reject }) => reject(new Error('exec-ext has ended'))));
const ask = createInterface({ input: process.stdin, output: process.stdout });
const allowed = async (name) => !name.endsWith('get-env') && (process.argv.includes('--yes') || (await ask.question(`? ${name} (y/n) `)) === 'y');
// What exec-ext asks of its host: the pool, and every call of a tool, permission included.
const serves = {
  'host/pool': async ({ ifRevision }) => (ifRevision === pool.revision ? { status: 'unchanged' } : pool),
  'host/callTool': async ({ name, arguments: args }) => {
    if (!(await allowed(name))) return { outcome: 'denied', reason: 'a rule or the user refused it' };
    try {
      return { outcome: 'result', result: await mcp.callTool({ name: name.replace('mcp__everything__', ''), arguments: args }) };
    } catch (e) {
      return { outcome: 'unreachable', reason: e.message };
    }
  },
};
createInterface({ input: child.stdout }).on('line', async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === 'exec/progress') console.log(`~ ${params.summary.text.replaceAll('\n', ' | ')}`);
  else if (method in serves) send({ id, result: await serves[method](params) });
  else if (method === undefined) error ? pending.get(id).reject(new Error(error.message)) : pending.get(id).resolve(result);
});

const capabilities = { pool: {}, callTool: { permission: 'inFunnel' }, progress: true };
await request('initialize', { protocolVersion: 1, clientInfo: { name: 'by-hand', version: '1' }, processId: process.pid, capabilities });
const announce = async (history) => {
  const { declare, announcement } = await request('turn/prepare', { sessionId: 'main', history });
  console.log(`declare ${declare}, announcement: ${announcement.kind ?? 'none'}`);
  return announcement.message?.text;
};
const text = await announce([]); // the first request of the conversation carries it, later ones are silent
await announce([text]);
const code = `const sum = await tools["mcp__everything__get-sum"]({ a: 20, b: 22 });
try { await tools["mcp__everything__get-env"]() } catch (e) { console.log(e.message) }
await tools["mcp__everything__get-tiny-image"](); return sum`;
const run = await request('exec/run', { sessionId: 'main', runId: '1', input: { code } });
console.log(`${run.status}: ${run.content.map((c) => c.text ?? c.mimeType).join(' ')}`);
await announce([]); // after a compaction that has removed it
await request('shutdown', {});
send({ method: 'exit' });
await Promise.all([mcp.close(), ask.close()]);
