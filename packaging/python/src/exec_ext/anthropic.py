"""Anthropic's tool format: plain dicts for `messages.create`; the package itself is not needed.

    tools = tool_params(plan, await ext.pool(session))
    announce(messages, plan)
    ... a `tool_use` block comes back:
    messages.append({"role": "user", "content": [tool_result(block.id, await ext.run(session, block.input))]})
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional

from .planning import Tools, announcement, declared
from .types import ExecResult, Plan


class MetaMessage(Dict[str, Any]):
    """A message of the host's own: the format has no place to say so, so its type does. A history that was stored
    and read back has plain dicts: the catalog is then announced once more, which does no harm."""


def tool_params(
    plan: Plan, tools: Tools, exec_tool: Optional[Mapping[str, Any]] = None
) -> List[Dict[str, Any]]:
    """The `tools` parameter for this plan (arguments as for `planning.declared`)."""
    return [
        {"name": t["name"], "description": t["description"], "input_schema": t["inputSchema"]}
        for t in declared(plan, tools, exec_tool)
    ]


def history(messages: Iterable[Mapping[str, Any]]) -> List[str]:
    """The texts for `prepare(history=...)`: of the host's own messages only, never a user's or a tool's."""
    return [m["content"] for m in messages if isinstance(m, MetaMessage)]


def announce(messages: List[Dict[str, Any]], plan: Plan) -> bool:
    """Appends the plan's announcement, if it has one. After tool use, append the tool results first."""
    text = announcement(plan)
    if text is not None:
        messages.append(MetaMessage(role="user", content=text))
    return text is not None


def tool_result(tool_use_id: str, result: ExecResult) -> Dict[str, Any]:
    """The `tool_result` block of an Exec call, images included."""
    return {
        "type": "tool_result",
        "tool_use_id": tool_use_id,
        "is_error": result["isError"],
        "content": blocks(result["content"]),
    }


def blocks(content: Iterable[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """MCP's text and image blocks as Anthropic's; others are left out."""
    out: List[Dict[str, Any]] = []
    for block in content:
        if block.get("type") == "text":
            out.append({"type": "text", "text": block["text"]})
        elif block.get("type") == "image":
            source = {"type": "base64", "media_type": block["mimeType"], "data": block["data"]}
            out.append({"type": "image", "source": source})
    return out
