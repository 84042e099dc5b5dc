import exec = require('exec-ext');
import mcp = require('exec-ext/mcp');

export const start = (host: mcp.McpHost): Promise<exec.ExecExt> => exec.ExecExt.start({ pool: host.pool, callTool: host.callTool });
