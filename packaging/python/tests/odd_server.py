"""An MCP server by hand, for what a well-behaved one does not do: pages, announced changes, odd results."""

import json
import sys

SCHEMA = {"type": "object", "properties": {"a": {"default": None}}}
TOOLS = [
    {"name": "echo", "inputSchema": SCHEMA, "x-unknown": {"kept": None}},
    {"name": "promised", "inputSchema": SCHEMA, "outputSchema": {"type": "object", "required": ["n"]}},
    {"name": "nulls", "inputSchema": SCHEMA},
    {"name": "grow", "inputSchema": SCHEMA},
    {"name": "fails", "inputSchema": SCHEMA},
]
LISTED = 0


def answer(method, params):
    global LISTED
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "odd", "version": "1"},
            "instructions": "Be odd.",
        }
    if method == "tools/list":
        LISTED += 1
        at = int(params.get("cursor") or 0)
        page = {"tools": TOOLS[at : at + 2]}
        return {**page, "nextCursor": str(at + 2)} if at + 2 < len(TOOLS) else page
    name, arguments = params["name"], params.get("arguments")
    if name == "echo":
        return {"content": [], "structuredContent": {"args": arguments, "listed": LISTED}}
    if name == "promised":
        return {"content": [{"type": "text", "text": "no structure"}]}
    if name == "nulls":
        return {"content": [], "structuredContent": {"a": None, "b": 1.0}, "extra": None}
    if name == "grow":
        TOOLS.append({"name": f"new{len(TOOLS)}", "inputSchema": SCHEMA})
        send({"method": "notifications/tools/list_changed"})
        return {"content": [{"type": "text", "text": "grown"}]}
    raise KeyError(name)


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


for line in sys.stdin:
    m = json.loads(line)
    if "id" in m and "method" in m:
        try:
            send({"id": m["id"], "result": answer(m["method"], m.get("params") or {})})
        except KeyError as e:
            send({"id": m["id"], "error": {"code": -32601, "message": f"no such thing: {e}"}})
