"""The host's side of a nested call: its tools, its permission, its execution, and the grants between them.

A host gives functions; what they return or raise always becomes an outcome, never a crash.
"""

from __future__ import annotations

import asyncio
import inspect
import secrets
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Dict, List, Optional, Set, Tuple, TypeVar, Union

from . import _wire
from .types import Gate, Progress

T = TypeVar("T")
MaybeAwaitable = Union[T, Awaitable[T]]


@dataclass(frozen=True)
class ToolCall:
    """One nested call. `arguments` is the parsed object, `raw_arguments` its text as the script made it;
    `index` counts the run's calls from 1; `time_left` is in seconds, None when only permission is asked.
    A flat call (not from a script) has no run: `run_id` and `call_id` are empty, `index` is 0."""

    session_id: str
    run_id: str
    call_id: str
    index: int
    name: str
    arguments: Dict[str, Any] = field(repr=False)
    raw_arguments: str = field(repr=False)
    time_left: Optional[float] = None


@dataclass(frozen=True)
class PoolRequest:
    """Asks for a session's tools. `if_revision` is the one exec-ext has; `purpose` is turn, run, catalog or
    search."""

    session_id: str
    purpose: str
    if_revision: Optional[str] = None


def result(call_tool_result: Any) -> Dict[str, Any]:
    """The outcome of a call that was made: an MCP CallToolResult, as a dict or a model."""
    return {"outcome": "result", "result": call_tool_result}


def denied(reason: str, by: Optional[str] = None) -> Dict[str, Any]:
    """The outcome of a call that a rule or the user refused; the script gets the reason."""
    outcome = {"outcome": "denied", "reason": reason}
    return outcome if by is None else {**outcome, "by": by}


def unreachable(reason: str) -> Dict[str, Any]:
    """The outcome of a call that could not be made."""
    return {"outcome": "unreachable", "reason": reason}


def cancelled() -> Dict[str, Any]:
    """The outcome that ends the whole run: the user wants no more of it."""
    return {"outcome": "cancelled"}


@dataclass
class Funnel:
    """The functions of a host; each may be plain or async (a plain one must not block the event loop).

    - `call_tool(call)` runs one tool and returns a CallToolResult, or one of `result`, `denied`, `unreachable`,
      `cancelled`. Without it Exec is never declared.
    - `pool(request)` returns a PoolSnapshot, or just the list of tools, or None when they can't be known.
    - `permission(call)` returns True, False, a text that says why not, or `cancelled()`. Without it `call_tool`
      decides by itself, and `ExecExt` warns once that all is allowed.
    - `progress(progress)` shows the live summary.
    - `gate`: where exec-ext asks: `inFunnel` (within one message) or `separate` (permission first, then the call
      with a grant that is good for exactly that call, once).

    Times are in seconds; None waits until the run's own time is over.
    """

    call_tool: Optional[Callable[[ToolCall], Any]] = None
    pool: Optional[Callable[[PoolRequest], Any]] = None
    permission: Optional[Callable[[ToolCall], Any]] = None
    progress: Optional[Callable[[Progress], Any]] = None
    gate: Gate = "inFunnel"
    pool_timeout: Optional[float] = 10.0
    call_timeout: Optional[float] = None
    permission_timeout: Optional[float] = None

    def __post_init__(self) -> None:
        for name in ("call_tool", "pool", "permission", "progress"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                raise TypeError(f"{name} must be a function, not {type(value).__name__}")
        if self.gate not in ("inFunnel", "separate"):
            raise ValueError(f"gate must be inFunnel or separate, not {self.gate!r}")
        if self.gate == "separate" and self.permission is None:
            raise ValueError("gate 'separate' needs a permission function")


class Grants:
    """Grants given and not yet used. Each is good once, for one call with the same id, name and argument bytes."""

    def __init__(self) -> None:
        self._open: Dict[str, Tuple[str, str, str, str, str]] = {}

    def give(self, call: ToolCall) -> str:
        """A new grant for exactly this call."""
        grant = secrets.token_urlsafe(18)
        self._open[grant] = _identity(call)
        return grant

    def use(self, grant: object, call: ToolCall) -> bool:
        """Whether grant covers call; it is spent either way."""
        return isinstance(grant, str) and self._open.pop(grant, None) == _identity(call)

    def drop(self, session_id: str, run_id: str) -> None:
        """Forgets what a run did not use."""
        self._open = {g: c for g, c in self._open.items() if c[:2] != (session_id, run_id)}

    def __len__(self) -> int:
        return len(self._open)


def _identity(call: ToolCall) -> Tuple[str, str, str, str, str]:
    return (call.session_id, call.run_id, call.call_id, call.name, call.raw_arguments)


class CallbackTimeout(Exception):
    """A function of the host took too long."""


class Guard:
    """Calls a host's functions: a hanging one is left behind, and none can end its caller."""

    def __init__(self) -> None:
        self._left: Set["asyncio.Future[Any]"] = set()

    async def call(self, function: Callable[[Any], Any], argument: Any, timeout: Optional[float]) -> Any:
        """What the function gives. Raises what it raised, or CallbackTimeout; ends at once when cancelled,
        whether the function cares or not."""
        value = function(argument)
        if not inspect.isawaitable(value):
            return value
        task = asyncio.ensure_future(_awaited(value))
        self._left.add(task)
        task.add_done_callback(self._done)
        try:
            done, _ = await asyncio.wait({task}, timeout=timeout)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if not done:
            task.cancel()
            raise CallbackTimeout(f"no answer within {timeout:g} s")
        if task.cancelled():
            raise CallbackTimeout("it was cancelled by the host")
        return task.result()

    def _done(self, task: "asyncio.Future[Any]") -> None:
        self._left.discard(task)
        if not task.cancelled():
            task.exception()


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def said(what: str, error: BaseException) -> str:
    """One bounded sentence about a function that failed."""
    text = str(error).strip()
    return f"{what} failed: {type(error).__name__}" + (f": {text[:500]}" if text else "")


def as_outcome(value: Any) -> Dict[str, Any]:
    """The outcome that a host's `call_tool` returned, checked; rubbish becomes `unreachable`."""
    value = plain(value)
    if isinstance(value, dict):
        kind = value.get("outcome")
        if kind is None and (isinstance(value.get("content"), list) or "structuredContent" in value):
            return _encodable({"outcome": "result", "result": value})
        if kind == "result":
            inner = plain(value.get("result"))
            if isinstance(inner, dict):
                return _encodable({"outcome": "result", "result": inner})
            return unreachable(f"the host's call_tool gave {type(inner).__name__} for a CallToolResult")
        if kind == "denied":
            out = denied(_text(value.get("reason"), "the host refused the call"))
            return {**out, "by": value["by"]} if isinstance(value.get("by"), str) else out
        if kind == "unreachable":
            return unreachable(_text(value.get("reason"), "the tool could not be reached"))
        if kind == "cancelled":
            return cancelled()
    return unreachable(f"the host's call_tool gave {type(value).__name__}, which is no CallToolResult")


def as_decision(value: Any) -> Tuple[str, str]:
    """(allow, deny or cancelled; the reason) from what a host's `permission` returned; rubbish denies."""
    if value is True:
        return "allow", ""
    if value is False:
        return "deny", "the user refused the call"
    if isinstance(value, str):
        return "deny", _text(value, "the user refused the call")
    if isinstance(value, dict):
        kind = value.get("decision", value.get("outcome"))
        if kind == "allow":
            return "allow", ""
        if kind in ("deny", "denied"):
            return "deny", _text(value.get("reason"), "the user refused the call")
        if kind == "cancelled":
            return "cancelled", ""
    return "deny", f"the host's permission gave {type(value).__name__}, which is no decision"


class NotAPool(ValueError):
    """A host's `pool` gave what is no pool."""


def as_snapshot(
    value: Any, if_revision: Optional[str], warn: Optional[Callable[[str], None]] = None
) -> Dict[str, Any]:
    """The snapshot that a host's `pool` returned, checked; rubbish raises NotAPool. The tools stay at home when
    their revision is the one that exec-ext has. Where only some entries are no tools, `warn` is told; they stay
    where they are, since exec-ext leaves them out. Without `warn` they raise too."""
    value = plain(value)
    if value is None:
        return _unavailable("the host does not know its tools now")
    if isinstance(value, (list, tuple)):
        value = {"status": "ok", "tools": list(value)}
    if not isinstance(value, dict) or value.get("status") not in ("ok", "unchanged", "unavailable"):
        raise NotAPool(f"the host's pool gave {type(value).__name__}, which is no pool")
    if value["status"] == "unavailable":
        return _unavailable(_text(value.get("reason"), "the host does not know its tools now"))
    revision = value.get("revision")
    if revision is not None and not isinstance(revision, str):
        raise NotAPool("the host's pool gave a revision that is no str")
    if revision is not None and revision == if_revision:
        return {"status": "unchanged", "revision": revision}
    if value["status"] == "unchanged":
        raise NotAPool("the host's pool gave 'unchanged' for another revision")
    snapshot: Dict[str, Any] = {"status": "ok", "tools": _tools(value.get("tools"), warn)}
    if revision is not None:
        snapshot["revision"] = revision
    deny = value.get("deny") or []
    if not isinstance(deny, (list, tuple)) or not all(isinstance(d, str) for d in deny):
        raise NotAPool("the host's pool gave a deny that is no list of str")
    if deny:
        snapshot["deny"] = list(deny)
    return snapshot


def _tools(given: Any, warn: Optional[Callable[[str], None]]) -> List[Any]:
    if not isinstance(given, (list, tuple)):
        raise NotAPool("the host's pool gave no list of tools")
    tools = [plain(t) for t in given]
    odd = [place for place, tool in enumerate(tools, 1) if not _is_tool(tool)]
    if odd:
        more = f", nor at {len(odd) - 1} more" if len(odd) > 1 else ""
        what = f"the host's pool gave no tool at place {odd[0]} of its list{more}: a tool is a dict with a name"
        if warn is None or len(odd) == len(tools):
            raise NotAPool(what)
        warn(f"{what}; the other tools are used")
    try:
        _wire.dumps(tools)
    except (TypeError, ValueError, RecursionError) as e:
        raise NotAPool(f"the host's pool gave tools that JSON can't say: {e}") from e
    return tools


def _is_tool(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str)


def _unavailable(reason: str) -> Dict[str, Any]:
    return {"status": "unavailable", "reason": reason}


def _encodable(outcome: Dict[str, Any]) -> Dict[str, Any]:
    try:
        _wire.dumps(outcome)
    except (TypeError, ValueError, RecursionError) as e:
        return unreachable(said("the host's call_tool gave what JSON can't say and", e))
    return outcome


def _text(value: Any, otherwise: str) -> str:
    return value if isinstance(value, str) and value.strip() else otherwise


def plain(value: Any) -> Any:
    """A model of pydantic's as the dict it stands for; anything else as it is."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json", by_alias=True, exclude_none=True)
    return value


def flat_names(snapshot: Dict[str, Any], disallowed: List[str], profile_all: bool = False) -> Optional[List[str]]:
    """The names to declare when exec-ext can't say: every tool of the pool that no rule removes, in the order that
    exec-ext would give. None when the pool is not known: declare as if exec-ext were absent."""
    if snapshot.get("status") != "ok":
        return None
    rules = [*disallowed, *snapshot.get("deny", [])]
    names = {tool["name"] for tool in snapshot.get("tools", []) if _is_tool(tool)}
    return sorted(
        (n for n in names if (profile_all or n.startswith("mcp__")) and not any(_hits(rule, n) for rule in rules)),
        key=_place,
    )


def _place(name: str) -> Tuple[bool, bytes, bytes]:
    """By group, then name, in UTF-16 code units; tools of no server first."""
    mcp = name.startswith("mcp__")
    group = name.split("__")[1] if mcp else ""
    return mcp, _units(group), _units(name)


def _units(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _hits(rule: str, name: str) -> bool:
    return name.startswith(rule[:-1]) if rule.endswith("*") else name == rule
