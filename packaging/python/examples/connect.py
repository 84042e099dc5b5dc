"""The MCP side of the examples: starts the servers, connects to them, lists and calls their tools, asks for permission."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, AsyncIterator, Callable, Dict, List, Optional

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

Sessions = Dict[str, ClientSession]


@asynccontextmanager
async def connect(handler: Optional[Callable[[str], Any]] = None) -> AsyncIterator[Sessions]:
    """The initialized sessions by server name."""
    sessions = {}
    async with AsyncExitStack() as stack:
        for name in ("tracker", "calendar"):
            script = str(Path(__file__).parent / f"{name}_server.py")
            command = StdioServerParameters(command=sys.executable, args=[script])
            read, write = (await stack.enter_async_context(stdio_client(command)))[:2]
            session = ClientSession(read, write, message_handler=handler(name) if handler else None)
            sessions[name] = await stack.enter_async_context(session)
            await session.initialize()
        yield sessions


async def list_tools(sessions: Sessions) -> List[Dict[str, Any]]:
    """All tools, under their flat names (for hosts that do without `exec_ext.mcp`)."""
    tools = []
    for name, session in sessions.items():
        for tool in (await session.list_tools()).model_dump(mode="json", by_alias=True, exclude_none=True)["tools"]:
            tools.append({**tool, "name": f"mcp__{name}__{tool['name']}"})
    return tools


async def call(sessions: Sessions, name: str, arguments: Dict[str, Any]) -> Dict[str, Any]:
    """Calls a tool by its flat name; the raw CallToolResult."""
    _, server, tool = name.split("__", 2)
    result = await sessions[server].call_tool(tool, arguments)
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


_always = {"mcp__tracker__list_issues", "mcp__tracker__chart"}


async def permit(name: str, arguments: str) -> bool:
    """Asks the person at the terminal: yes, always (by the tool's full name), or no. Without one it is no."""
    if name in _always:
        return True
    try:
        answer = (await asyncio.to_thread(input, f"Allow {name} {arguments}? [y/a/n] ")).strip()
    except EOFError:
        print("no (nobody is there to answer)")
        return False
    if answer == "a":
        _always.add(name)
    return answer in ("y", "a")
