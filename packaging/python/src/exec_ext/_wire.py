"""JSON-RPC 2.0 over a pair of byte streams, one message a line."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Set

from .errors import ExtensionDied, RequestError

Handler = Callable[[Any, str], Awaitable[Any]]
"""Answers one request: its params, and the whole line they came in."""
OnNotification = Callable[[str, Any], None]

_CHUNK = 1 << 16
_ID = re.compile(r'"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")')


def dumps(value: Any) -> str:
    """Compact JSON, ASCII only: lone surrogates survive. ValueError or TypeError for what JSON can't say."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def raw_member(text: str, *path: str) -> Optional[str]:
    """The text of one member of a JSON object, exactly as it was spelled; None if it is not there. Of equal
    keys the last counts, as with `json.loads`."""
    decoder = json.JSONDecoder()
    for key in path:
        found = None
        at = _skip(text, 0)
        if text[at : at + 1] != "{":
            return None
        at = _skip(text, at + 1)
        while text[at] != "}":
            name, at = decoder.raw_decode(text, at)
            start = _skip(text, _skip(text, at) + 1)
            _, end = decoder.raw_decode(text, start)
            if name == key:
                found = text[start:end]
            at = _skip(text, end)
            if text[at] == ",":
                at = _skip(text, at + 1)
        if found is None:
            return None
        text = found
    return text


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


class Connection:
    """One end of a conversation. All methods belong to the loop that `run` runs in."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        handlers: Mapping[str, Handler],
        on_notification: OnNotification,
        max_message_bytes: int,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._handlers = handlers
        self._on_notification = on_notification
        self._max = max_message_bytes
        self._next_id = 0
        self._waiting: Dict[int, "tuple[str, asyncio.Future[Any]]"] = {}
        self._serving: Dict[str, "asyncio.Task[None]"] = {}
        self._tasks: Set["asyncio.Task[None]"] = set()
        self._drain = asyncio.Lock()
        self._closed: Optional[ExtensionDied] = None

    async def run(self) -> str:
        """Reads until the peer's stream ends or makes no sense; returns why, in words."""
        pending: List[bytes] = []
        size = 0
        while True:
            chunk = await self._reader.read(_CHUNK)
            if not chunk:
                return "its output ended in the middle of a message" if size else "its output ended"
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                pending.append(line)
                problem = self._message(b"".join(pending))
                if problem:
                    return problem
                pending, size = [], 0
            pending.append(rest)
            size += len(rest)
            if size > self._max:
                return f"it sent a message of more than {self._max} bytes"

    def close(self, error: ExtensionDied) -> None:
        """Fails whatever waits, and every later request, with error."""
        self._closed = error
        for _, future in self._waiting.values():
            if not future.done():
                future.set_exception(error)
        self._waiting.clear()
        for task in list(self._tasks):
            task.cancel()

    async def request(self, method: str, params: Any) -> Any:
        """The peer's result. RequestError is its refusal, ExtensionDied its end. When the awaiting task is
        cancelled the peer is told, and its answer ignored."""
        future, ident = self.send_request(method, params)
        try:
            await self.flush()
            return await future
        except asyncio.CancelledError:
            self._waiting.pop(ident, None)
            self.notify("$/cancelRequest", {"id": ident})
            raise

    def send_request(self, method: str, params: Any) -> "tuple[asyncio.Future[Any], int]":
        """Sends without waiting: the future of the result, and the request's id."""
        if self._closed:
            raise self._closed
        self._next_id += 1
        ident = self._next_id
        text = dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        future: "asyncio.Future[Any]" = asyncio.get_running_loop().create_future()
        future.add_done_callback(_retrieve)
        self._waiting[ident] = (method, future)
        self._write(text)
        return future, ident

    def notify(self, method: str, params: Any) -> None:
        """Sends a notification, if the peer still lives."""
        if not self._closed:
            self._write(dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    async def flush(self) -> None:
        """Waits while the peer reads too slowly."""
        try:
            async with self._drain:
                await self._writer.drain()
        except (ConnectionError, RuntimeError):
            pass  # the reading side says why

    def _write(self, text: str) -> None:
        try:
            self._writer.write(text.encode("ascii") + b"\n")
        except (ConnectionError, RuntimeError):
            pass

    def _message(self, line: bytes) -> Optional[str]:
        """Handles one line; the text of what is wrong with it ends the connection."""
        if not line.strip():
            return None
        try:
            text = line.decode("utf-8")
            message = json.loads(text)
        except RecursionError:
            return self._too_deep(line.decode("utf-8"))
        except ValueError:
            return f"it wrote a line that is no message ({len(line)} bytes)"
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return "it wrote a line that is no JSON-RPC message"
        method = message.get("method")
        if method is None:
            return self._answer(message)
        if not isinstance(method, str):
            return "it wrote a message whose method is no text"
        if "id" not in message:
            self._notification(method, message.get("params"))
        else:
            self._request(method, message, text)
        return None

    def _too_deep(self, text: str) -> Optional[str]:
        found = _ID.search(text)
        if not found:
            return "it wrote a message nested too deeply to be read"
        if '"method"' in text[: found.start()] or '"method"' in text[found.end() : found.end() + 200]:
            self._reply_error(found.group(1), -32603, "the arguments are nested too deeply for this host")
            return None
        return self._answer(
            {
                "id": json.loads(found.group(1)),
                "error": {"code": -32603, "message": "the answer is nested too deeply to be read"},
            }
        )

    def _answer(self, message: Dict[str, Any]) -> Optional[str]:
        ident = message.get("id")
        if isinstance(ident, bool) or not isinstance(ident, int):
            return None  # an answer to nothing of ours: -32700 and the like come with id null
        method, future = self._waiting.pop(ident, ("", None))
        if future is None or future.done():
            return None
        error = message.get("error")
        if isinstance(error, dict):
            code = error.get("code")
            future.set_exception(
                RequestError(
                    method, code if isinstance(code, int) else 0, str(error.get("message")), error.get("data")
                )
            )
        elif "result" in message:
            future.set_result(message["result"])
        else:
            future.set_exception(RequestError(method, 0, "the answer has neither result nor error"))
        return None

    def _notification(self, method: str, params: Any) -> None:
        if method == "$/cancelRequest":
            ident = params.get("id") if isinstance(params, dict) else None
            task = self._serving.get(dumps(ident))
            if task:
                task.cancel()
            return
        self._on_notification(method, params)

    def _request(self, method: str, message: Dict[str, Any], text: str) -> None:
        raw_id = raw_member(text, "id") or "null"
        handler = self._handlers.get(method)
        if handler is None:
            self._reply_error(raw_id, -32601, f"no method {method}")
            return
        key = dumps(message["id"])
        task = asyncio.get_running_loop().create_task(self._serve(handler, message.get("params"), text, raw_id))
        self._tasks.add(task)
        self._serving[key] = task

        def done(t: "asyncio.Task[None]") -> None:
            self._tasks.discard(t)
            if self._serving.get(key) is t:
                del self._serving[key]
            if t.cancelled():  # perhaps before it began
                self._reply_error(raw_id, -32800, "cancelled")

        task.add_done_callback(done)

    async def _serve(self, handler: Handler, params: Any, text: str, raw_id: str) -> None:
        try:
            result = dumps(await handler(params, text))
        except Exception as e:  # handlers make an outcome of everything; this is the last net
            self._reply_error(raw_id, -32603, f"the host failed: {type(e).__name__}")
            return
        if not self._closed:
            self._write(f'{{"jsonrpc":"2.0","id":{raw_id},"result":{result}}}')
            await self.flush()

    def _reply_error(self, raw_id: str, code: int, message: str) -> None:
        if not self._closed:
            error = dumps({"code": code, "message": message, "data": {"kind": "host", "retryable": False}})
            self._write(f'{{"jsonrpc":"2.0","id":{raw_id},"error":{error}}}')


def _retrieve(future: "asyncio.Future[Any]") -> None:
    """Marks an error as seen, so that nobody complains when no one awaits it."""
    if not future.cancelled():
        future.exception()


