// Plays the part of the `vscode` module that the sample uses. An MCP server "srv" is configured in this window.
class LanguageModelTextPart { constructor(value) { this.value = value; } }
class LanguageModelDataPart {
  constructor(data, mimeType) { Object.assign(this, { data, mimeType }); }
  static image(data, mimeType) { return new LanguageModelDataPart(data, mimeType); }
}
class LanguageModelToolResult { constructor(content) { this.content = content; } }
class CancellationError extends Error {}
class CancellationTokenSource {
  listeners = [];
  token = { isCancellationRequested: false, onCancellationRequested: (l) => this.listeners.push(l) };
  cancel() { this.token.isCancellationRequested = true; this.listeners.forEach((l) => l()); }
  dispose() {}
}

const registered = new Map();
const invoked = [];
const handlers = {
  mcp_srv_get_text: (input) => [new LanguageModelTextPart(`text ${JSON.stringify(input)}`)],
  mcp_srv_picture: () => [new LanguageModelDataPart(new Uint8Array([1, 2, 3]), 'image/png')],
  mcp_srv_declined: () => { throw new CancellationError(); },
  mcp_srv_hang: (_, token) => new Promise((_r, reject) => token.onCancellationRequested(() => reject(new CancellationError()))),
};
module.exports = {
  LanguageModelTextPart, LanguageModelDataPart, LanguageModelToolResult, CancellationError, CancellationTokenSource,
  lm: {
    tools: [...Object.keys(handlers), 'copilot_readFile', 'Exec'].map((name) => ({ name, description: `Does ${name}`, inputSchema: undefined, tags: [] })),
    registerTool: (name, tool) => (registered.set(name, tool), { dispose() {} }),
    async invokeTool(name, options, token) {
      invoked.push({ name, ...options });
      return new LanguageModelToolResult(await handlers[name](options.input, token));
    },
  },
  window: {
    createOutputChannel: () => ({ debug() {}, error() {}, dispose() {} }),
    setStatusBarMessage() {},
  },
  workspace: { getConfiguration: () => ({ get: () => '' }) },
  double: { registered, invoked },
};
