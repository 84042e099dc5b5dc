"""Tools for LangChain (package `langchain-core`).

    plan = await ext.prepare(session, history=history(messages))
    messages += announcement_messages(plan)
    model_with_tools = model.bind_tools(tools(ext, session, plan, await ext.pool(session)))
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.tools import BaseTool, ToolException

from .client import ExecExt
from .planning import EXEC, Tools, announcement, declared, leaf_result
from .types import Plan

_META = "exec_ext_meta"


def tools(ext: ExecExt, session_id: str, plan: Plan, pool: Tools = ()) -> List[BaseTool]:
    """A tool for each one to declare: Exec, or the pool's tools flat, through the same funnel. A tool message's
    content holds text and images; its artifact is the whole ExecResult or CallToolResult. They are async."""
    return [_tool(ext, session_id, t) for t in declared(plan, pool, ext.exec_tool)]


def history(messages: Sequence[BaseMessage]) -> List[str]:
    """The texts for `prepare(history=...)`: of the messages that `announcement_messages` made."""
    return [m.content for m in messages if m.additional_kwargs.get(_META) and isinstance(m.content, str)]


def announcement_messages(plan: Plan) -> List[BaseMessage]:
    """The messages to append now: none or one."""
    text = announcement(plan)
    return [] if text is None else [HumanMessage(content=text, additional_kwargs={_META: True})]


class _Tool(BaseTool):
    """Takes any argument, `config` included, which StructuredTool keeps for itself."""

    ext: Any
    session_id: str

    def _run(self, **_: Any) -> Any:
        raise NotImplementedError(f"{self.name} is async: use ainvoke")

    async def _arun(self, **arguments: Any) -> Tuple[List[Dict[str, Any]], Any]:
        if self.name == EXEC:
            result: Mapping[str, Any] = await self.ext.run(self.session_id, arguments)
        else:
            result = leaf_result(await self.ext.call_leaf(self.session_id, self.name, arguments))
        content = [c for c in map(_block, result.get("content", [])) if c]
        if result.get("isError"):
            raise ToolException("\n".join(c["text"] for c in content if c["type"] == "text"))
        return content, result


def _tool(ext: ExecExt, session_id: str, declaration: Mapping[str, Any]) -> BaseTool:
    return _Tool(
        ext=ext,
        session_id=session_id,
        name=declaration["name"],
        description=declaration["description"] or declaration["name"],
        args_schema=declaration["inputSchema"],
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _block(block: Mapping[str, Any]) -> Dict[str, Any]:
    if block.get("type") == "text":
        return {"type": "text", "text": block["text"]}
    if block.get("type") == "image":
        return {"type": "image", "base64": block["data"], "mime_type": block["mimeType"]}
    return {}
