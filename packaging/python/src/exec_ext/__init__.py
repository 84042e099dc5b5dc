"""exec-ext for Python hosts: one tool, Exec, in place of an agent's whole MCP tool pool.

`ExecExt` is the asyncio client, `exec_ext.sync.ExecExt` the same without asyncio. `exec_ext.mcp` makes the host's
functions from MCP client sessions; `exec_ext.anthropic`, `exec_ext.openai_agents` and `exec_ext.langchain` shape
plans and results for those frameworks. Nothing but the standard library is needed for the first two.
"""

from ._binary import find as find_binary
from ._run import Run
from ._version import __version__
from .client import ExecExt
from .errors import (
    BinaryNotFound,
    ExecExtError,
    ExtensionDied,
    IsolationTooLow,
    NotExecutable,
    RequestError,
    StartFailed,
    StartTimeout,
    Unresponsive,
    VersionMismatch,
    WrongPlatform,
)
from .funnel import Funnel, PoolRequest, ToolCall, cancelled, denied, result, unreachable
from .types import ExecResult, ExecTool, Plan, PoolSnapshot, PoolTool, Progress

__all__ = [
    "BinaryNotFound",
    "ExecExt",
    "ExecExtError",
    "ExecResult",
    "ExecTool",
    "ExtensionDied",
    "Funnel",
    "IsolationTooLow",
    "NotExecutable",
    "Plan",
    "PoolRequest",
    "PoolSnapshot",
    "PoolTool",
    "Progress",
    "RequestError",
    "Run",
    "StartFailed",
    "StartTimeout",
    "ToolCall",
    "Unresponsive",
    "VersionMismatch",
    "WrongPlatform",
    "__version__",
    "cancelled",
    "denied",
    "find_binary",
    "result",
    "unreachable",
]
