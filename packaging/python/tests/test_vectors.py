"""The conformance vectors through the Python client: runs, catalogs, searches and conversations.

Those made of single messages, and those about hosts that answer oddly, are not for a client: it sends what it should.
"""

import asyncio
import hashlib
import json
import unittest

from support import BINARY
from vectors import Session, code_of, fits, funnel, load, text, tool

from exec_ext import ExecExt, RequestError
from exec_ext.types import PoolSnapshot

if not BINARY:
    raise unittest.SkipTest("EXEC_EXT_TEST_BINARY is not set")

ODD = ("answer", "twice")
NOT_OURS = {
    "ext.catalog.defaults-spelling": "a Python host has its schemas parsed: 1.50 is 1.5 there",
}


def clients_business(vector):
    """Whether a client can play the vector's part of the host."""
    if vector["id"] in NOT_OURS:
        return False
    if "steps" in vector or "capabilities" in vector or vector.get("open") is False:
        return False
    return not any(odd in how for hows in vector.get("host", {}).values() for how in hows for odd in ODD) and not any(
        "answer" in how for hows in vector.get("gate", {}).values() for how in hows
    )


class VectorsTest(unittest.IsolatedAsyncioTestCase):
    async def play(self, form, most=4):
        chosen = [v for v in load() if form in v and clients_business(v)]
        self.assertTrue(chosen)
        groups = {}
        for vector in chosen:
            key = json.dumps([vector.get("config", {}), vector.get("permission", "inFunnel")], sort_keys=True)
            groups.setdefault(key, []).append(vector)
        for key, vectors in groups.items():
            config, gate = json.loads(key)
            sessions = {}
            async with ExecExt(funnel(sessions, gate), config=config, binary=BINARY) as self.ext:
                self.sessions = sessions
                slots = asyncio.Semaphore(most)

                async def one(vector):
                    async with slots:
                        sessions[vector["id"]] = Session(vector)
                        return await getattr(self, "play_" + form)(vector["id"], vector[form], sessions[vector["id"]])

                for vector, problem in zip(vectors, await asyncio.gather(*map(one, vectors))):
                    with self.subTest(vector["id"], title=vector["title"]):
                        self.assertIsNone(problem)
        print(f"{len(chosen)} vectors of the form {form}")

    async def test_runs(self):
        await self.play("run")

    async def play_run(self, session, run, host):
        input = run["input"] if "input" in run else {"code": code_of(run)}
        pool = PoolSnapshot(status="unavailable", reason="no manager in this session") if run.get("noPool") else None
        handle = self.ext.start_run(session, input, limits=run.get("limits"), exec=run.get("exec", "on"), pool=pool)
        if "cancelRun" in run:
            handle.cancel(run["cancelRun"])
        got = await handle
        want = {"status": "completed"}
        if "kind" in run:
            want = {"errorKind": run["kind"]}
        if "status" in run:
            want.pop("status", None)
            if run["status"] != "any":
                want["status"] = run["status"]
        for name, pattern in (("value", ["returnValue"]), ("logs", ["logs", "text"]), ("error", ["error", "message"])):
            if name in run:
                want.update(nest(pattern, run[name]))
        if "warnings" in run:
            want["warnings"] = run["warnings"]
        problems = [fits(want, got)]
        if "valueText" in run:
            problems.append(fits({"returnValue": json.loads(text(run["valueText"]))}, got))
        if "text" in run:
            problems.append(fits(run["text"], got["content"][0]["text"]))
        if "result" in run:
            problems.append(fits(run["result"], got))
        if "calls" in run and "cancelRun" not in run:
            problems.append(fits(run["calls"], host.calls))
        if "mostInFlight" in run:
            problems.append(fits(run["mostInFlight"], host.most_in_flight))
        return next((p for p in problems if p), None)

    async def test_renders(self):
        await self.play("render")

    async def play_render(self, session, render, host):
        got = await self.ext.render(session, budget_tokens=render.get("budgetTokens"))
        host.tools = host.tools[::-1]
        again = await self.ext.render(session, budget_tokens=render.get("budgetTokens"))
        want = dict(render.get("result", {}))
        if "has" in render:
            want["text"] = render["has"]
        problems = [fits(want, got), fits(got["text"], again["text"])]
        if "text" in render:
            problems.append(fits(text(render["text"]), got["text"]))
        problems.append(fits(hashlib.sha256(got["text"].encode("utf-8", "surrogatepass")).hexdigest(), got["digest"]))
        return next((p for p in problems if p), None)

    async def test_searches(self):
        await self.play("search")

    async def play_search(self, session, search, host):
        given = json.dumps(search["input"]) if "input" in search else ""
        script = f'return await tools["$codemode"].search({given});'
        ran = await self.ext.run(session, {"code": script})
        try:
            items = await self.ext.search(session, search.get("input", {}))
        except RequestError as e:
            return fits(search.get("error", "no error"), e.message) or fits({"isError": True}, ran)
        if "error" in search:
            return f"an error is wanted, got {items!r}"
        return fits(search["items"], items) or fits({"returnValue": items}, ran)

    async def test_turns(self):
        chosen = [v for v in load() if "turns" in v and clients_business(v)]
        self.assertTrue(chosen)
        for vector in chosen:
            for whole in (True, False):
                with self.subTest(vector["id"], title=vector["title"], whole=whole):
                    self.assertIsNone(await Conversation(vector, whole).play(vector["turns"]))
        print(f"{len(chosen)} vectors of the form turns")


class Conversation:
    """The form `turns`: with whole messages in the history, or with their marker lines alone."""

    def __init__(self, vector, whole):
        self.host = Session(vector)
        self.whole = whole
        self.history = []  # our messages, None for those that are gone, and other meta texts
        self.ours = []  # places of ours in it
        self.funnel = funnel({"s": self.host}, "inFunnel")
        self.config = vector.get("config")

    async def play(self, turns):
        ext = ExecExt(self.funnel, config=self.config, binary=BINARY)
        try:
            for number, turn in enumerate(turns):
                if "config" in turn:
                    await ext.update_config(turn["config"])
                if turn.get("restart"):
                    await ext.close()
                    await ext.start()
                problem = await self.turn(ext, turn)
                if problem:
                    return f"turn {number + 1}: {problem}"
        finally:
            await ext.close()
        return None

    async def turn(self, ext, turn):
        for n in range(len(self.ours)) if turn.get("forget") == "all" else turn.get("forget", []):
            self.history[self.ours[n]] = None
        self.history += [text(t) for t in turn.get("say", [])]
        if "tools" in turn:
            self.host.tools = [tool(t) for t in turn["tools"]]
        self.host.deny = turn.get("deny", self.host.deny)
        self.host.unavailable = bool(turn.get("noPool"))
        options = {"channel": turn["channel"]} if "channel" in turn else {}
        history = None if turn.get("channel") == "absent" else [t for t in self.history if t is not None]
        plan = await ext.prepare("s", history=history, exec=turn.get("exec", "on"), **options)
        problem = fits(turn.get("expect", {}), plan)
        message = plan["announcement"].get("message")
        if message:
            body, _, marker = message["text"].rpartition("\n")
            if not problem and "text" in turn:
                problem = fits(turn["text"], body)
            self.ours.append(len(self.history))
            self.history.append(message["text"] if self.whole else marker)
        elif not problem and "text" in turn:
            problem = "there is no message"
        return problem


def nest(path, value):
    for name in reversed(path):
        value = {name: value}
    return value
