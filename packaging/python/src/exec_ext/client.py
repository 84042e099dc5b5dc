"""The asyncio client: one exec-ext process, kept alive, for all sessions of a host."""

from __future__ import annotations

import json
import logging
import uuid
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, cast

from . import _check
from ._link import Binary, Link, Options
from ._run import Run, send_cancel
from ._serve import HostSide
from ._version import __version__
from .errors import ExecExtError, RequestError, Unresponsive
from .funnel import Funnel, as_snapshot, flat_names
from .types import ExecResult, ExecState, ExecTool, Found, Isolation, Plan, PoolSnapshot, Rendered

_INVALID_PARAMS = -32602
_NO_CALL = "no call_tool function was given: Exec is never declared"
_NO_PERMISSION = (
    "no permission function was given: all calls are allowed that call_tool itself does not refuse; "
    "if that is meant, give `permission=lambda call: True`"
)


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
    - `on_warning(text)`: what the host's author should know, each sentence once: a function that was left out of the
      funnel, a member of `config` that is not known, an entry of the pool that is no tool.
      Default: a warning of the logger `exec_ext`.

    `start` raises typed errors. After it nothing of the extension's raises: while it is dead, `run` gives a failed
    result and `prepare` a flat plan; the next call restarts it, with growing pauses if it keeps dying. A mistake in the
    arguments of a call is a TypeError or ValueError, or a RequestError if the extension found it. All methods belong
    to one event loop.
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
        on_warning: Optional[Callable[[str], Any]] = None,
    ) -> None:
        if funnel is not None and not isinstance(funnel, Funnel):
            raise TypeError(f"funnel must be a Funnel, not {type(funnel).__name__}")
        if config is not None and not isinstance(config, Mapping):
            raise TypeError(f"config must be a dict, not {type(config).__name__}")
        self.funnel = funnel or Funnel()
        self._on_error = on_error
        self._on_log = on_log
        self._on_warning = on_warning or logging.getLogger("exec_ext").warning
        self._warned: Set[str] = set()
        if self.funnel.call_tool is None:
            self._warn(_NO_CALL)
        elif self.funnel.permission is None:
            self._warn(_NO_PERMISSION)
        self._host = HostSide(self.funnel, self._report, self._warn)
        options = Options(
            binary=binary,
            require_isolation=require_isolation,
            env=env,
            client_info={"name": client_name, "version": client_version},
            start_timeout=start_timeout,
            request_timeout=request_timeout,
            max_message_bytes=max_message_bytes,
            on_log=self._logged,
        )
        self._link = Link(options, config or {}, self._host)

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
        self._link.closed = False
        await self._link.ready(wait_out=True)
        assert self._link.info is not None
        return self._link.info

    async def close(self) -> None:
        """Ends the extension and its runs. It can be started again."""
        await self._link.close()

    @property
    def info(self) -> Optional[Dict[str, Any]]:
        """The latest result of `initialize`: versions, effective config, ceilings, isolation; None before."""
        return self._link.info

    @property
    def exec_tool(self) -> Optional[ExecTool]:
        """The declaration of Exec; None before the first start."""
        return None if self.info is None else cast(Optional[ExecTool], self.info.get("execTool"))

    @property
    def pid(self) -> Optional[int]:
        """The extension's process id while it lives."""
        return None if self._link.process is None else self._link.process.pid

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
        the extension is dead, or gives no plan, the plan is flat (reason `extension_unavailable`): every tool of the
        pool that no rule removes."""
        if history is not None and not isinstance(history, (str, bytes, Mapping)):
            history = list(history)
        _check.prepare(session_id, history, exec, pool, channel)
        params = _given(sessionId=session_id, exec=exec, pool=pool, channel=channel)
        if history is not None:
            params["history"] = history
        for _ in range(2):  # planning is pure: a death in it is worth one more try
            try:
                return _plan(await self._request("turn/prepare", params))
            except ExecExtError as e:
                error = e
                if isinstance(e, RequestError):
                    if e.code == _INVALID_PARAMS:
                        raise  # the caller's to mend
                    self._report(e)
                if isinstance(e, (RequestError, Unresponsive)):
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
    ) -> Run:
        """Starts one Exec call and gives a handle to await or to cancel. `input` is the model's raw tool input.
        A call made while a script of the same session runs must name that run as `parent_run_id`."""
        _check.run(session_id, input, run_id, exec, pool, limits, parent_run_id)
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
        return Run(self._link, self._host, session_id, run_id, params)

    async def run(self, session_id: str, input: Any, **options: Any) -> ExecResult:
        """One Exec call, start to end (options: see `start_run`). Every end is a result; TypeError, ValueError and
        RequestError say that the call itself was wrong. If the awaiting task is cancelled, so is the run."""
        return await self.start_run(session_id, input, **options)

    def cancel(self, session_id: str, run_id: Optional[str] = None, reason: Optional[str] = None) -> None:
        """Cancels a run, or every run of the session. Each still gives its result, soon."""
        for run in self._host.runs_of(session_id, run_id):
            run.cancel(reason)
        send_cancel(self._link, session_id, run_id, reason)

    async def call_leaf(self, session_id: str, name: str, arguments: Mapping[str, Any]) -> Dict[str, Any]:
        """The outcome of one flat call, through the same permission and execution as a script's calls."""
        _check.text("session_id", session_id)
        _check.text("name", name)
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
        params["input"] = input
        found = await self._request("catalog/search", params)
        return cast(List[Found], found["items"])

    async def update_config(self, patch: Mapping[str, Any]) -> Dict[str, Any]:
        """Applies a JSON merge patch, also for later restarts; RequestError leaves everything as it was."""
        result = await self._request("config/update", {"patch": dict(patch)})
        self._link.config = _merged(self._link.config, patch)
        return cast(Dict[str, Any], result)

    async def health(self, *, self_test: bool = False) -> Dict[str, Any]:
        """The extension's state."""
        params = {"selfTest": True} if self_test else {}
        return cast(Dict[str, Any], await self._request("extension/health", params))

    async def ping(self) -> None:
        """Returns when the extension has answered."""
        await self._request("ping", {})

    async def _request(self, method: str, params: Dict[str, Any]) -> Any:
        return await self._link.ask(await self._link.ready(), method, params)

    def _report(self, error: Exception) -> None:
        if self._on_error:
            try:
                self._on_error(error)
            except Exception:
                pass

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            try:
                self._on_warning(text)
            except Exception:
                pass

    def _logged(self, line: str) -> None:
        if line.startswith('{"level":"warn"'):
            try:
                self._warn(f"exec-ext: {json.loads(line).get('message')}")
            except ValueError:
                pass  # cut short: it is in the log all the same
        if self._on_log is not None:
            try:
                self._on_log(line)
            except Exception:
                self._on_log = None  # a broken log function is not called again

    async def _flat_plan(self, session_id: str, pool: Optional[PoolSnapshot], error: ExecExtError) -> Plan:
        if pool is not None:
            snapshot = as_snapshot(pool, None)
        else:
            snapshot = await self._host.snapshot(session_id, "turn", None)
        names = flat_names(
            snapshot, list(self._link.config.get("disallowedTools") or []), self._link.config.get("profile") == "all"
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


def _plan(value: Any) -> Plan:
    """The plan, if it is one."""
    if isinstance(value, dict) and value.get("mode") in ("exec", "flat", "none"):
        declare, said = value.get("declare"), value.get("announcement")
        names = declare is None or (isinstance(declare, list) and all(isinstance(n, str) for n in declare))
        if names and isinstance(said, dict) and said.get("action") in ("none", "append"):
            message = said.get("message") if said["action"] == "append" else {"text": ""}
            if isinstance(message, dict) and isinstance(message.get("text"), str):
                return cast(Plan, value)
    raise RequestError("turn/prepare", 0, "the answer is no plan")


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
