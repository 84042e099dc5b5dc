"""The link to one exec-ext process: started when needed, watched, given up when it hangs, restarted with pauses."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union, cast

from . import _binary, _wire
from ._process import Process, spawn
from ._serve import HostSide
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
from .types import PROTOCOL_VERSION, Isolation

Binary = Union[str, "os.PathLike[str]", Sequence[str]]

_EXIT_ISOLATION = 3
_VERSION_REFUSED = -31001
_GOODBYE_SECONDS = 5.0
_BACKOFF_FIRST = 0.5
_BACKOFF_LAST = 30.0
_HEALTHY_SECONDS = 60.0


@dataclass(frozen=True)
class Options:
    """How to start the process, and how long to wait for it (seconds)."""

    binary: Optional[Binary]
    require_isolation: Optional[Isolation]
    env: Optional[Mapping[str, str]]
    client_info: Dict[str, str]
    start_timeout: float
    request_timeout: float
    max_message_bytes: int
    on_log: Optional[Callable[[str], Any]]


class Link:
    """See above. `config` is what the next start sends, `info` the latest result of `initialize`, `connection` and
    `process` those of the running process."""

    def __init__(self, options: Options, config: Mapping[str, Any], host: HostSide) -> None:
        self.config: Dict[str, Any] = dict(config)
        self.info: Optional[Dict[str, Any]] = None
        self.process: Optional[Process] = None
        self.connection: Optional[_wire.Connection] = None
        self.closed = False
        self._o = options
        self._host = host
        self._starting = asyncio.Lock()
        self._watcher: Optional["asyncio.Task[None]"] = None
        self._failures = 0
        self._not_before = 0.0
        self._started_at = 0.0
        self._last_error: ExecExtError = ExtensionDied("exec-ext was not started")

    async def ask(self, connection: _wire.Connection, method: str, params: Dict[str, Any]) -> Any:
        """The answer in time; a process that gives none is ended."""
        request = asyncio.ensure_future(connection.request(method, params))
        try:
            done, _ = await asyncio.wait({request}, timeout=self._o.request_timeout)
        except asyncio.CancelledError:
            request.cancel()
            raise
        if not done:
            request.cancel()
            raise self.give_up(connection, f"{method} was not answered within {self._o.request_timeout:g} s")
        return request.result()

    def give_up(self, connection: _wire.Connection, why: str) -> ExtensionDied:
        """Ends a process that does not answer."""
        error = Unresponsive(f"exec-ext hangs: {why}")
        if self.connection is connection and self.process is not None:
            self.connection = None
            connection.close(error)
            self.process.kill()
        return error

    async def ready(self, wait_out: bool = False) -> _wire.Connection:
        """The connection to a running process, started if need be. Within the pause after repeated deaths the last
        error is raised instead, unless `wait_out`."""
        async with self._starting:
            if self.closed:
                raise ExtensionDied("exec-ext was closed by the host")
            if self.connection is not None:
                return self.connection
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
        self._host.report(error)

    def _command(self) -> List[str]:
        if self._o.binary is None or isinstance(self._o.binary, (str, os.PathLike)):
            command = [_binary.find(self._o.binary)]
        else:
            command = [os.fspath(part) for part in self._o.binary]
        command.append("serve")
        if self._o.require_isolation is not None:
            command += ["--require-isolation", self._o.require_isolation]
        return command

    async def _start(self) -> _wire.Connection:
        command = self._command()
        process = await spawn(command, self._o.env, self._o.on_log)
        connection = _wire.Connection(
            process.stdout, process.stdin, self._host.handlers, self._host.notified, self._o.max_message_bytes
        )
        reading = asyncio.get_running_loop().create_task(connection.run())
        hello = asyncio.get_running_loop().create_task(connection.request("initialize", self._hello()))
        try:
            await asyncio.wait({reading, hello}, timeout=self._o.start_timeout, return_when=asyncio.FIRST_COMPLETED)
            if not hello.done():
                if reading.done():
                    await self._raise_failed(process, reading.result(), command)
                raise StartTimeout(self._o.start_timeout)
            info = _checked(hello)
        except BaseException:
            hello.cancel()
            reading.cancel()
            process.kill()
            await process.end(_GOODBYE_SECONDS)
            raise
        connection.notify("initialized", {})
        self.info, self.process, self.connection = info, process, connection
        self._started_at = time.monotonic()
        self._watcher = asyncio.get_running_loop().create_task(self._watch(process, connection, reading))
        return connection

    async def _raise_failed(self, process: Process, why: str, command: List[str]) -> None:
        code = await process.end(_GOODBYE_SECONDS)
        if code == _EXIT_ISOLATION and self._o.require_isolation is not None:
            next_step = "Ask for a lower `require_isolation`, or run on a machine that gives more"
            raise IsolationTooLow(why, code, process.stderr(), next_step)
        by_hand = subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)
        raise StartFailed(why, code, process.stderr(), command=by_hand)

    def _hello(self) -> Dict[str, Any]:
        can: Dict[str, Any] = {"maxMessageBytes": self._o.max_message_bytes}
        if self._host.funnel.pool is not None:
            can["pool"] = {}
        if self._host.funnel.call_tool is not None:
            can["callTool"] = {"permission": self._host.funnel.gate}
        if self._host.funnel.progress is not None:
            can["progress"] = True
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "clientInfo": self._o.client_info,
            "processId": os.getpid(),
            "capabilities": can,
            "config": self.config,
        }

    async def _watch(self, process: Process, connection: _wire.Connection, reading: "asyncio.Task[str]") -> None:
        why = await reading
        if self.process is process:
            self.connection = self.process = None
        if not self.closed:
            process.kill()
        code = await process.end(_GOODBYE_SECONDS)
        if time.monotonic() - self._started_at > _HEALTHY_SECONDS:
            self._failures = 0
        error = ExtensionDied(f"exec-ext is gone: {why} (exit code {code})")
        connection.close(error)
        if not self.closed:
            self._failed(error)

    def worked(self) -> None:
        """Something useful came of this process: its next death is a first one."""
        self._failures = 0

    async def close(self) -> None:
        """Ends the process in order, or if that takes too long by force."""
        self.closed = True
        async with self._starting:
            connection, process = self.connection, self.process
        if connection is not None:
            try:
                await asyncio.wait_for(connection.request("shutdown", {}), _GOODBYE_SECONDS)
            except (asyncio.TimeoutError, ExecExtError):
                pass  # late or refused: it is told to go all the same
            connection.notify("exit", {})
        if process is not None:
            await process.end(_GOODBYE_SECONDS)
        if self._watcher is not None:
            await asyncio.wait({self._watcher})


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
