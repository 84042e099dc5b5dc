"""The shapes of the messages (protocol version 1), as they are on the wire: plain dicts, typed.

Only what a host reads or writes is spelled out. Members that may be absent are in the class without a leading
underscore, those always there in its base.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict

PROTOCOL_VERSION = 1

Json = Any
"""Any JSON value."""

ExecState = Literal["on", "not_registered", "denied", "excluded"]
Gate = Literal["inFunnel", "separate"]
Isolation = Literal["full", "partial", "process"]


class _PoolTool(TypedDict):
    name: str


class PoolTool(_PoolTool, total=False):
    """A tool as `tools/list` sent it, with `name` the full flat name `mcp__server__tool`."""

    title: str
    description: str
    inputSchema: Json
    outputSchema: Json
    annotations: Json


class _PoolSnapshot(TypedDict):
    status: Literal["ok", "unchanged", "unavailable"]


class PoolSnapshot(_PoolSnapshot, total=False):
    """The MCP tools of a session now. `unavailable` (with a `reason`) is not the same as empty."""

    reason: str
    revision: str
    tools: List[PoolTool]
    deny: List[str]


class ExecTool(TypedDict):
    """The declaration of Exec, ready for a provider's tool list."""

    name: str
    description: str
    inputSchema: Dict[str, Any]
    annotations: Dict[str, Any]


class MetaMessage(TypedDict):
    """A message for the model that no user wrote."""

    role: Literal["user"]
    isMeta: bool
    text: str


class _Announcement(TypedDict):
    action: Literal["none", "append"]
    reason: str


class Announcement(_Announcement, total=False):
    """What to append to the conversation, if `action` is `append`."""

    kind: Literal["full", "diff", "empty", "retired"]
    message: MetaMessage
    marker: Dict[str, Any]


class _PoolInfo(TypedDict):
    size: int


class PoolInfo(_PoolInfo, total=False):
    """The pool a plan was made from."""

    revision: str


class _Plan(TypedDict):
    mode: Literal["exec", "flat", "none"]
    reason: str
    announcement: Announcement
    pool: PoolInfo
    warnings: List[str]


class Plan(_Plan, total=False):
    """What to declare and to say in the next request. Without `declare`: declare as if exec-ext were absent."""

    declare: List[str]
    execTool: ExecTool


class Summary(TypedDict):
    """For display only: the first line counts the calls, then come the latest tool names."""

    text: str
    total: int
    state: Literal["running", "done", "failed"]


class CallRecord(TypedDict):
    """One nested call of a run."""

    callId: str
    name: str
    status: Literal["ok", "error", "denied", "limit", "cancelled", "in_flight"]
    ms: int


class _ExecError(TypedDict):
    name: str
    message: str


class ExecError(_ExecError, total=False):
    """Why a run failed; line and column are in the model's script, from 1."""

    line: int
    column: int
    frame: str


class Logs(TypedDict):
    """The script's console output."""

    text: str
    chars: int
    truncated: bool


class _Stats(TypedDict):
    wallMs: int
    activeMs: int
    queuedMs: int


class Stats(_Stats, total=False):
    """Figures of a run, never for the model."""

    peakMemoryBytes: int


class _ExecResult(TypedDict):
    runId: str
    isError: bool
    status: Literal[
        "completed",
        "code_error",
        "budget_exceeded",
        "timeout",
        "cancelled",
        "sandbox_error",
        "not_available",
    ]
    content: List[Dict[str, Any]]
    logs: Logs
    summary: Summary
    calls: List[CallRecord]
    stats: Stats


class ExecResult(_ExecResult, total=False):
    """How a run ended. `content` is what the model gets: one text block, then images, in MCP's shapes."""

    errorKind: str
    returnValue: Json
    warnings: List[str]
    error: ExecError
    truncated: Dict[str, Any]
    callsOmitted: Dict[str, int]
    clamped: List[Dict[str, Any]]


class _Awaiting(TypedDict):
    what: Literal["permission", "tool", "queue"]


class Awaiting(_Awaiting, total=False):
    """What a long run is waiting for."""

    callId: str
    name: str


class _Progress(TypedDict):
    sessionId: str
    runId: str
    seq: int
    summary: Summary


class Progress(_Progress, total=False):
    """The live summary of a run."""

    awaiting: Awaiting


class Rendered(TypedDict):
    """The catalog without its marker line."""

    text: str
    digest: str
    truncated: bool
    shown: int
    total: int
    servers: List[Dict[str, Any]]
    estimatedTokens: int


class Found(TypedDict):
    """One hit of a search."""

    name: str
    description: str
    signature: str
