"""One run under way."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, Generator, Optional, cast

from . import _text, _wire
from ._link import Link
from ._serve import HostSide, LiveRun
from .errors import ExecExtError, ExtensionDied, RequestError
from .types import ExecResult

_CANCEL_SECONDS = 1.0
_CANCELLED_SECONDS = 5.0  # a cancelled run that is not answered by then never is
_PULSE_SECONDS = 5.0


class Run:
    """One Exec call under way. Await it for its result; cancelling the awaiting task cancels the run, and its
    result (of the cancelled run) is then in `result` or still to come by `ended`."""

    def __init__(self, link: Link, host: HostSide, session_id: str, run_id: str, params: Dict[str, Any]) -> None:
        self.session_id = session_id
        self.run_id = run_id
        self._link = link
        self._host = host
        self._live = LiveRun(session_id, run_id)
        self._added = host.add(self._live)  # at once: a cancel may follow in the same breath
        self._task = asyncio.get_running_loop().create_task(self._drive(params))
        self._task.add_done_callback(_seen)

    def __await__(self) -> Generator[Any, None, ExecResult]:
        return self._wait().__await__()

    @property
    def result(self) -> Optional[ExecResult]:
        """The result, once there is one."""
        if self._task.done() and not self._task.cancelled() and self._task.exception() is None:
            return self._task.result()
        return None

    def cancel(self, reason: Optional[str] = None) -> None:
        """Asks for the end; the result follows within a moment."""
        if not self._task.done():
            self._live.cancel(reason)
            send_cancel(self._link, self.session_id, self.run_id, reason)

    async def ended(self) -> ExecResult:
        """Waits for the result without cancelling anything when the waiting is cancelled."""
        return await asyncio.shield(self._task)

    async def _wait(self) -> ExecResult:
        try:
            return await asyncio.shield(self._task)
        except asyncio.CancelledError:
            self.cancel("the host's task was cancelled")
            await asyncio.wait({self._task}, timeout=_CANCEL_SECONDS)
            raise

    async def _drive(self, params: Dict[str, Any]) -> ExecResult:
        live = self._live
        if not self._added:
            raise RequestError("exec/run", -31008, f"run {self.run_id} of this session is still running")
        try:
            try:
                connection = await self._link.ready()
                if live.cancelled.is_set():
                    return _text.failed(self.run_id, "cancelled", "cancelled", _text.early(live.reason), [])
                future, _ = connection.send_request("exec/run", params)
            except ExecExtError:
                return _text.failed(self.run_id, "sandbox_error", "crash", _text.NOT_STARTED, [])
            await connection.flush()
            result = await self._answer(connection, future)
        except ExtensionDied:
            return _text.died(self.run_id, live.ledger(), live.cancelled.is_set())
        finally:
            self._host.remove(live)
        self._link.worked()
        return _usable(self.run_id, result)


    async def _answer(self, connection: _wire.Connection, future: "asyncio.Future[Any]") -> Any:
        """The answer to the run's request, as long as there are signs of life."""
        cancelled = self._live.cancelled
        while not future.done():
            if cancelled.is_set():
                await asyncio.wait({future}, timeout=_CANCELLED_SECONDS)
                if not future.done():
                    raise self._link.give_up(connection, "a cancelled run was not answered")
                break
            stop = asyncio.ensure_future(cancelled.wait())
            await asyncio.wait({future, stop}, timeout=_PULSE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            stop.cancel()
            if not future.done() and not cancelled.is_set():
                await self._link.ask(connection, "ping", {})
        return future.result()


def send_cancel(link: Link, session_id: str, run_id: Optional[str], reason: Optional[str]) -> None:
    """Tells the extension, if it lives, to cancel a run or all of a session."""
    if link.connection is not None:
        params = {"sessionId": session_id, "runId": run_id, "reason": reason}
        link.connection.notify("exec/cancel", {k: v for k, v in params.items() if v is not None})


def _usable(run_id: str, result: Any) -> ExecResult:
    """The result, if it is one."""
    if isinstance(result, dict) and isinstance(result.get("content"), list) and result["content"]:
        return cast(ExecResult, result)
    return _text.failed(run_id, "sandbox_error", "internal", _text.NO_RESULT, [])


def _seen(task: "asyncio.Task[Any]") -> None:
    if not task.cancelled():
        task.exception()
