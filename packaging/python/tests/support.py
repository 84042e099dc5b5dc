"""What the tests share."""

import logging
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FAKE = HERE / "fake_extension.py"
BINARY = os.environ.get("EXEC_EXT_TEST_BINARY")  # the program under test; the Go wrapper builds it
logging.getLogger("exec_ext").addHandler(logging.NullHandler())  # most hosts here leave `permission` out on purpose


def fake(mode="ok"):
    """The command of the test double in this mode."""
    return [sys.executable, str(FAKE), mode]


class Starts:
    """Counts how often the double was started."""

    def __init__(self):
        handle, self._path = tempfile.mkstemp()
        os.close(handle)
        self.env = {**os.environ, "FAKE_STARTS": self._path}

    def __len__(self):
        return os.path.getsize(self._path)


def text_result(text):
    """A CallToolResult with one text block."""
    return {"content": [{"type": "text", "text": text}]}


def steps(*list_of_steps):
    """An input of exec/run for the double."""
    return {"steps": list(list_of_steps)}


def call(name="mcp__s__t", **more):
    """The step that calls a leaf."""
    return {"do": "call", "name": name, **more}
