// Registers Exec as a language model tool. The pool is what vscode.lm.tools lists of MCP servers; VS Code keeps the
// connections, and asks the user before each call as it would for a call by the model itself.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ExecExt } from 'exec-ext';
import * as vscode from 'vscode';

const SESSION = 'window';

/** Called by VS Code. */
export function activate(context) {
  const log = vscode.window.createOutputChannel('Exec', { log: true });
  const running = new Map(); // runId: the invocation that VS Code must know of for each call
  const exec = new ExecExt({
    binary: binaryPath(context),
    clientInfo: { name: 'exec-ext-vscode', version: context.extension.packageJSON.version },
    onLog: (line) => log.debug(line),
    onExit: (why) => log.error(why.message),
    onWarning: (warning) => log.warn(warning),
    permission: () => true, // VS Code asks in invokeTool
    pool: () => [...mcpTools().values()].map((t) => t.declaration),
    callTool: (name, args, call) => callTool(name, args, call, running.get(call.runId)),
    onProgress: ({ summary }) => vscode.window.setStatusBarMessage(summary.text.split('\n')[0], 2000),
  });
  context.subscriptions.push(log, vscode.lm.registerTool('Exec', execTool(exec, running)), { dispose: () => void exec.close() });
}

function execTool(exec, running) {
  return {
    prepareInvocation: () => ({ invocationMessage: 'Exec' }),
    async invoke(options, token) {
      const runId = crypto.randomUUID();
      running.set(runId, options.toolInvocationToken);
      try {
        const result = await exec.run({ sessionId: SESSION, runId, input: options.input, signal: abortSignal(token) });
        return new vscode.LanguageModelToolResult(result.content.map(toPart));
      } finally {
        running.delete(runId);
      }
    },
  };
}

// VS Code names them mcp_server_tool; the server's part has no underscore of its own where it can be told apart.
function mcpTools() {
  const tools = new Map();
  for (const { name, description, inputSchema } of vscode.lm.tools) {
    const [, server, tool] = /^mcp_([^_]+)_(.+)$/.exec(name) ?? [];
    const flat = `mcp__${server}__${tool}`;
    if (server) tools.set(flat, { original: name, declaration: { name: flat, description, inputSchema: inputSchema ?? { type: 'object' } } });
  }
  return tools;
}

async function callTool(name, args, { signal }, toolInvocationToken) {
  const tool = mcpTools().get(name);
  if (!tool) return { outcome: 'unreachable', reason: `${name} is not there any more` };
  const cancel = new vscode.CancellationTokenSource();
  signal.addEventListener('abort', () => cancel.cancel(), { once: true });
  try {
    const result = await vscode.lm.invokeTool(tool.original, { input: args, toolInvocationToken }, cancel.token);
    return { content: result.content.map(fromPart) };
  } catch (e) {
    if (e instanceof vscode.CancellationError) return { outcome: 'denied', reason: 'the user declined' };
    throw e;
  } finally {
    cancel.dispose();
  }
}

function fromPart(part) {
  if (part instanceof vscode.LanguageModelTextPart) return { type: 'text', text: part.value };
  if (part instanceof vscode.LanguageModelDataPart) {
    const data = Buffer.from(part.data);
    if (part.mimeType.startsWith('image/')) return { type: 'image', data: data.toString('base64'), mimeType: part.mimeType };
    return { type: 'text', text: data.toString('utf8') };
  }
  return { type: 'text', text: JSON.stringify(part.value ?? null) };
}

function toPart(block) {
  if (block.type === 'text') return new vscode.LanguageModelTextPart(block.text);
  return vscode.LanguageModelDataPart.image(Buffer.from(block.data, 'base64'), block.mimeType);
}

function binaryPath(context) {
  const configured = vscode.workspace.getConfiguration('exec-ext').get('path');
  if (configured) return configured;
  const own = join(context.extensionPath, 'bin', process.platform === 'win32' ? 'exec-ext.exe' : 'exec-ext');
  return existsSync(own) ? own : undefined;
}

function abortSignal(token) {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
