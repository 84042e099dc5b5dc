"""Where the exec-ext program is: argument, EXEC_EXT_PATH, the wheel's own, PATH."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path

from .errors import BinaryNotFound, NotExecutable

ENV_PATH = "EXEC_EXT_PATH"
NAME = "exec-ext.exe" if sys.platform == "win32" else "exec-ext"


def here() -> str:
    """This platform in words, for messages."""
    return f"{sys.platform} {platform.machine()}"


def packaged() -> Path:
    """Where a wheel puts the program; a source install has none there."""
    return Path(__file__).resolve().parent / "bin" / NAME


def find(binary: str | os.PathLike[str] | None = None) -> str:
    """The path of the program. A place that was named (argument, environment) and holds no program is an
    error and not passed over; BinaryNotFound lists what was tried, NotExecutable says what is in the way."""
    if binary is not None:
        return _named("the `binary` argument", os.fspath(binary))
    from_env = os.environ.get(ENV_PATH)
    if from_env:
        return _named(ENV_PATH, from_env)
    own = packaged()
    if own.is_file():
        return _runnable(str(own))
    on_path = shutil.which("exec-ext")
    if on_path is not None:
        return on_path
    raise BinaryNotFound(
        [
            "the `binary` argument: not given",
            f"{ENV_PATH}: not set",
            f"{own}: not there (no wheel for {here()}?)",
            "exec-ext on PATH: not there",
        ]
    )


def _named(place: str, path: str) -> str:
    if os.path.isfile(path):
        return _runnable(path)
    if os.sep not in path and (os.altsep is None or os.altsep not in path):
        on_path = shutil.which(path)
        if on_path is not None:
            return on_path
    raise BinaryNotFound([f"{place}: {path} is no file"])


def _runnable(path: str) -> str:
    if os.access(path, os.X_OK):
        return path
    if Path(path) == packaged():  # some installers drop the mode
        try:
            os.chmod(path, 0o755)
            return path
        except OSError:
            pass
    raise NotExecutable(path, "the file is not marked executable")
