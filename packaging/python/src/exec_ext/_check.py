"""What a host's author may get wrong in a call: told as TypeError or ValueError, before anything is asked."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional

from . import _wire
from .funnel import NotAPool, as_snapshot

_STATES = ("on", "not_registered", "denied", "excluded")
_CHANNELS = ("available", "absent")


def text(name: str, value: object) -> None:
    """A str that is not empty."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if not value:
        raise ValueError(f"{name} must not be empty")


def prepare(session_id: object, history: object, exec: object, pool: object, channel: object) -> None:
    """The arguments of `ExecExt.prepare`."""
    text("session_id", session_id)
    _one_of("exec", exec, _STATES)
    if channel is not None:
        _one_of("channel", channel, _CHANNELS)
    if history is not None and (
        isinstance(history, (str, bytes, Mapping))
        or not isinstance(history, Iterable)
        or not all(isinstance(t, str) for t in history)
    ):
        raise TypeError("history must be a list of str: the texts of announcements")
    _pool(pool)


def run(
    session_id: object, input: object, run_id: object, exec: object, pool: object, limits: object, parent: object
) -> None:
    """The arguments of `ExecExt.start_run` and `run`."""
    text("session_id", session_id)
    for name, value in (("run_id", run_id), ("parent_run_id", parent)):
        if value is not None:
            text(name, value)
    _one_of("exec", exec, _STATES)
    if limits is not None and not isinstance(limits, Mapping):
        raise TypeError(f"limits must be a dict, not {type(limits).__name__}")
    _pool(pool)
    try:
        _wire.dumps(input)
    except (TypeError, ValueError, RecursionError) as e:
        raise TypeError(f"input must be what JSON can say: {e}") from e


def _one_of(name: str, value: object, known: "tuple[str, ...]") -> None:
    if value not in known:
        raise ValueError(f"{name} must be {' or '.join(known)}, not {value!r}")


def _pool(value: Optional[Any]) -> None:
    if value is None:
        return
    try:
        as_snapshot(value, None)
    except NotAPool as e:
        raise TypeError(f"pool must be a PoolSnapshot: {e}") from e
