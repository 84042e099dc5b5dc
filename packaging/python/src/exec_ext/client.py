"""The asyncio client: one exec-ext process, kept alive, for all sessions of a host."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from typing import Any, Callable, Dict, Generator, List, Mapping, Optional, Sequence, Union, cast

from . import _binary, _text, _wire
from ._process import Process, spawn
from ._serve import HostSide, LiveRun
from ._version import __version__
from .errors import (
    ExecExtError,
    ExtensionDied,
    IsolationTooLow,
    RequestError,
    StartFailed,
    StartTimeout,
    Unresponsive,
    VersionMismatch,
)
from .funnel import Funnel, as_snapshot, flat_names
from .types import (
    PROTOCOL_VERSION,
    ExecResult,
    ExecState,
    ExecTool,
    Found,
    Isolation,
    Plan,
    PoolSnapshot,
    Rendered,
)

Binary = Union[str, "os.PathLike[str]", Sequence[str]]

_EXIT_ISOLATION = 3
_VERSION_REFUSED = -31001
_GOODBYE_SECONDS = 2.0
_CANCEL_SECONDS = 1.0
_CANCELLED_SECONDS = 5.0  # a cancelled run that is not answered by then never is
_PULSE_SECONDS = 5.0
_BACKOFF_FIRST = 0.5
_BACKOFF_LAST = 30.0
_HEALTHY_SECONDS = 60.0


class ExecExt:
    """exec-ext for a host. Use it as `async with ExecExt(funnel) as ext`, or call `start` and `close`.

    - `funnel`: the host's functions (see `Funnel`). Without `call_tool` in it, Exec is never declared.
    - `config`: the protocol's config; members left out have their defaults.
    - `binary`: the program's path, or a whole command to which `serve` is added; default: see `find`.
    - `require_isolation`: refuse to start below this level.
    - `start_timeout`: seconds until `initialize` must be answered; `request_timeout`: until anything else but a run
      must be, and a ping while one is under way. What does not answer is taken for dead, and ended.
    - `on_log(line)`: each line of the extension's log (JSON); `on_error(error)`: what went wrong but was turned
      into a result: a dead extension, a function of the host that failed.

    `start` raises typed errors. After it nothing of the extension's raises: while it is dead, `run` gives a failed
    result and `prepare` a flat plan; the next call restarts it, with growing pauses if it keeps dying. All methods
    belong to one event loop.
    """

    def __init__(
        self,
        funnel: Optional[Funnel] = None,
        *,
        config: Optional[Mapping[str, Any]] = None,
        binary: Optional[Binary] = None,
        require_isolation: Optional[Isolation] = None,
        env: Optional[Mapping[str, str]] = None,
        client_name: str = "exec-ext-python",
        client_version: str = __version__,
        start_timeout: float = 15.0,
        request_timeout: float = 20.0,
        max_message_bytes: int = 64 << 20,
        on_log: Optional[Callable[[str], Any]] = None,
        on_error: Optional[Callable[[Exception], Any]] = None,
    ) -> None:
        self.funnel = funnel or Funnel()
        self._config: Dict[str, Any] = dict(config or {})
        self._binary = binary
        self._require_isolation = require_isolation
        self._env = env
        self._client_info = {"name": client_name, "version": client_version}
        self._start_timeout = start_timeout
        self._request_timeout = request_timeout
        self._max = max_message_bytes
        self._on_log = on_log
        self._on_error = on_error
        self._host = HostSide(self.funnel, self._report)
        self._starting = asyncio.Lock()
        self._process: Optional[Process] = None
        self._connection: Optional[_wire.Connection] = None
        self._watcher: Optional["asyncio.Task[None]"] = None
        self._info: Optional[Dict[str, Any]] = None
        self._closed = False
        self._failures = 0
        self._not_before = 0.0
        self._started_at = 0.0
        self._last_error: ExecExtError = ExtensionDied("exec-ext was not started")

    # ------------------------------------------------------------------ life

    async def __aenter__(self) -> "ExecExt":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> Dict[str, Any]:
        """Starts the extension, if it is not running, and gives `initialize`'s result. Raises BinaryNotFound,
        NotExecutable, WrongPlatform, StartFailed, IsolationTooLow, StartTimeout, VersionMismatch, and RequestError
        for a config that is refused."""
        self._closed = False
        await self._ready(wait_out=True)
        assert self._info is not None
        return self._info

    async def close(self) -> None:
        """Ends the extension and its runs. It can be started again."""
        self._closed = True
        connection, process = self._connection, self._process
        if connection is not None:
            try:
                await asyncio.wait_for(connection.request("shutdown", {}), _GOODBYE_SECONDS)
                connection.notify("exit", {})
            except (asyncio.TimeoutError, ExecExtError):
                pass
        if process is not None:
            await process.end(_GOODBYE_SECONDS)
        if self._watcher is not None:
            await asyncio.wait({self._watcher})

    @property
    def info(self) -> Optional[Dict[str, Any]]:
        """The latest result of `initialize`: versions, effective config, ceilings, isolation; None before."""
        return self._info

    @property
    def exec_tool(self) -> Optional[ExecTool]:
        """The declaration of Exec; None before the first start."""
        return None if self._info is None else cast(Optional[ExecTool], self._info.get("execTool"))

    @property
    def pid(self) -> Optional[int]:
        """The extension's process id while it lives."""
        return None if self._process is None else self._process.pid

    # ------------------------------------------------------------------ work

    async def prepare(
        self,
        session_id: str,
        *,
        history: Optional[Sequence[str]] = None,
        exec: ExecState = "on",
        pool: Optional[PoolSnapshot] = None,
        channel: Optional[str] = None,
    ) -> Plan:
        """What to declare and to announce in the next request to the model. `history` holds the texts of the
        host's own meta messages still in the context, oldest first; without it there is no announcement. While
        the extension is dead the plan is flat (reason `extension_unavailable`): every tool of the pool that no
        rule removes."""
        params = _given(sessionId=session_id, exec=exec, pool=pool, channel=channel)
        if history is not None:
            params["history"] = list(history)
        for _ in range(2):  # planning is pure: a death in it is worth one more try
            try:
                return cast(Plan, await self._request("turn/prepare", params))
            except RequestError:
                raise
            except ExecExtError as e:
                error = e
                if isinstance(e, Unresponsive):
                    break
        return await self._flat_plan(session_id, pool, error)

    def start_run(
        self,
        session_id: str,
        input: Any,
        *,
        run_id: Optional[str] = None,
        exec: ExecState = "on",
        pool: Optional[PoolSnapshot] = None,
        limits: Optional[Mapping[str, int]] = None,
        parent_run_id: Optional[str] = None,
    ) -> "Run":
        """Starts one Exec call and gives a handle to await or to cancel. `input` is the model's raw tool input.
        A call made while a script of the same session runs must name that run as `parent_run_id`."""
        run_id = run_id or uuid.uuid4().hex
        params = _given(
            sessionId=session_id,
            runId=run_id,
            exec=exec,
            pool=pool,
            limits=None if limits is None else dict(limits),
            parentRunId=parent_run_id,
        )
        params["input"] = input
        return Run(self, session_id, run_id, params)

    async def run(self, session_id: str, input: Any, **options: Any) -> ExecResult:
        """One Exec call, start to end (options: see `start_run`). Every end is a result; RequestError says that
        the request itself was wrong. If the awaiting task is cancelled, so is the run."""
        return await self.start_run(session_id, input, **options)

    def cancel(self, session_id: str, run_id: Optional[str] = None, reason: Optional[str] = None) -> None:
        """Cancels a run, or every run of the session. Each still gives its result, soon."""
        for run in self._host.runs_of(session_id, run_id):
            run.cancelled.set()
        if self._connection is not None:
            self._connection.notify("exec/cancel", _given(sessionId=session_id, runId=run_id, reason=reason))

    async def call_leaf(self, session_id: str, name: str, arguments: Mapping[str, Any]) -> Dict[str, Any]:
        """The outcome of one flat call, through the same permission and execution as a script's calls."""
        return await self._host.flat_call(session_id, name, dict(arguments))

    async def pool(self, session_id: str, purpose: str = "turn") -> Dict[str, Any]:
        """The host's own pool, as exec-ext is given it."""
        return await self._host.snapshot(session_id, purpose, None)

    async def render(
        self, session_id: str, *, pool: Optional[PoolSnapshot] = None, budget_tokens: Optional[int] = None
    ) -> Rendered:
        """The catalog text. Raises ExecExtError when the extension is dead."""
        params = _given(sessionId=session_id, pool=pool, budgetTokens=budget_tokens)
        return cast(Rendered, await self._request("catalog/render", params))

    async def search(
        self, session_id: str, input: Mapping[str, Any], *, pool: Optional[PoolSnapshot] = None
    ) -> List[Found]:
        """The tools that match, signatures included. Raises ExecExtError when the extension is dead."""
        params = _given(sessionId=session_id, pool=pool)
        params["input"] = dict(input)
        found = await self._request("catalog/search", params)
        return cast(List[Found], found["items"])

    async def update_config(self, patch: Mapping[str, Any]) -> Dict[str, Any]:
        """Applies a JSON merge patch, also for later restarts; RequestError leaves everything as it was."""
        result = await self._request("config/update", {"patch": dict(patch)})
        self._config = _merged(self._config, patch)
        return cast(Dict[str, Any], result)

    async def health(self, *, self_test: bool = False) -> Dict[str, Any]:
        """The extension's state."""
        params = {"selfTest": True} if self_test else {}
        return cast(Dict[str, Any], await self._request("extension/health", params))

    async def ping(self) -> None:
        """Returns when the extension has answered."""
        await self._request("ping", {})

    # ------------------------------------------------------------------ start and end

    async def _request(self, method: str, params: Dict[str, Any]) -> Any:
        return await self._ask(await self._ready(), method, params)

    async def _ask(self, connection: _wire.Connection, method: str, params: Dict[str, Any]) -> Any:
        """The answer in time; a process that gives none is ended."""
        request = asyncio.ensure_future(connection.request(method, params))
        try:
            done, _ = await asyncio.wait({request}, timeout=self._request_timeout)
        except asyncio.CancelledError:
            request.cancel()
            raise
        if not done:
            request.cancel()
            raise self._give_up(connection, f"{method} was not answered within {self._request_timeout:g} s")
        return request.result()

    def _give_up(self, connection: _wire.Connection, why: str) -> ExtensionDied:
        """Ends a process that does not answer."""
        error = Unresponsive(f"exec-ext hangs: {why}")
        if self._connection is connection and self._process is not None:
            self._connection = None
            connection.close(error)
            self._process.kill()
        return error

    async def _ready(self, wait_out: bool = False) -> _wire.Connection:
        if self._closed:
            raise ExtensionDied("exec-ext was closed by the host")
        async with self._starting:
            if self._connection is not None:
                return self._connection
            if not wait_out and time.monotonic() < self._not_before:
                raise self._last_error
            try:
                return await self._start()
            except ExecExtError as e:
                self._failed(e)
                raise

    def _failed(self, error: ExecExtError) -> None:
        pause = 0.0 if self._failures == 0 else min(_BACKOFF_LAST, _BACKOFF_FIRST * 2 ** (self._failures - 1))
        self._failures += 1
        self._not_before = time.monotonic() + pause
        self._last_error = error
        self._report(error)

    def _command(self) -> List[str]:
        if self._binary is None or isinstance(self._binary, (str, os.PathLike)):
            command = [_binary.find(self._binary)]
        else:
            command = [os.fspath(part) for part in self._binary]
        command.append("serve")
        if self._require_isolation is not None:
            command += ["--require-isolation", self._require_isolation]
        return command

    async def _start(self) -> _wire.Connection:
        process = await spawn(self._command(), self._env, self._on_log)
        connection = _wire.Connection(
            process.stdout, process.stdin, self._host.handlers, self._host.notified, self._max
        )
        reading = asyncio.get_running_loop().create_task(connection.run())
        hello = asyncio.get_running_loop().create_task(connection.request("initialize", self._hello()))
        try:
            await asyncio.wait({reading, hello}, timeout=self._start_timeout, return_when=asyncio.FIRST_COMPLETED)
            if not hello.done():
                if reading.done():
                    await self._raise_failed(process, reading.result())
                raise StartTimeout(self._start_timeout)
            info = _checked(hello)
        except BaseException:
            hello.cancel()
            reading.cancel()
            process.kill()
            await process.end(_GOODBYE_SECONDS)
            raise
        connection.notify("initialized", {})
        self._info, self._process, self._connection = info, process, connection
        self._started_at = time.monotonic()
        self._watcher = asyncio.get_running_loop().create_task(self._watch(process, connection, reading))
        return connection

    async def _raise_failed(self, process: Process, why: str) -> None:
        code = await process.end(_GOODBYE_SECONDS)
        if code == _EXIT_ISOLATION and self._require_isolation is not None:
            next_step = "Ask for a lower `require_isolation`, or run on a machine that gives more"
            raise IsolationTooLow(why, code, process.stderr(), next_step)
        raise StartFailed(why, code, process.stderr())

    def _hello(self) -> Dict[str, Any]:
        can: Dict[str, Any] = {"maxMessageBytes": self._max}
        if self.funnel.pool is not None:
            can["pool"] = {}
        if self.funnel.call_tool is not None:
            can["callTool"] = {"permission": self.funnel.gate}
        if self.funnel.progress is not None:
            can["progress"] = True
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "clientInfo": self._client_info,
            "processId": os.getpid(),
            "capabilities": can,
            "config": self._config,
        }

    async def _watch(self, process: Process, connection: _wire.Connection, reading: "asyncio.Task[str]") -> None:
        why = await reading
        if self._process is process:
            self._connection = self._process = None
        if not self._closed:
            process.kill()
        code = await process.end(_GOODBYE_SECONDS)
        if time.monotonic() - self._started_at > _HEALTHY_SECONDS:
            self._failures = 0
        error = ExtensionDied(f"exec-ext is gone: {why} (exit code {code})")
        connection.close(error)
        if not self._closed:
            self._failed(error)

    def _worked(self) -> None:
        self._failures = 0

    def _report(self, error: Exception) -> None:
        if self._on_error:
            try:
                self._on_error(error)
            except Exception:
                pass

    async def _flat_plan(self, session_id: str, pool: Optional[PoolSnapshot], error: ExecExtError) -> Plan:
        if pool is not None:
            snapshot = as_snapshot(pool, None)
        else:
            snapshot = await self._host.snapshot(session_id, "turn", None)
        names = flat_names(
            snapshot, list(self._config.get("disallowedTools") or []), self._config.get("profile") == "all"
        )
        plan: Dict[str, Any] = {
            "mode": "none" if names == [] else "flat",
            "reason": "extension_unavailable",
            "announcement": {"action": "none", "reason": "extension_unavailable"},
            "pool": {"size": len(names or [])},
            "warnings": [str(error)],
        }
        if names is not None:
            plan["declare"] = names
        return cast(Plan, plan)


class Run:
    """One Exec call under way. Await it for its result; cancelling the awaiting task cancels the run, and its
    result (of the cancelled run) is then in `result` or still to come by `ended`."""

    def __init__(self, ext: ExecExt, session_id: str, run_id: str, params: Dict[str, Any]) -> None:
        self.session_id = session_id
        self.run_id = run_id
        self._ext = ext
        self._live = LiveRun(session_id, run_id)
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
            self._live.cancelled.set()
            self._ext.cancel(self.session_id, self.run_id, reason)

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
        ext, live = self._ext, self._live
        if not ext._host.add(live):
            raise RequestError("exec/run", -31008, f"run {self.run_id} of this session is still running")
        try:
            try:
                connection = await ext._ready()
                if live.cancelled.is_set():
                    return _text.failed(self.run_id, "cancelled", "cancelled", _text.CANCELLED_EARLY, [])
                future, _ = connection.send_request("exec/run", params)
            except ExecExtError:
                return _text.failed(self.run_id, "sandbox_error", "crash", _text.NOT_STARTED, [])
            await connection.flush()
            result = await self._answer(connection, future)
        except ExtensionDied:
            return _text.died(self.run_id, live.ledger(), live.cancelled.is_set())
        finally:
            ext._host.remove(live)
        ext._worked()
        return _usable(self.run_id, result)


    async def _answer(self, connection: _wire.Connection, future: "asyncio.Future[Any]") -> Any:
        """The answer to the run's request, as long as there are signs of life."""
        cancelled = self._live.cancelled
        while not future.done():
            if cancelled.is_set():
                await asyncio.wait({future}, timeout=_CANCELLED_SECONDS)
                if not future.done():
                    raise self._ext._give_up(connection, "a cancelled run was not answered")
                break
            stop = asyncio.ensure_future(cancelled.wait())
            await asyncio.wait({future, stop}, timeout=_PULSE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            stop.cancel()
            if not future.done() and not cancelled.is_set():
                await self._ext._ask(connection, "ping", {})
        return future.result()


def _usable(run_id: str, result: Any) -> ExecResult:
    """The result, if it is one."""
    if isinstance(result, dict) and isinstance(result.get("content"), list) and result["content"]:
        return cast(ExecResult, result)
    return _text.failed(run_id, "sandbox_error", "internal", _text.NO_RESULT, [])


def _checked(hello: "asyncio.Task[Any]") -> Dict[str, Any]:
    try:
        info = hello.result()
    except RequestError as e:
        if e.code == _VERSION_REFUSED:
            supported = e.data.get("supported") if isinstance(e.data, dict) else "unknown"
            raise VersionMismatch(PROTOCOL_VERSION, supported) from e
        raise
    version = info.get("protocolVersion") if isinstance(info, dict) else "unknown"
    if version != PROTOCOL_VERSION:
        raise VersionMismatch(PROTOCOL_VERSION, version)
    return cast(Dict[str, Any], info)


def _given(**params: Any) -> Dict[str, Any]:
    return {k: v for k, v in params.items() if v is not None}


def _merged(base: Any, patch: Any) -> Any:
    """JSON merge patch (RFC 7396)."""
    if not isinstance(patch, Mapping):
        return patch
    out = dict(base) if isinstance(base, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = _merged(out.get(key), value)
    return out


def _seen(task: "asyncio.Task[Any]") -> None:
    if not task.cancelled():
        task.exception()
