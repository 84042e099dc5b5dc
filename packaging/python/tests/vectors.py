"""The conformance vectors, read by this language: patterns, and a host that behaves as a vector's setting says.

conformance/INTERPRETING.md says what everything means. Values are held after parsing: the client gives no bytes of a
returned value.
"""

import asyncio
import json
import re
from pathlib import Path

from exec_ext import Funnel, cancelled, denied, result

FOLDER = Path(__file__).resolve().parents[3] / "conformance" / "vectors"
KNOWN = set(
    "id title scenarios level note framing timeoutMs open capabilities config permission process shared tools deny pools "
    "host gate manual steps run render search turns".split()
)


def load():
    """All vectors about extensions."""
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        for vector in json.loads(path.read_text(encoding="utf-8")).get("vectors", []):
            if vector["id"].startswith("ext."):
                if not KNOWN >= set(vector):
                    raise ValueError(f"{vector['id']}: unknown members {set(vector) - KNOWN}")
                found.append(vector)
    return found


def text(value):
    """A text: a string, or a list of lines."""
    return "\n".join(value) if isinstance(value, list) else value


def code_of(run):
    """The script of the form `run`."""
    times = run.get("codeTimes")
    return (times["piece"] * times["times"] if times else "") + text(run.get("code", ""))


def tool(spec):
    """A tool of the setting's pool."""
    if spec.startswith("{") if isinstance(spec, str) else False:
        return json.loads(spec)
    if isinstance(spec, str):
        last = spec.rsplit("_", 1)[-1]
        return {"name": spec, "description": f"Does {last}.", "inputSchema": {"type": "object"}}
    return spec


class Session:
    """What the host is in one session: pool, behaviours, and what it saw."""

    def __init__(self, vector):
        self.pools = list(vector.get("pools") or [])
        self.tools = [tool(t) for t in vector.get("tools") or []]
        self.deny = vector.get("deny") or []
        self.unavailable = False
        self._host = {k: list(v) for k, v in (vector.get("host") or {}).items()}
        self._gate = {k: list(v) for k, v in (vector.get("gate") or {}).items()}
        self.calls = []
        self.in_flight = self.most_in_flight = 0

    def pool(self):
        if self.pools:
            return self.pools.pop(0) if len(self.pools) > 1 else self.pools[0]
        if self.unavailable:
            return {"status": "unavailable", "reason": "no manager in this session"}
        return {"status": "ok", "tools": self.tools, "deny": self.deny}

    def permission(self, call):
        decision = _next(self._gate, call.name, {})
        if "deny" in decision:
            return decision["deny"]
        return cancelled() if "cancel" in decision else True

    async def call_tool(self, call):
        self.calls.append(f"{call.name} {call.raw_arguments}")
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._behave(_next(self._host, call.name, {"echo": True}), call)
        finally:
            self.in_flight -= 1

    async def _behave(self, how, call):
        await asyncio.sleep(how.get("delayMs", 0) / 1000)
        if "never" in how:
            await asyncio.Event().wait()
        if "error" in how:
            raise RuntimeError(how["error"]["message"])
        if "denied" in how:
            return denied(how["denied"])
        if "text" in how:
            return result({"content": [{"type": "text", "text": text(how["text"])}]})
        if "textTimes" in how:
            piece = how["textTimes"]["piece"] * how["textTimes"]["times"]
            return result({"content": [{"type": "text", "text": piece}]})
        if "structured" in how:
            return result({"content": [], "structuredContent": json.loads(text(how["structured"]))})
        if "result" in how:
            return result(how["result"])
        return result({"content": [], "structuredContent": {"args": call.arguments}})


def _next(queues, name, otherwise):
    queue = queues.get(name)
    if not queue:
        return otherwise
    return queue.pop(0) if len(queue) > 1 else queue[0]


def funnel(sessions, gate):
    """One host for many sessions."""
    return Funnel(
        lambda call: sessions[call.session_id].call_tool(call),
        lambda request: sessions[request.session_id].pool(),
        (lambda call: sessions[call.session_id].permission(call)) if gate == "separate" else None,
        gate=gate,
    )


ABSENT = object()


def fits(pattern, value, bound=None, at="$"):
    """The first difference of value from pattern, in words; None if it fits."""
    bound = {} if bound is None else bound
    if isinstance(pattern, dict) and pattern and all(k.startswith("$") for k in pattern):
        for operator, operand in pattern.items():
            problem = _operator(operator, operand, value, bound, at)
            if problem:
                return problem
        return None
    if value is ABSENT:
        return f"{at} is not there"
    if isinstance(pattern, dict):
        if not isinstance(value, dict):
            return f"{at}: {value!r} is no object"
        return _first(fits(p, value.get(k, ABSENT), bound, f"{at}.{k}") for k, p in pattern.items())
    if isinstance(pattern, list):
        if not isinstance(value, list) or len(value) != len(pattern):
            return f"{at}: {value!r} is not {pattern!r}"
        return _first(fits(p, v, bound, f"{at}[{i}]") for i, (p, v) in enumerate(zip(pattern, value)))
    same = pattern == value and isinstance(pattern, bool) == isinstance(value, bool)
    return None if same else f"{at}: {value!r} is not {pattern!r}"


def _first(problems):
    return next((p for p in problems if p), None)


_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def _is(kind, value):
    if kind in ("number", "integer"):
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return isinstance(value, (int, float)) and not isinstance(value, bool) and (kind == "number" or whole)
    return isinstance(value, _TYPES[kind])


def _operator(operator, operand, value, bound, at):
    if operator == "$absent":
        return None if (value is ABSENT) == operand else f"{at}: {value!r} is there"
    if value is ABSENT:
        return f"{at} is not there"
    held = {
        "$any": lambda: True,
        "$type": lambda: _is(operand, value),
        "$contains": lambda: all(_contains(value, o, bound) for o in operand),
        "$lacks": lambda: not any(_contains(value, o, bound) for o in operand),
        "$match": lambda: isinstance(value, str) and re.search(operand, value) is not None,
        "$json": lambda: json.loads(operand) == value,
        "$atLeast": lambda: value >= operand,
        "$atMost": lambda: value <= operand,
        "$length": lambda: fits(operand, _length(value), bound) is None,
        "$oneOf": lambda: sum(fits(o, value, bound) is None for o in operand) >= 1,
        "$all": lambda: all(fits(o, value, bound) is None for o in operand),
        "$only": lambda: fits(operand, value, bound) is None and set(value) <= set(operand),
        "$each": lambda: isinstance(value, list) and all(fits(operand, v, bound) is None for v in value),
        "$bind": lambda: bound.setdefault(operand, value) is value or True,
        "$ref": lambda: bound.get(operand, ABSENT) == value,
    }
    if operator not in held:
        raise ValueError(f"unknown operator {operator}")
    return None if held[operator]() else f"{at}: {str(value)[:400]!r} is not {operator} {operand!r}"


def _contains(value, pattern, bound):
    if isinstance(value, str):
        return pattern in value
    return any(fits(pattern, v, bound) is None for v in value)


def _length(value):
    return len(value.encode("utf-16-le", "surrogatepass")) // 2 if isinstance(value, str) else len(value)
