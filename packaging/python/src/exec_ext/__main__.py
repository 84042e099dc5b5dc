"""The console command `exec-ext`: hands over to the program in the wheel."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NoReturn

from . import _binary
from .errors import ExecExtError


def main() -> NoReturn:
    """Becomes the program, with this command's arguments, environment and streams."""
    try:
        path = _binary.find()
    except ExecExtError as e:
        sys.exit(f"exec-ext: {e}")
    if _stem(path) == _stem(sys.argv[0]):  # PATH led back to this very command
        sys.exit(
            "exec-ext: this Python package has no program for this platform, and the only exec-ext on PATH is "
            f"its own command. Install the wheel for {_binary.here()}, or set {_binary.ENV_PATH}"
        )
    argv = [path, *sys.argv[1:]]
    if sys.platform == "win32":  # execv there loses the console's wait
        sys.exit(subprocess.call(argv))
    os.execv(path, argv)


def _stem(path: str) -> str:
    real = os.path.normcase(os.path.realpath(path))
    return real[:-4] if real.endswith(".exe") else real


if __name__ == "__main__":
    main()
