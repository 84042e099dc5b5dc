"""The conformance vectors about well-formed messages on the pipe: what an extension must understand, the client's own
end of the connection must too."""

import asyncio
import json
import unittest

from vectors import load, text

from exec_ext._wire import Connection

OURS = "ndjson"


def about_frames(vector):
    """Whether the steps do nothing but write messages that are accepted, in a framing of this client's."""
    steps = vector.get("steps", [])
    if vector.get("open") is False or vector.get("framing", OURS) != OURS or not any("write" in s for s in steps):
        return False
    return all("write" in s or ids([s]) for s in steps)


def ids(steps):
    """The ids of the answers that steps wait for, if they are all results."""
    patterns = [p for s in steps for p in s.get("several", [s["expect"]] if "expect" in s else [])]
    return [p["id"] for p in patterns] if all("result" in p and p.get("id") is not None for p in patterns) else []


def bytes_of(piece):
    if isinstance(piece, str):
        return piece.encode()
    one = bytes.fromhex(piece["hex"]) if "hex" in piece else piece.get("text", "").encode()
    if "frame" in piece:
        one = text(piece["frame"]).encode() + b"\n"
    return one * piece.get("times", 1)


class Written:
    """A writer that keeps what it is given."""

    def __init__(self):
        self.all = b""

    def write(self, data):
        self.all += data

    async def drain(self):
        pass


class VectorFramesTest(unittest.IsolatedAsyncioTestCase):
    async def play(self, vector):
        reader, written, seen = asyncio.StreamReader(), Written(), []

        async def serve(params, line):
            seen.append(json.loads(line))
            return {}

        handlers = {method: serve for method in ("ping", "exec/run", "turn/prepare")}
        connection = Connection(reader, written, handlers, lambda method, params: None, 64 << 20)
        reading = asyncio.ensure_future(connection.run())
        for step in vector["steps"]:
            data = b"".join(map(bytes_of, step.get("write", [])))
            size = step.get("every", len(data))
            for at in range(0, len(data), size or 1):
                reader.feed_data(data[at : at + size])
                await asyncio.sleep(0)
        reader.feed_eof()
        ended = await reading
        while connection._tasks:
            await asyncio.gather(*connection._tasks)
        self.assertEqual(ended, "its output ended")
        answers = [json.loads(line) for line in written.all.splitlines()]
        self.assertEqual(answers, [{"jsonrpc": "2.0", "id": n, "result": {}} for n in ids(vector["steps"])])
        frames = [text(p["frame"]) for s in vector["steps"] for p in s.get("write", []) if "frame" in p]
        self.assertEqual(seen[: len(frames)], [json.loads(f) for f in frames])

    async def test_frames(self):
        chosen = [v for v in load() if about_frames(v)]
        self.assertTrue(chosen)
        for vector in chosen:
            with self.subTest(vector["id"], title=vector["title"]):
                await self.play(vector)
        print(f"{len(chosen)} vectors about frames")
