"""Tools for the OpenAI Agents SDK (package `openai-agents`), one agent run at a time.

    plan = await ext.prepare(session, history=history(items))
    items += announcement_items(plan)
    agent = Agent(name="...", tools=function_tools(ext, session, plan, await ext.pool(session)))
    outcome = await Runner.run(agent, items)
"""

from __future__ import annotations

import json
from typing import Any, Awaitable, Callable, Dict, Iterable, List, Mapping

from agents import FunctionTool, ToolOutputImage, ToolOutputText

from .client import ExecExt
from .planning import EXEC, Tools, announcement, declared, leaf_result
from .types import Plan

_ROLE = "developer"  # the role that no user and no tool writes in


def function_tools(
    ext: ExecExt, session_id: str, plan: Plan, tools: Tools = ()
) -> List[FunctionTool]:
    """A FunctionTool for each tool to declare: Exec, or the pool's tools flat, through the same funnel."""
    return [
        FunctionTool(
            name=t["name"],
            description=t["description"],
            params_json_schema=t["inputSchema"],
            on_invoke_tool=_invoke(ext, session_id, t["name"]),
            strict_json_schema=False,
        )
        for t in declared(plan, tools, ext.exec_tool)
    ]


def history(items: Iterable[Any]) -> List[str]:
    """The texts for `prepare(history=...)`: of developer messages among a conversation's input items."""
    return [
        item["content"]
        for item in items
        if isinstance(item, dict) and item.get("role") == _ROLE and isinstance(item.get("content"), str)
    ]


def announcement_items(plan: Plan) -> List[Any]:
    """The input items to append now: none or one."""
    text = announcement(plan)
    return [] if text is None else [{"role": _ROLE, "content": text}]


def _invoke(ext: ExecExt, session_id: str, name: str) -> Callable[[Any, str], Awaitable[Any]]:
    async def invoke(_: Any, raw: str) -> Any:
        try:
            arguments = json.loads(raw) if raw.strip() else {}
        except ValueError:
            if name != EXEC:
                return f"The arguments of {name} must be a JSON object."
            arguments = raw  # Exec takes its script bare, too
        if name == EXEC:
            return _output((await ext.run(session_id, arguments))["content"])
        if not isinstance(arguments, dict):
            return f"The arguments of {name} must be a JSON object."
        return _output(leaf_result(await ext.call_leaf(session_id, name, arguments)).get("content", []))

    return invoke


def _output(content: Iterable[Dict[str, Any]]) -> Any:
    out: List[Any] = []
    for block in content:
        if block.get("type") == "text":
            out.append(ToolOutputText(text=block["text"]))
        elif block.get("type") == "image":
            out.append(ToolOutputImage(image_url=f"data:{block['mimeType']};base64,{block['data']}"))
    return out or ""
