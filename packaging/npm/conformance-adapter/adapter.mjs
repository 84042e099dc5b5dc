// The adapter by which the conformance kit proves the Node client: orders on stdin, events on stdout.
//
//     npm run build && exec-ext conformance host -- node conformance-adapter/adapter.mjs
//
// It is the client as a host uses it, with three stubs: the MCP servers, the permission rules, and the person asked.
import { createInterface } from 'node:readline';
import { ExecExt } from 'exec-ext';

const never = new Promise(() => {});

/** Writes one event. */
function tell(event, members = {}) {
  process.stdout.write(`${JSON.stringify({ event, ...members })}\n`);
}

/** Writes an event with a call's arguments as the script spelled them. */
function tellCall(event, name, context) {
  process.stdout.write(`{"event":"${event}","name":${JSON.stringify(name)},"arguments":${context.argumentsText}}\n`);
}

/** A host with stubs for what is not the client's. */
class Host {
  runs = new Map();

  constructor(order) {
    this.tools = order.tools;
    this.leaves = order.leaves;
    this.rules = { allow: [], deny: [], ask: {}, ...order.rules };
    this.exec = new ExecExt({
      binary: order.program,
      permissionMode: order.permission,
      pool: () => this.pool(),
      permission: (name, args, context) => this.permission(name, context),
      callTool: (name, args, context) => this.callTool(name, context),
      onExit: (why) => tell('note', { text: why.message }),
    });
  }

  pool() {
    if (this.tools === null) return { status: 'unavailable', reason: 'the servers are not connected' };
    return { status: 'ok', tools: this.tools, deny: this.rules.deny };
  }

  async permission(name, context) {
    if (this.rules.allow.includes(name)) return true;
    tellCall('asked', name, context);
    const answer = this.rules.ask[name];
    if (answer === 'never') await never;
    return answer === 'yes' ? true : { decision: 'deny', reason: 'the user said no' };
  }

  async callTool(name, context) {
    tellCall('called', name, context);
    const leaf = this.leaves[name];
    if (leaf === 'fail') throw new Error('the server is gone');
    if (leaf !== 'hang') return leaf;
    context.signal.addEventListener('abort', () => tell('aborted', { name }));
    return never;
  }

  async prepare({ session, history }) {
    const plan = await this.exec.prepare({ sessionId: session, history });
    const { action, message } = plan.announcement;
    tell('plan', {
      session,
      declare: plan.declare ? plan.tools.map((tool) => tool.name) : null,
      append: action === 'append' ? message.text : null,
    });
  }

  async run({ session, run, code }) {
    const turn = new AbortController();
    this.runs.set(run, turn);
    const { isError, content } = await this.exec.run({ sessionId: session, input: { code }, signal: turn.signal });
    const text = content.filter((block) => block.type === 'text').map((block) => block.text).join('\n');
    tell('result', { run, isError, text, images: content.filter((block) => block.type === 'image').length });
  }

  cancel({ run }) {
    this.runs.get(run).abort(new Error('the user stopped the turn'));
  }

  changeTools({ tools }) {
    this.tools = tools;
    tell('changed');
  }

  async stop() {
    await this.exec.close();
    tell('stopped');
  }
}

let host;
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  switch (order.op) {
    case 'start':
      host = new Host(order);
      tell('started');
      break;
    case 'prepare':
      void host.prepare(order);
      break;
    case 'run':
      void host.run(order);
      break;
    case 'cancel':
      host.cancel(order);
      break;
    case 'tools':
      host.changeTools(order);
      break;
    case 'stop':
      void host.stop();
      break;
    default:
      throw new Error(`no order is called ${order.op}`);
  }
}
