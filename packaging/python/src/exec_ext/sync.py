"""The client for programs without asyncio: the same names, called plainly, from any thread."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import dataclasses
import inspect
import threading
from typing import Any, Awaitable, Callable, Coroutine, Dict, List, Mapping, Optional, Sequence, TypeVar

from . import _run, client
from .funnel import Funnel
from .types import ExecResult, ExecState, ExecTool, Found, Plan, PoolSnapshot, Rendered

T = TypeVar("T")

_PATIENCE = 2.0


class ExecExt:
    """exec-ext behind plain calls; arguments as for `exec_ext.ExecExt`. Use it as `with ExecExt(funnel) as ext`.

    An event loop runs in a thread of its own. The funnel's plain functions are called each in a thread, so they may
    block; async ones run on that loop. A call interrupted by Ctrl-C cancels what it waited for.
    """

    def __init__(self, funnel: Optional[Funnel] = None, **options: Any) -> None:
        if funnel is not None and not isinstance(funnel, Funnel):
            raise TypeError(f"funnel must be a Funnel, not {type(funnel).__name__}")
        self._ext = client.ExecExt(_threaded(funnel or Funnel()), **options)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="exec-ext", daemon=True)
        self._thread.start()

    def __enter__(self) -> "ExecExt":
        try:
            self.start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> Dict[str, Any]:
        """See `exec_ext.ExecExt.start`."""
        return self.submit(self._ext.start())

    def close(self) -> None:
        """Ends the extension and the loop; this object is done with."""
        try:
            self.submit(self._ext.close())
        finally:
            self._stop()

    def _stop(self) -> None:
        async def end_all() -> None:
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks, timeout=_PATIENCE)

        self.submit(end_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE)
        if not self._thread.is_alive():
            self._loop.close()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine on the client's loop and waits for it: for MCP sessions, which belong to a loop."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    @property
    def info(self) -> Optional[Dict[str, Any]]:
        """See `exec_ext.ExecExt.info`."""
        return self._ext.info

    @property
    def exec_tool(self) -> Optional[ExecTool]:
        """See `exec_ext.ExecExt.exec_tool`."""
        return self._ext.exec_tool

    def prepare(
        self,
        session_id: str,
        *,
        history: Optional[Sequence[str]] = None,
        exec: ExecState = "on",
        pool: Optional[PoolSnapshot] = None,
        channel: Optional[str] = None,
    ) -> Plan:
        """See `exec_ext.ExecExt.prepare`."""
        return self.submit(
            self._ext.prepare(session_id, history=history, exec=exec, pool=pool, channel=channel)
        )

    def run(self, session_id: str, input: Any, **options: Any) -> ExecResult:
        """See `exec_ext.ExecExt.run`."""
        return self.start_run(session_id, input, **options).ended()

    def start_run(self, session_id: str, input: Any, **options: Any) -> "Run":
        """See `exec_ext.ExecExt.start_run`; the handle may be cancelled from another thread."""

        async def begin() -> _run.Run:
            return self._ext.start_run(session_id, input, **options)

        return Run(self, self.submit(begin()))

    def cancel(self, session_id: str, run_id: Optional[str] = None, reason: Optional[str] = None) -> None:
        """See `exec_ext.ExecExt.cancel`; from any thread."""
        self._loop.call_soon_threadsafe(self._ext.cancel, session_id, run_id, reason)

    def call_leaf(self, session_id: str, name: str, arguments: Mapping[str, Any]) -> Dict[str, Any]:
        """See `exec_ext.ExecExt.call_leaf`."""
        return self.submit(self._ext.call_leaf(session_id, name, arguments))

    def pool(self, session_id: str, purpose: str = "turn") -> Dict[str, Any]:
        """See `exec_ext.ExecExt.pool`."""
        return self.submit(self._ext.pool(session_id, purpose))

    def render(
        self, session_id: str, *, pool: Optional[PoolSnapshot] = None, budget_tokens: Optional[int] = None
    ) -> Rendered:
        """See `exec_ext.ExecExt.render`."""
        return self.submit(self._ext.render(session_id, pool=pool, budget_tokens=budget_tokens))

    def search(
        self, session_id: str, input: Mapping[str, Any], *, pool: Optional[PoolSnapshot] = None
    ) -> List[Found]:
        """See `exec_ext.ExecExt.search`."""
        return self.submit(self._ext.search(session_id, input, pool=pool))

    def update_config(self, patch: Mapping[str, Any]) -> Dict[str, Any]:
        """See `exec_ext.ExecExt.update_config`."""
        return self.submit(self._ext.update_config(patch))

    def health(self, *, self_test: bool = False) -> Dict[str, Any]:
        """See `exec_ext.ExecExt.health`."""
        return self.submit(self._ext.health(self_test=self_test))

    def ping(self) -> None:
        """See `exec_ext.ExecExt.ping`."""
        self.submit(self._ext.ping())


class Run:
    """One Exec call under way."""

    def __init__(self, owner: ExecExt, run: _run.Run) -> None:
        self._owner = owner
        self._run = run
        self.session_id = run.session_id
        self.run_id = run.run_id

    def cancel(self, reason: Optional[str] = None) -> None:
        """Asks for the end; `ended` then gives the result."""
        self._owner._loop.call_soon_threadsafe(self._run.cancel, reason)

    def ended(self, timeout: Optional[float] = None) -> ExecResult:
        """Waits for the result; TimeoutError if it is not there in time (the run goes on)."""
        future = asyncio.run_coroutine_threadsafe(self._run.ended(), self._owner._loop)
        try:
            return future.result(timeout)
        except concurrent.futures.TimeoutError as e:
            raise TimeoutError(f"run {self.run_id} has not ended within {timeout} s") from e
        except KeyboardInterrupt:
            self.cancel("interrupted")
            concurrent.futures.wait([future], _PATIENCE)
            raise


def _threaded(funnel: Funnel) -> Funnel:
    return dataclasses.replace(
        funnel,
        call_tool=_in_thread(funnel.call_tool),
        pool=_in_thread(funnel.pool),
        permission=_in_thread(funnel.permission),
        progress=_in_thread(funnel.progress),
    )


def _in_thread(function: Optional[Callable[[Any], Any]]) -> Optional[Callable[[Any], Any]]:
    """The function as an async one. Its threads are daemons: one that hangs keeps no program from ending."""
    if function is None or inspect.iscoroutinefunction(function):
        return function
    if inspect.iscoroutinefunction(getattr(function, "__call__", None)):
        return function
    plain = function

    async def threaded(argument: Any) -> Any:
        loop = asyncio.get_running_loop()
        future: "asyncio.Future[Any]" = loop.create_future()
        context = contextvars.copy_context()

        def settle(set_it: Callable[[Any], None], value: Any) -> None:
            if not future.done():
                set_it(value)

        def work() -> None:
            try:
                value = context.run(plain, argument)
            except BaseException as e:  # StopIteration and SystemExit may not enter a future
                error = e if isinstance(e, Exception) and not isinstance(e, StopIteration) else RuntimeError(repr(e))
                done: "tuple[Callable[[Any], None], Any]" = (future.set_exception, error)
            else:
                done = (future.set_result, value)
            try:
                loop.call_soon_threadsafe(settle, *done)
            except RuntimeError:
                pass  # the loop has ended meanwhile

        threading.Thread(target=work, name=f"exec-ext-{plain}", daemon=True).start()
        value = await future
        return await value if isinstance(value, Awaitable) else value

    return threaded
