"""What a plan means for a request to a model, whatever the model's provider."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from .types import ExecResult, Plan, PoolSnapshot

EXEC = "Exec"
_ANY_OBJECT: Dict[str, Any] = {"type": "object"}

Tools = Union[PoolSnapshot, Mapping[str, Any], Iterable[Mapping[str, Any]]]
"""The host's pool, for flat turns: a snapshot, as `ExecExt.pool` gives it, or just its list of tools."""


def declared(plan: Plan, tools: Tools, exec_tool: Optional[Mapping[str, Any]] = None) -> List[Dict[str, Any]]:
    """The tools to declare: `name`, `description` and `inputSchema` of each. `tools` is the host's pool, a
    snapshot or a list; without
    `declare` in the plan (the pool is unknown) all of it is declared, as the host would alone. `exec_tool` is Exec's
    declaration where the plan carries none (`ExecExt.exec_tool`)."""
    listed: Iterable[Mapping[str, Any]] = (tools.get("tools") or []) if isinstance(tools, Mapping) else tools
    flat = {tool["name"]: tool for tool in reversed(list(listed))}
    names = plan["declare"] if "declare" in plan else list(reversed(flat))
    out = []
    for name in names:
        tool = (plan.get("execTool") or exec_tool) if name == EXEC else flat.get(name)
        if tool is not None:
            schema = tool.get("inputSchema")
            out.append(
                {
                    "name": name,
                    "description": tool.get("description") or "",
                    "inputSchema": schema if isinstance(schema, dict) else dict(_ANY_OBJECT),
                }
            )
    return out


def announcement(plan: Plan) -> Optional[str]:
    """The text to append to the conversation now, marker line included; None if there is nothing to say."""
    said = plan["announcement"]
    return said["message"]["text"] if said["action"] == "append" else None


def text_of(result: ExecResult) -> str:
    """The text of a result for the model."""
    return "\n".join(b["text"] for b in result["content"] if b.get("type") == "text")


def images_of(result: ExecResult) -> List[Dict[str, str]]:
    """The images of a result: `mimeType` and base64 `data` of each."""
    return [{"mimeType": b["mimeType"], "data": b["data"]} for b in result["content"] if b.get("type") == "image"]


def leaf_result(outcome: Mapping[str, Any]) -> Dict[str, Any]:
    """The outcome of a flat call (`ExecExt.call_leaf`) as a CallToolResult: a refusal is an error with its reason."""
    if outcome["outcome"] == "result":
        return dict(outcome["result"])
    reason = outcome.get("reason") or "the call was cancelled"
    return {"isError": True, "content": [{"type": "text", "text": reason}]}
