"""The adapter by which the conformance kit proves the Python client: orders on stdin, events on stdout.

    exec-ext conformance host -- python3 packaging/python/conformance_adapter

It is the client as a host uses it, with three stubs: the MCP servers, the permission rules, and the person asked.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Dict, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from exec_ext import ExecExt, ExecExtError, Funnel, PoolRequest, Run, ToolCall, unreachable  # noqa: E402
from exec_ext.planning import announcement, images_of, text_of  # noqa: E402


def tell(event: str, **members: Any) -> None:
    print(json.dumps({"event": event, **members}), flush=True)


def tell_call(event: str, call: ToolCall) -> None:
    """An event with the arguments as the script spelled them."""
    head = json.dumps({"event": event, "name": call.name})[:-1]
    print(f'{head}, "arguments": {call.raw_arguments}}}', flush=True)


class Host:
    """A host with stubs for what is not the client's."""

    def __init__(self, order: Dict[str, Any]) -> None:
        self.tools = order["tools"]
        self._leaves = order["leaves"]
        self._rules = order["rules"]
        self._runs: Dict[str, Run] = {}
        funnel = Funnel(self._call_tool, self._pool, self._permission, gate=order["permission"])
        # An order must be answered within 30 s, whatever the extension does.
        self.ext = ExecExt(
            funnel,
            binary=order["command"],
            start_timeout=8,
            request_timeout=8,
            on_error=lambda e: tell("note", text=f"{type(e).__name__}: {e}"),
        )

    def _pool(self, _: PoolRequest) -> Optional[Dict[str, Any]]:
        if self.tools is None:
            return None
        return {"status": "ok", "tools": self.tools, "deny": self._rules.get("deny", [])}

    def _known(self, name: str) -> bool:
        return name not in self._rules.get("deny", []) and any(t["name"] == name for t in self.tools or [])

    async def _permission(self, call: ToolCall) -> "bool | str":
        if not self._known(call.name):
            return f"there is no tool {call.name}"
        if call.name in self._rules.get("allow", []):
            return True
        tell_call("asked", call)
        answer = self._rules.get("ask", {}).get(call.name)
        if answer == "never":
            await asyncio.Event().wait()
        return answer == "yes" or "the user said no"

    async def _call_tool(self, call: ToolCall) -> Dict[str, Any]:
        leaf = self._leaves.get(call.name)
        if leaf is None or not self._known(call.name):
            return unreachable(f"no server has {call.name}")
        tell_call("called", call)
        if leaf == "hang":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                tell("aborted", name=call.name)
                raise
        if leaf == "fail":
            raise ConnectionError("the server is gone")
        return dict(leaf)

    async def prepare(self, order: Dict[str, Any]) -> None:
        plan = await self.ext.prepare(order["session"], history=order.get("history", []))
        tell("plan", session=order["session"], declare=plan.get("declare"), append=announcement(plan))

    async def run(self, order: Dict[str, Any]) -> None:
        label = order["run"]
        try:
            result = await self._runs[label]
        except ExecExtError as e:  # the request was refused: the model is told so
            return tell("result", run=label, isError=True, text=str(e))
        tell("result", run=label, isError=result["isError"], text=text_of(result), images=len(images_of(result)))

    def begin(self, order: Dict[str, Any]) -> None:
        self._runs[order["run"]] = self.ext.start_run(order["session"], {"code": order["code"]})

    def cancel(self, label: str) -> None:
        if label in self._runs:
            self._runs[label].cancel("the person stopped the turn")


async def main() -> None:
    loop = asyncio.get_running_loop()
    host: Optional[Host] = None
    tasks = set()

    async def start() -> None:
        assert host is not None
        try:
            await host.ext.start()
            tell("started")
        except ExecExtError as e:
            tell("started", error=str(e))

    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order = json.loads(line)
        if order["op"] == "start":
            host = Host(order)
            await start()
            continue
        assert host is not None
        if order["op"] == "prepare":
            tasks.add(loop.create_task(host.prepare(order)))
        elif order["op"] == "run":
            host.begin(order)  # at once: a cancel may follow
            tasks.add(loop.create_task(host.run(order)))
        elif order["op"] == "cancel":
            host.cancel(order["run"])
        elif order["op"] == "tools":
            host.tools = order["tools"]
            tell("changed")
        elif order["op"] == "stop":
            await host.ext.close()
            tell("stopped")
        else:
            raise SystemExit(f"no order {order['op']}")
    await asyncio.sleep(0)


asyncio.run(main())
