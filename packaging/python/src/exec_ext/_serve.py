"""What exec-ext asks of the host: pool, permission, call, progress; and the runs it may ask for."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _wire
from .funnel import (
    Funnel,
    Grants,
    Guard,
    NotAPool,
    PoolRequest,
    ToolCall,
    as_decision,
    as_outcome,
    as_snapshot,
    cancelled,
    denied,
    said,
    unreachable,
)
from .types import CallRecord

_PROGRESS_SECONDS = 5.0
_LATE_SECONDS = 1.0  # exec-ext itself ends a run in time; this is for one that does not
_STATUS = {"denied": "denied", "cancelled": "cancelled", "unreachable": "error"}


class LiveRun:
    """A run that has not ended: whether it was cancelled, and what it called."""

    def __init__(self, session_id: str, run_id: str) -> None:
        self.session_id = session_id
        self.run_id = run_id
        self.cancelled = asyncio.Event()
        self.reason: Optional[str] = None
        self.seq = 0
        self._calls: Dict[str, Tuple[str, str, float, float]] = {}

    def cancel(self, reason: Optional[str]) -> None:
        """Notes that the host wants its end."""
        self.reason = reason
        self.cancelled.set()

    def began(self, call: ToolCall) -> None:
        """Notes a call that is being made."""
        self._calls[call.call_id] = (call.name, "in_flight", time.monotonic(), 0.0)

    def ended(self, call: ToolCall, outcome: Dict[str, Any]) -> None:
        """Notes how it ended."""
        name, _, since, _ = self._calls[call.call_id]
        status = _STATUS.get(outcome["outcome"], "ok")
        if status == "ok" and outcome["result"].get("isError") is True:
            status = "error"
        self._calls[call.call_id] = (name, status, since, time.monotonic())

    def ledger(self) -> List[CallRecord]:
        """What was called, in order."""
        now = time.monotonic()
        return [
            {"callId": i, "name": n, "status": s, "ms": int(((until or now) - since) * 1000)}  # type: ignore[typeddict-item]
            for i, (n, s, since, until) in self._calls.items()
        ]


class HostSide:
    """Serves exec-ext's requests from a funnel. Whatever the host's functions do, there is an answer."""

    def __init__(
        self, funnel: Funnel, report: Callable[[Exception], None], warn: Callable[[str], None]
    ) -> None:
        self.funnel = funnel
        self.report = report
        self.warn = warn
        self._guard = Guard()
        self._grants = Grants()
        self._runs: Dict[Tuple[str, str], LiveRun] = {}
        self._progress: Dict[Tuple[str, str], Dict[str, Any]] = {}
        self._pump: Optional["asyncio.Task[None]"] = None
        self.handlers: Dict[str, _wire.Handler] = {}
        if funnel.pool is not None:
            self.handlers["host/pool"] = self._on_pool
        if funnel.call_tool is not None:
            self.handlers["host/callTool"] = self._on_call
        if funnel.gate == "separate":
            self.handlers["host/permission"] = self._on_permission

    def add(self, run: LiveRun) -> bool:
        """Lets a run make calls; False if one of that name is live."""
        key = (run.session_id, run.run_id)
        return self._runs.setdefault(key, run) is run

    def remove(self, run: LiveRun) -> None:
        """Ends it: it makes no more calls, and its grants are void."""
        key = (run.session_id, run.run_id)
        if self._runs.get(key) is run:
            del self._runs[key]
            self._progress.pop(key, None)
            self._grants.drop(*key)

    def runs_of(self, session_id: str, run_id: Optional[str]) -> List[LiveRun]:
        """The live runs of a session, or the one named."""
        return [r for (s, i), r in self._runs.items() if s == session_id and run_id in (None, i)]

    # ------------------------------------------------------------------ pool

    async def _on_pool(self, params: Any, _: str) -> Dict[str, Any]:
        return await self.snapshot(params["sessionId"], str(params.get("purpose")), params.get("ifRevision"))

    async def snapshot(self, session_id: str, purpose: str, if_revision: Optional[str]) -> Dict[str, Any]:
        """The host's pool, checked."""
        if self.funnel.pool is None:
            return {"status": "unavailable", "reason": "the host serves no pool"}
        request = PoolRequest(session_id, purpose, if_revision)
        try:
            return as_snapshot(
                await self._guard.call(self.funnel.pool, request, self.funnel.pool_timeout), if_revision, self.warn
            )
        except Exception as e:
            self.report(e)
            return {"status": "unavailable", "reason": str(e) if isinstance(e, NotAPool) else said("the host's pool", e)}

    # ------------------------------------------------------------------ calls

    async def _on_call(self, params: Any, text: str) -> Dict[str, Any]:
        call = _call(params, text)
        run = self._runs.get((call.session_id, call.run_id))
        if run is None:
            return unreachable("the host has no such run")
        if self.funnel.gate == "separate":
            if not self._grants.use(params.get("grant"), call):
                return denied("there is no unused grant for exactly this call", "grant")
        else:
            refusal = await self._ask(call)
            if refusal is not None:
                return refusal
        if run.cancelled.is_set():
            return cancelled()
        run.began(call)
        outcome = await self._execute(call)
        run.ended(call, outcome)
        return outcome

    async def flat_call(self, session_id: str, name: str, arguments: Dict[str, Any]) -> Dict[str, Any]:
        """A call that no script made, through the same gate."""
        call = ToolCall(session_id, "", "", 0, name, arguments, _wire.dumps(arguments))
        return await self._ask(call) or await self._execute(call)

    async def _execute(self, call: ToolCall) -> Dict[str, Any]:
        if self.funnel.call_tool is None:
            return unreachable("the host runs no tools")
        limits = [] if self.funnel.call_timeout is None else [self.funnel.call_timeout]
        if call.time_left is not None:
            limits.append(call.time_left + _LATE_SECONDS)
        try:
            return as_outcome(
                await self._guard.call(self.funnel.call_tool, call, min(limits) if limits else None)
            )
        except Exception as e:
            self.report(e)
            return unreachable(said(call.name, e))

    # ------------------------------------------------------------------ permission

    async def _on_permission(self, params: Any, text: str) -> Dict[str, Any]:
        call = _call(params, text)
        run = self._runs.get((call.session_id, call.run_id))
        if run is None:
            return {"decision": "deny", "reason": "the host has no such run"}
        decision, reason = await self._decide(call)
        if decision == "allow" and self._runs.get((call.session_id, call.run_id)) is run:
            return {"decision": "allow", "grant": self._grants.give(call)}
        if decision == "deny":
            return {"decision": "deny", "reason": reason}
        return {"decision": "cancelled"}

    async def _ask(self, call: ToolCall) -> Optional[Dict[str, Any]]:
        """None if the call may be made, else the outcome."""
        decision, reason = await self._decide(call)
        if decision == "allow":
            return None
        return cancelled() if decision == "cancelled" else denied(reason)

    async def _decide(self, call: ToolCall) -> Tuple[str, str]:
        if self.funnel.permission is None:
            return "allow", ""
        try:
            return as_decision(
                await self._guard.call(self.funnel.permission, call, self.funnel.permission_timeout)
            )
        except Exception as e:
            self.report(e)
            return "deny", said("the host's permission", e)

    # ------------------------------------------------------------------ progress

    def notified(self, method: str, params: Any) -> None:
        """Takes a notification; of one run's progress only the latest waits."""
        if method != "exec/progress" or self.funnel.progress is None or not isinstance(params, dict):
            return
        key = (str(params.get("sessionId")), str(params.get("runId")))
        run, seq = self._runs.get(key), params.get("seq")
        if run is None or not isinstance(seq, int) or seq <= run.seq:
            return
        run.seq = seq
        self._progress[key] = params
        if self._pump is None or self._pump.done():
            self._pump = asyncio.get_running_loop().create_task(self._show())

    async def _show(self) -> None:
        assert self.funnel.progress is not None
        while self._progress:
            params = self._progress.pop(next(iter(self._progress)))
            try:
                await self._guard.call(self.funnel.progress, params, _PROGRESS_SECONDS)
            except Exception as e:
                self.report(e)


def _call(params: Any, text: str) -> ToolCall:
    arguments = params["arguments"]
    raw = _wire.raw_member(text, "params", "arguments")
    if not isinstance(arguments, dict) or raw is None:
        raise ValueError("arguments must be an object")
    left = params.get("timeLeftMs")
    return ToolCall(
        session_id=params["sessionId"],
        run_id=params["runId"],
        call_id=params["callId"],
        index=params["index"],
        name=params["name"],
        arguments=arguments,
        raw_arguments=raw,
        time_left=left / 1000 if isinstance(left, (int, float)) else None,
    )
