"""What the model may read of this package's making: only when exec-ext itself can't answer."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .types import CallRecord, ExecResult

NOT_STARTED = (
    "Exec could not run the script: its service is not running and could not be started. Nothing was called. "
    "Try again once; if that fails too, tell the user that Exec is out of order."
)
DIED = "Exec's service ended unexpectedly while the script ran."
NO_RESULT = "Exec's service gave no readable result. Check what is already done before you run a script again."
CANCELLED = "The run was cancelled."
CANCELLED_EARLY = "The run was cancelled before the script started. Nothing was called."
DONE = "Completed calls, which remain in effect: {}."
MAYBE = "These calls were under way and may or may not have taken effect: {}."
NEXT = "Check what is already done before you run a script again."
NO_CALLS = "No tool had been called. You may run the script again."


def early(reason: Optional[str]) -> str:
    """What is said of a run that was cancelled before it was sent."""
    return CANCELLED_EARLY + (f" Reason given: {reason}" if reason else "")


def failed(run_id: str, status: str, kind: str, text: str, calls: List[CallRecord]) -> ExecResult:
    """A failed result in the protocol's shape."""
    result: Dict[str, Any] = {
        "runId": run_id,
        "isError": True,
        "status": status,
        "errorKind": kind,
        "content": [{"type": "text", "text": text}],
        "logs": {"text": "", "chars": 0, "truncated": False},
        "error": {"name": "Error", "message": text},
        "summary": {"text": "failed", "total": len(calls), "state": "failed"},
        "calls": calls,
        "stats": {"wallMs": 0, "activeMs": 0, "queuedMs": 0},
    }
    return result  # type: ignore[return-value]


def died(run_id: str, calls: List[CallRecord], cancelled: bool = False) -> ExecResult:
    """The result of a run that the extension's end cut off; one that had been cancelled is just that."""
    done = [c["name"] for c in calls if c["status"] in ("ok", "error")]
    maybe = [c["name"] for c in calls if c["status"] == "in_flight"]
    parts = [CANCELLED if cancelled else DIED]
    if done:
        parts.append(DONE.format(", ".join(done)))
    if maybe:
        parts.append(MAYBE.format(", ".join(maybe)))
    if not cancelled:
        parts.append(NEXT if done or maybe else NO_CALLS)
    status, kind = ("cancelled", "cancelled") if cancelled else ("sandbox_error", "crash")
    return failed(run_id, status, kind, " ".join(parts), calls)
