"""The exec-ext process: started, its log drained, ended."""

from __future__ import annotations

import asyncio
import collections
import errno
import os
import signal
import subprocess
import sys
from typing import Any, Callable, Deque, Dict, Mapping, Optional, Sequence

from . import _binary
from .errors import BinaryNotFound, ExecExtError, NotExecutable, WrongPlatform

_KEEP_LINES = 200
_LINE_BYTES = 8192
_WINDOWS_NOT_A_PROGRAM = (193, 216)


class Process:
    """A running exec-ext and the tail of its log."""

    def __init__(self, process: asyncio.subprocess.Process, on_log: Optional[Callable[[str], Any]]) -> None:
        assert process.stdout is not None and process.stdin is not None and process.stderr is not None
        self.stdout = process.stdout
        self.stdin = process.stdin
        self._process = process
        self._tail: Deque[str] = collections.deque(maxlen=_KEEP_LINES)
        self._on_log = on_log
        self._drained = asyncio.get_running_loop().create_task(self._drain(process.stderr))

    async def _drain(self, stderr: asyncio.StreamReader) -> None:
        line = b""
        while True:
            chunk = await stderr.read(_LINE_BYTES)
            if not chunk:
                break
            *lines, rest = chunk.split(b"\n")
            for piece in lines:
                self._log(line + piece)
                line = b""
            line = (line + rest)[:_LINE_BYTES]
        if line:
            self._log(line)

    def _log(self, line: bytes) -> None:
        text = line[:_LINE_BYTES].decode("utf-8", "replace").rstrip("\r")
        self._tail.append(text)
        if self._on_log:
            try:
                self._on_log(text)
            except Exception:
                self._on_log = None  # a broken log function is not called again

    def stderr(self) -> str:
        """The last lines of its log."""
        return "\n".join(self._tail)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def end(self, patience: float) -> int:
        """Closes its input, gives it this many seconds, then kills it. Returns its exit code."""
        self.stdin.close()
        try:
            code = await asyncio.wait_for(self._process.wait(), patience)
        except asyncio.TimeoutError:
            self.kill()
            code = await self._process.wait()
        await asyncio.wait({self._drained}, timeout=patience)  # a grandchild may hold the pipe open
        self._drained.cancel()
        return code

    def kill(self) -> None:
        """Ends it at once."""
        if self._process.returncode is not None:
            return
        try:
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.kill(self._process.pid, signal.SIGKILL)  # asyncio's kill may reap the exit code of a dead process
        except ProcessLookupError:
            pass


async def spawn(
    command: Sequence[str], env: Optional[Mapping[str, str]], on_log: Optional[Callable[[str], Any]]
) -> Process:
    """Starts command with pipes. The error is typed: no such file, not executable, wrong platform."""
    options: Dict[str, Any] = {}
    if sys.platform == "win32":
        options["creationflags"] = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    else:
        options["start_new_session"] = True  # a terminal's Ctrl-C is the host's to handle
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=None if env is None else dict(env),
            limit=1 << 20,
            **options,
        )
    except OSError as e:
        raise _typed(command[0], e) from e
    return Process(process, on_log)


def _typed(path: str, error: OSError) -> ExecExtError:
    if error.errno == errno.ENOEXEC or getattr(error, "winerror", None) in _WINDOWS_NOT_A_PROGRAM:
        return WrongPlatform(path, _binary.here())
    if isinstance(error, PermissionError):
        return NotExecutable(path, "permission denied")
    if isinstance(error, FileNotFoundError):
        if os.path.exists(path):
            return NotExecutable(path, "the interpreter or loader that it names is missing")
        return BinaryNotFound([f"{path}: no such file"])
    return NotExecutable(path, str(error))
