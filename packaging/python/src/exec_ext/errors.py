"""What can go wrong between a host and exec-ext; every error says what to do next in ``next_step``."""

from __future__ import annotations

from typing import Any, Sequence


class ExecExtError(Exception):
    """The base of all errors here. ``next_step`` is one sentence for the person who runs the host."""

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(f"{message}. {next_step}")
        self.message = message
        self.next_step = next_step


class BinaryNotFound(ExecExtError):
    """No exec-ext program was found. ``tried`` lists the places in the order they were looked at."""

    def __init__(self, tried: Sequence[str]) -> None:
        super().__init__(
            "exec-ext was not found; tried: " + "; ".join(tried),
            "Install a wheel for this platform, or give the program's path as `binary` or in EXEC_EXT_PATH",
        )
        self.tried = list(tried)


class NotExecutable(ExecExtError):
    """The program is there but may not be run."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path} cannot be run: {why}", f"Check the file's permissions (chmod +x '{path}')")
        self.path = path


class WrongPlatform(ExecExtError):
    """The program was built for another system or processor."""

    def __init__(self, path: str, here: str) -> None:
        super().__init__(
            f"{path} is not a program for this platform ({here})",
            "Install the wheel for this platform, or build exec-ext here and give its path as `binary`",
        )
        self.path = path


class StartFailed(ExecExtError):
    """exec-ext ended, or wrote what is no message, before it answered `initialize`. ``exit_code`` is negative for
    a signal (posix); ``stderr`` is the end of its log."""

    def __init__(
        self, why: str, exit_code: int, stderr: str, next_step: str | None = None, command: str = "exec-ext serve"
    ) -> None:
        said = f"; its log ends: {stderr.strip()[-600:]}" if stderr.strip() else ""
        super().__init__(
            f"exec-ext failed at its start: {why} (exit code {exit_code}){said}",
            next_step or f"Run `{command}` by hand to see why",
        )
        self.exit_code = exit_code
        self.stderr = stderr


class IsolationTooLow(StartFailed):
    """This machine gives less isolation than `require_isolation` asks for."""


class StartTimeout(ExecExtError):
    """exec-ext did not answer `initialize` in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"exec-ext did not answer within {seconds:g} s",
            "Check that the program is exec-ext, or raise `start_timeout` on a slow machine",
        )


class VersionMismatch(ExecExtError):
    """The program speaks no protocol version that this package knows."""

    def __init__(self, wanted: int, supported: object) -> None:
        super().__init__(
            f"exec-ext speaks protocol version {supported}, this package version {wanted}",
            "Install the package and the program from the same release",
        )
        self.wanted = wanted
        self.supported = supported


class ExtensionDied(ExecExtError):
    """exec-ext is gone, or what it writes can no longer be read. The next call starts it again."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "Call again: it is restarted; if this repeats, look at its log (`on_log`)")


class Unresponsive(ExtensionDied):
    """exec-ext lives but does not answer; it is ended, and the next call starts it again."""


class RequestError(ExecExtError):
    """exec-ext refused a request: the host's code has a mistake. ``code`` and ``data`` are JSON-RPC's."""

    def __init__(self, method: str, code: int, message: str, data: Any = None) -> None:
        at = data.get("path") if isinstance(data, dict) else None
        super().__init__(
            f"{method}: {message} ({code})" + (f" at {at}" if at else ""),
            "Correct the request; the protocol's section 5 explains the codes",
        )
        self.method = method
        self.code = code
        self.data = data
