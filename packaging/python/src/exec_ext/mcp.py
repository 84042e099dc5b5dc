"""The host's functions made from official MCP client sessions (package `mcp`, 1.19 or later, and 2).

    servers = Servers()
    session = ClientSession(read, write, message_handler=servers.handler("github"))
    ...
    await servers.add("github", session)
    async with ExecExt(servers.funnel(permission=ask)) as ext: ...
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Dict, List, Optional, Sequence

import mcp.types as mcp_types
from mcp import ClientSession
from pydantic import RootModel

from . import _wire
from .funnel import Funnel, PoolRequest, ToolCall, denied, plain, result, unreachable
from .types import Gate, Progress

_MAX_PAGES = 1000
_RETRY_SECONDS = 30.0
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


class _Raw(RootModel[Dict[str, Any]]):
    """A result as the server sent it: no member dropped, renamed or held against a schema."""


@dataclass
class _Server:
    session: ClientSession
    watched: bool  # its handler hears of changes, so a listing can be kept
    instructions: Optional[str]
    fresh: bool = False  # nothing has changed since the listing began
    tools: List[Dict[str, Any]] = field(default_factory=list)
    leaves: Dict[str, str] = field(default_factory=dict)  # flat name -> the server's own
    error: Optional[str] = None
    retry_at: float = 0.0  # one that could not be listed is left alone until then, or until it tells of a change
    listing: asyncio.Lock = field(default_factory=asyncio.Lock)


class Servers:
    """The MCP servers of a host, by name: their tools as one pool, and the way to call them.

    A tool's flat name is `mcp__<server>__<tool>`; what is no letter, digit, `_` or `-` in a server's name becomes `_`.
    A server whose listing fails, or has a page that takes longer than `list_timeout` seconds, is left out of the pool
    for a while, and named in `errors`; the others go on. `deny` holds names, or prefixes ending in `*`: what they hit is in no declaration and
    no script, and not called either. It may be changed at any time.
    """

    def __init__(self, deny: Sequence[str] = (), *, list_timeout: float = 5.0) -> None:
        self.deny: List[str] = list(deny)
        self._list_timeout = list_timeout
        self._servers: Dict[str, _Server] = {}
        self._handled: set[str] = set()

    def handler(
        self, name: str, then: Optional[Callable[[Any], Awaitable[None]]] = None
    ) -> Callable[[Any], Awaitable[None]]:
        """A `message_handler` for the session of that name: a server that announces changes of its tools is then
        listed anew only after one. `then` gets every message afterwards."""
        self._handled.add(name)

        async def handle(message: Any) -> None:
            inner = getattr(message, "root", message)
            if isinstance(inner, mcp_types.ToolListChangedNotification):
                self.changed(name)
            if then is not None:
                await then(message)

        return handle

    async def add(self, name: str, session: ClientSession, *, instructions: Optional[str] = None) -> None:
        """Takes an initialized session in; one of the same name is replaced. `instructions` are the server's own,
        from its `initialize`, where the session does not keep them (mcp 1)."""
        changes = _member(_tools_capability(session), "listChanged", "list_changed")
        subscribed = getattr(session, "discover_result", None) is None  # later protocols notify by subscription only
        watched = name in self._handled and bool(changes) and subscribed
        kept = getattr(session, "instructions", None)
        self._servers[name] = _Server(session, watched, instructions or (kept if isinstance(kept, str) else None))

    def remove(self, name: str) -> None:
        """Takes a server out, from now on: a script that is running can't call it either."""
        self._servers.pop(name, None)

    def changed(self, name: str) -> None:
        """Says that a server's tools may be other ones now."""
        server = self._servers.get(name)
        if server is not None:
            server.fresh, server.retry_at = False, 0.0

    @property
    def errors(self) -> Dict[str, str]:
        """The servers whose last listing failed, and why."""
        return {name: s.error for name, s in self._servers.items() if s.error is not None}

    def instructions(self) -> Dict[str, str]:
        """Each server's own instructions. They are not catalog: give them to the model by a channel of their own."""
        return {n: s.instructions for n, s in sorted(self._servers.items()) if s.instructions}

    def funnel(
        self,
        *,
        permission: Optional[Callable[[ToolCall], Any]] = None,
        progress: Optional[Callable[[Progress], Any]] = None,
        gate: Gate = "inFunnel",
        **timeouts: Optional[float],
    ) -> Funnel:
        """The host's functions over these servers. Without `permission` every call is made."""
        return Funnel(self.call_tool, self.pool, permission, progress, gate, **timeouts)

    async def pool(self, request: PoolRequest) -> Optional[Dict[str, Any]]:
        """The pool now, with a revision over its content. None (unknown) if servers were added and none answers."""
        await asyncio.gather(*(self._list(n, s) for n, s in list(self._servers.items())))
        tools = [t for _, s in sorted(self._servers.items()) for t in s.tools]
        if self._servers and all(s.error is not None for s in self._servers.values()):
            reason = "; ".join(f"{n}: {e}" for n, e in self.errors.items())
            return {"status": "unavailable", "reason": reason}
        digest = hashlib.sha256(_wire.dumps([tools, self.deny]).encode()).hexdigest()[:32]
        return {"status": "ok", "revision": digest, "tools": tools, "deny": list(self.deny)}

    async def _list(self, name: str, server: _Server) -> None:
        async with server.listing:
            if (server.fresh and server.watched) or time.monotonic() < server.retry_at:
                return
            server.fresh, server.error = True, None
            try:
                tools = await _all_tools(server.session, self._list_timeout)
            except Exception as e:
                why = f"no answer within {self._list_timeout:g} s" if isinstance(e, asyncio.TimeoutError) else str(e)
                server.error = f"{type(e).__name__}: {why}"[:300]
                server.fresh, server.retry_at = False, time.monotonic() + _RETRY_SECONDS
                tools = []
            prefix = f"mcp__{_NOT_IN_NAMES.sub('_', name)}__"
            server.leaves = {prefix + tool["name"]: tool["name"] for tool in tools}
            server.tools = [{**tool, "name": prefix + tool["name"]} for tool in tools]

    async def call_tool(self, call: ToolCall) -> Dict[str, Any]:
        """Runs one leaf at its server and gives its result as the server sent it."""
        if any(call.name.startswith(d[:-1]) if d.endswith("*") else call.name == d for d in self.deny):
            return denied(f"{call.name} is removed by a rule", "rule")
        server = next((s for _, s in sorted(self._servers.items()) if call.name in s.leaves), None)
        if server is None:
            return unreachable(f"no connected server has a tool {call.name}")
        params = mcp_types.CallToolRequestParams(name=server.leaves[call.name], arguments=call.arguments)
        request = mcp_types.CallToolRequest(method="tools/call", params=params)
        answer = (await _send(server.session, request)).root
        if answer.get("resultType") == "input_required":
            return unreachable(f"{call.name} asks for further input, which scripts can't give")
        return result(answer)


async def _send(session: ClientSession, request: Any) -> _Raw:
    """The request with its answer unread. `call_tool` of the session would refuse a result that does not fit the
    declared output schema; what the server returned is what counts."""
    client_request: Any = getattr(mcp_types, "ClientRequest")
    if isinstance(client_request, type):  # mcp 1: a model around the request
        request = client_request(request)
    return await session.send_request(request, _Raw)


async def _all_tools(session: ClientSession, page_timeout: float) -> List[Dict[str, Any]]:
    tools: List[Dict[str, Any]] = []
    cursor: Optional[str] = None
    for _ in range(_MAX_PAGES):
        params = None if cursor is None else mcp_types.PaginatedRequestParams(cursor=cursor)
        page = plain(await asyncio.wait_for(session.list_tools(params=params), page_timeout))
        tools += page["tools"]
        cursor = page.get("nextCursor")
        if not cursor:
            return tools
    raise RuntimeError(f"tools/list has more than {_MAX_PAGES} pages")


def _tools_capability(session: Any) -> Any:
    """The server's `tools` capability, under the names of both generations of the package."""
    get = getattr(session, "get_server_capabilities", None)
    capabilities = get() if callable(get) else getattr(session, "server_capabilities", None)
    return getattr(capabilities, "tools", None)


def _member(model: Any, *names: str) -> Any:
    return next((getattr(model, n) for n in names if hasattr(model, n)), None)
