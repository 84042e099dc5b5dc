"""The conformance vectors made of steps, through the Python client: those whose messages a client sends and takes.

What is about bytes, the handshake, and requests or answers that break the protocol is not for a client.
"""

import asyncio
import unittest

from support import BINARY
from vectors import Session, fits, load

from exec_ext import ExecExt, Funnel, RequestError

if not BINARY:
    raise unittest.SkipTest("EXEC_EXT_TEST_BINARY is not set")

STEP_SECONDS = 20.0
STEPS = set(
    "call start as finish params paramsText result error withinMs notify send sendText invalid write every expect several "
    "maybe none calls stderr pauseMs hold close hostDies exit note".split()
)
BYTES = set("sendText paramsText write stderr hold close hostDies exit invalid".split())
PARAMS = {
    "exec/run": {"sessionId", "runId", "input", "exec", "pool", "limits", "parentRunId"},
    "turn/prepare": {"sessionId", "exec", "pool", "channel", "history"},
    "catalog/render": {"sessionId", "pool", "budgetTokens"},
    "catalog/search": {"sessionId", "pool", "input"},
    "config/update": {"patch"},
    "extension/health": {"selfTest"},
    "ping": set(),
}


def plays(vector):
    """Whether a client can play the vector."""
    if vector.get("open") is False or "capabilities" in vector or "process" in vector:
        return False
    answers = [how for hows in (*vector.get("host", {}).values(), *vector.get("gate", {}).values()) for how in hows]
    if any("answer" in how or "twice" in how or "error" in how for how in answers):
        return False
    if any(not _is_pool(pool) for pool in vector.get("pools", [])):
        return False
    return all(_plays_step(step, vector) for step in vector["steps"])


def _plays_step(step, vector):
    if not STEPS >= set(step):
        raise ValueError(f"{vector['id']}: unknown members {set(step) - STEPS}")
    if BYTES & set(step):
        return False
    method = step.get("call", step.get("start"))
    params = step.get("params", {})
    if method and (not PARAMS.get(method, set()) >= set(params) or method not in PARAMS or not _is_pool(params.get("pool"))):
        return False
    if method == "turn/prepare" and "error" in step:  # the client gives a flat plan
        return False
    if step.get("notify", "exec/cancel") != "exec/cancel" or ("send" in step and "manual" not in vector):
        return False
    patterns = [step[k] for k in ("expect", "maybe", "none") if k in step] + step.get("several", [])
    return all(p.get("method") in ("host/callTool", "host/permission", "exec/progress", "$/cancelRequest") for p in patterns) and not any(
        "grant" in p.get("params", {}) for p in patterns
    )


def _is_pool(pool):
    return pool is None or pool.get("status") == "unavailable" or (pool.get("status") == "ok" and isinstance(pool.get("tools"), list))


class Host(Session):
    """The vector's host; what its steps answer by hand waits in `inbox`, as on the wire."""

    def __init__(self, vector):
        super().__init__(vector)
        self._manual = vector.get("manual", [])
        self._waiting = {}
        self.inbox = []
        self._came = asyncio.Event()

    def arrive(self, method, params, **more):
        self.inbox.append({"method": method, "params": params, **more})
        self._came.set()

    async def permission(self, call):
        if "host/permission" in self._manual:
            return await self._by_hand("host/permission", call)
        return super().permission(call)

    async def call_tool(self, call):
        if "host/callTool" in self._manual:
            return await self._by_hand("host/callTool", call)
        return await super().call_tool(call)

    async def _by_hand(self, method, call):
        number = len(self._waiting) + 1
        self._waiting[number] = asyncio.get_running_loop().create_future()
        params = {"sessionId": call.session_id, "runId": call.run_id, "callId": call.call_id, "index": call.index}
        self.arrive(method, {**params, "name": call.name, "arguments": call.arguments}, id=number)
        try:
            return await self._waiting[number]
        except asyncio.CancelledError:
            self.arrive("$/cancelRequest", {"id": number})
            raise

    def answer(self, message):
        """Answers what waits under the message's id."""
        future = self._waiting[message["id"]]
        if not future.done():
            future.set_result(message["result"])

    async def take(self, pattern, bound, seconds):
        """The first message that fits, now or within the time; None if there is none."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while True:
            for message in self.inbox:
                trial = dict(bound)
                if fits(pattern, message, trial) is None:
                    bound.update(trial)
                    self.inbox.remove(message)
                    return message
            if loop.time() >= until:
                return None
            self._came.clear()
            try:
                await asyncio.wait_for(self._came.wait(), until - loop.time())
            except asyncio.TimeoutError:
                pass


class Player:
    """Plays vectors, one after the other, through one client."""

    def __init__(self, config=None, gate="inFunnel"):
        self.host = None
        self.ext = ExecExt(
            Funnel(
                lambda call: self.host.call_tool(call),
                lambda request: self.host.pool(),
                (lambda call: self.host.permission(call)) if gate == "separate" else None,
                lambda progress: self.host.arrive("exec/progress", progress),
                gate=gate,
            ),
            config=config,
            binary=BINARY,
        )

    async def play(self, vector):
        """What is wrong; None if nothing is."""
        self.host, self.bound, self.started = Host(vector), {}, {}
        for number, step in enumerate(vector["steps"]):
            problem = await self.step(step)
            if problem:
                return f"step {number + 1}: {problem}"
        return None

    async def step(self, step):
        if "call" in step:
            return await self.finish(step, self.ask(step["call"], fill(step.get("params", {}), self.bound)))
        if "start" in step:
            self.started[step["as"]] = self.ask(step["start"], fill(step.get("params", {}), self.bound))
        elif "finish" in step:
            return await self.finish(step, self.started[step["finish"]])
        elif "notify" in step:
            params = step["params"]
            self.ext.cancel(params["sessionId"], params.get("runId"), params.get("reason"))
        elif "send" in step:
            self.host.answer(fill(step["send"], self.bound))
        elif "calls" in step:
            return fits(step["calls"], self.host.calls)
        elif "pauseMs" in step:
            await asyncio.sleep(step["pauseMs"] / 1000)
        elif "none" in step:
            came = await self.host.take(step["none"], self.bound, step["withinMs"] / 1000)
            return came and f"this must not come: {came}"
        elif "maybe" in step:
            await self.host.take(step["maybe"], self.bound, 0)
        else:
            for pattern in step.get("several") or [step["expect"]]:
                if not await self.host.take(pattern, self.bound, STEP_SECONDS):
                    return f"no message fits {pattern}; there are {self.host.inbox}"
        return None

    def ask(self, method, params):
        """A request by the client's method for it, under way when this returns."""
        session, pool = params.get("sessionId"), params.get("pool")
        if method == "exec/run":
            options = {"run_id": "runId", "exec": "exec", "limits": "limits", "parent_run_id": "parentRunId"}
            given = {ours: params[theirs] for ours, theirs in options.items() if theirs in params}
            return self.ext.start_run(session, params.get("input"), pool=pool, **given)
        if method == "turn/prepare":
            given = {k: params[k] for k in ("exec", "channel", "history") if k in params}
            return asyncio.ensure_future(self.ext.prepare(session, pool=pool, **given))
        return asyncio.ensure_future(
            {
                "catalog/render": lambda: self.ext.render(session, pool=pool, budget_tokens=params.get("budgetTokens")),
                "catalog/search": lambda: self.search(session, params.get("input", {}), pool),
                "config/update": lambda: self.ext.update_config(params["patch"]),
                "extension/health": lambda: self.ext.health(self_test=bool(params.get("selfTest"))),
                "ping": lambda: self.ping(),
            }[method]()
        )

    async def search(self, session, input, pool):
        return {"items": await self.ext.search(session, input, pool=pool)}

    async def ping(self):
        await self.ext.ping()
        return {}

    async def finish(self, step, asked):
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            got = await asked
        except RequestError as e:
            error = {"code": e.code, "message": e.message, "data": e.data}
            return fits(step["error"], error, self.bound) if "error" in step else f"want a result, got the error {error}"
        if "withinMs" in step and (loop.time() - began) * 1000 > step["withinMs"]:
            return f"the answer took more than {step['withinMs']} ms"
        if "error" in step:
            return f"want an error, got {got}"
        return fits(step["result"], got, self.bound) if "result" in step else None


def fill(value, bound):
    """The value with what is bound in the place of {"$ref": name}."""
    if isinstance(value, list):
        return [fill(v, bound) for v in value]
    if not isinstance(value, dict):
        return value
    if list(value) == ["$ref"]:
        return bound[value["$ref"]]
    return {k: fill(v, bound) for k, v in value.items()}


class VectorStepsTest(unittest.IsolatedAsyncioTestCase):
    async def test_a_cancel_in_the_same_breath_is_not_lost(self):
        async with ExecExt(Funnel(lambda call: {}, lambda request: []), binary=BINARY) as ext:
            run = ext.start_run("s", {"code": "for (;;);"}, run_id="r", limits={"activeMs": 5000})
            ext.cancel("s", "r", "no more")
            self.assertEqual((await run)["status"], "cancelled")

    async def test_steps(self):
        chosen = [v for v in load() if "steps" in v and plays(v)]
        self.assertGreater(len(chosen), 50)
        common = Player()
        slots = asyncio.Semaphore(2)

        async def alone(vector):
            async with slots:
                player = Player(vector.get("config"), vector.get("permission", "inFunnel"))
                try:
                    return await asyncio.wait_for(player.play(vector), 60)
                finally:
                    await player.ext.close()

        async def together():
            return [await asyncio.wait_for(common.play(v), 60) for v in shared]

        shared = [v for v in chosen if v.get("shared") and not v.get("config") and not v.get("permission")]
        others = [v for v in chosen if v not in shared]
        try:
            first, *rest = await asyncio.gather(together(), *map(alone, others))
        finally:
            await common.ext.close()
        for vector, problem in zip(shared + others, first + rest):
            with self.subTest(vector["id"], title=vector["title"]):
                self.assertIsNone(problem)
        print(f"{len(chosen)} vectors of the form steps")
