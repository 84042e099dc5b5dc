// The glue for MCP client sessions, against servers of the official SDK in this process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { flatName, McpHost } from 'exec-ext/mcp';
import { text } from './fixture.mjs';

// Connects a client to a server made of `list` (cursor to page) and `call`.
async function connect(t, { list, call, capabilities = { tools: { listChanged: true } }, instructions, taskStore }) {
  const server = new Server({ name: 's', version: '1' }, { capabilities, ...(instructions && { instructions }), ...(taskStore && { taskStore }) });
  if (capabilities.tools) {
    server.setRequestHandler(ListToolsRequestSchema, (r) => list(r.params?.cursor));
    server.setRequestHandler(CallToolRequestSchema, (r, extra) => call(r.params, extra));
  }
  const [a, b] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'c', version: '1' });
  await Promise.all([server.connect(a), client.connect(b)]);
  t.after(() => client.close());
  return { client, server };
}
const tool = (name, more = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
const one = { list: () => ({ tools: [tool('t')] }), call: () => text('ok') };
const context = (more = {}) => ({ origin: 'exec', sessionId: 's', callId: 'c', argumentsText: '{}', signal: new AbortController().signal, timeLeftMs: 5000, ...more });
const names = async (host) => (await host.pool()).tools.map((x) => x.name);

test('mcp: all pages are listed, once, and a cursor that repeats ends the list', async (t) => {
  let pages = 0;
  const list = (cursor) => (pages++, { tools: [tool(`p${cursor ?? 0}`)], nextCursor: { undefined: '1', 1: '2', 2: '1' }[String(cursor)] });
  const host = new McpHost({ srv: (await connect(t, { ...one, list })).client });
  assert.deepEqual(await names(host), ['mcp__srv__p0', 'mcp__srv__p1', 'mcp__srv__p2']);
  await host.pool();
  assert.equal(pages, 3);
});

test('mcp: schemas, descriptions and unknown members pass as the server sent them', async (t) => {
  const inputSchema = { type: 'object', zebra: 1, properties: { b: { const: 1 }, a: {} }, $defs: {} };
  const declared = tool('t', { inputSchema, description: ' d\n', annotations: { readOnlyHint: true }, _meta: { x: 1 }, later: [1] });
  const host = new McpHost({ srv: (await connect(t, { ...one, list: () => ({ tools: [declared] }) })).client });
  const [got] = (await host.pool()).tools;
  assert.deepEqual(got, { ...declared, name: 'mcp__srv__t' });
  assert.equal(JSON.stringify(got.inputSchema), JSON.stringify(inputSchema));
});

test('mcp: list_changed gives a new revision and the new tools; without a change both stay', async (t) => {
  let tools = [tool('a')];
  const { client, server } = await connect(t, { ...one, list: () => ({ tools }) });
  const host = new McpHost({ srv: client });
  const first = await host.pool();
  assert.deepEqual(await host.pool(), first);
  tools = [tool('b')];
  await server.sendToolListChanged();
  const second = await host.pool();
  assert.notEqual(second.revision, first.revision);
  assert.deepEqual(second.tools.map((x) => x.name), ['mcp__srv__b']);
});

test('mcp: a change told while the list is read is not lost', async (t) => {
  let reads = 0;
  const { client, server } = await connect(t, {
    ...one,
    list: async () => {
      const tools = [tool(`r${reads++}`)];
      if (reads === 1) await server.sendToolListChanged();
      return { tools };
    },
  });
  assert.deepEqual(await names(new McpHost({ srv: client })), ['mcp__srv__r1']);
});

test('mcp: a server that hangs, fails or has gone is left out with a warning, the others stay', async (t) => {
  const warnings = [];
  const hanging = await connect(t, { ...one, list: () => new Promise(() => {}) });
  const failing = await connect(t, { ...one, list: () => { throw new Error('no list'); } });
  const going = await connect(t, one);
  const good = await connect(t, one);
  const host = new McpHost({ h: hanging.client, f: failing.client, g: going.client, ok: good.client }, { listTimeoutMs: 50, onWarning: (w) => warnings.push(w) });
  assert.deepEqual(await names(host), ['mcp__g__t', 'mcp__ok__t']);
  await going.client.close();
  assert.deepEqual(await names(host), ['mcp__ok__t']);
  assert.equal(warnings.filter((w) => /^f is left out.*no list/.test(w)).length, 1);
  assert.equal(warnings.filter((w) => /^h is left out/.test(w)).length, 1);
  await assert.rejects(host.callTool('mcp__g__t', {}, context()), /no connected server has mcp__g__t/);
});

test('mcp: a server without tools gives none and no warning', async (t) => {
  const { client } = await connect(t, { capabilities: {} });
  assert.deepEqual(await names(new McpHost({ srv: client }, { onWarning: assert.fail })), []);
});

test('mcp: servers are added and removed while running', async (t) => {
  const host = new McpHost({ a: (await connect(t, one)).client });
  const { revision } = await host.pool();
  host.add('b', (await connect(t, one)).client);
  assert.deepEqual(await names(host), ['mcp__a__t', 'mcp__b__t']);
  host.remove('a');
  const last = await host.pool();
  assert.deepEqual(last.tools.map((x) => x.name), ['mcp__b__t']);
  assert.notEqual(last.revision, revision);
});

test('mcp: names are cleaned for providers, routed back, and clashes are told', async (t) => {
  const warnings = [];
  const called = [];
  const { client } = await connect(t, {
    list: () => ({ tools: [tool('get.user'), tool('get_user')] }),
    call: (p) => (called.push(p), text('ok')),
  });
  const host = new McpHost({ 'my server': client }, { onWarning: (w) => warnings.push(w) });
  assert.deepEqual(await names(host), ['mcp__my_server__get_user']);
  assert.match(warnings[0], /exists twice/);
  await host.callTool(flatName('my server', 'get.user'), { x: 1 }, context());
  assert.deepEqual(called, [{ name: 'get.user', arguments: { x: 1 } }]);
});

test('E7: a result is passed as it is, never checked against outputSchema', async (t) => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const odd = { content: [{ type: 'text', text: 'x' }], structuredContent: { n: 'no number' }, extra: true };
  const { client } = await connect(t, { list: () => ({ tools: [tool('t', { outputSchema })] }), call: () => odd });
  await client.listTools(); // the SDK's own callTool would now validate
  const host = new McpHost({ srv: client });
  await host.pool();
  assert.deepEqual(await host.callTool('mcp__srv__t', {}, context()), odd);
});

test('mcp: the signal cancels the call at the server, progress is reported, time left is the timeout', async (t) => {
  let cancelled = false;
  const progress = [];
  const { client } = await connect(t, {
    ...one,
    call: async (params, { signal, sendNotification }) => {
      signal.addEventListener('abort', () => (cancelled = true));
      await sendNotification({ method: 'notifications/progress', params: { progressToken: params._meta.progressToken, progress: 1 } });
      return new Promise(() => {});
    },
  });
  const host = new McpHost({ srv: client }, { onCallProgress: (name, p) => progress.push([name, p.progress]) });
  await host.pool();
  const controller = new AbortController();
  const call = host.callTool('mcp__srv__t', {}, context({ signal: controller.signal }));
  while (progress.length === 0) await new Promise(setImmediate);
  controller.abort();
  await assert.rejects(call);
  while (!cancelled) await new Promise(setImmediate);
  assert.deepEqual(progress, [['mcp__srv__t', 1]]);
  await assert.rejects(host.callTool('mcp__srv__t', {}, context({ timeLeftMs: 20 })), /timed out/i);
});

test('mcp: a tool that requires a task is run as one, and cancelled as one', async (t) => {
  const taskStore = new InMemoryTaskStore();
  t.after(() => taskStore.cleanup());
  const { client } = await connect(t, {
    capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
    taskStore,
    list: () => ({ tools: [tool('t', { execution: { taskSupport: 'required' } })] }),
    call: async (params, extra) => {
      const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 10 });
      if (params.arguments.end) setTimeout(() => extra.taskStore.storeTaskResult(task.taskId, 'completed', text('report')), 20);
      return { task };
    },
  });
  const host = new McpHost({ srv: client });
  await host.pool();
  assert.deepEqual((await host.callTool('mcp__srv__t', { end: true }, context())).content, text('report').content);
  const controller = new AbortController();
  const call = host.callTool('mcp__srv__t', {}, context({ signal: controller.signal }));
  const statuses = async () => (await taskStore.listTasks()).tasks.map((x) => x.status);
  while (!(await statuses()).includes('working')) await new Promise(setImmediate);
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(call);
  while (!(await statuses()).includes('cancelled')) await new Promise(setImmediate);
});

test("E18: servers' instructions are given apart from the pool", async (t) => {
  const { client } = await connect(t, { ...one, instructions: 'Ask first.' });
  const host = new McpHost({ a: client, b: (await connect(t, one)).client });
  assert.deepEqual(host.instructions(), [{ server: 'a', text: 'Ask first.' }]);
  assert.ok(!JSON.stringify(await host.pool()).includes('Ask first'));
});
