"""The host's functions as the extension meets them: gates, grants, and whatever goes wrong in them."""

import asyncio
import math
import unittest

from support import call, fake, steps, text_result

from exec_ext import ExecExt, Funnel, cancelled, denied, unreachable
from exec_ext.funnel import Grants, ToolCall


class FunnelTest(unittest.IsolatedAsyncioTestCase):
    async def play(self, funnel, *list_of_steps, **options):
        self.errors = []
        ext = ExecExt(funnel, binary=fake(), on_error=self.errors.append)
        self.addAsyncCleanup(ext.close)
        result = await ext.run("s", steps(*list_of_steps), run_id="r", **options)
        self.assertEqual(result["status"], "completed")
        return [a.get("result", a) for a in result["returnValue"]]

    async def test_what_call_tool_returns_or_raises_becomes_an_outcome(self):
        async def hangs(c):
            await asyncio.sleep(60)

        async def ignores_cancelling(c):
            for _ in range(2):
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    pass

        async def raises(c):
            raise KeyError("k")

        def raises_at_once(c):
            raise RuntimeError("x" * 2000)

        async def cancels_itself(c):
            raise asyncio.CancelledError

        class Model:
            def model_dump(self, **_):
                return text_result("m")

        loop = {}
        loop["l"] = loop
        cases = {
            "result": (lambda c: text_result("a"), "result", None),
            "structured": (lambda c: {"structuredContent": {"a": None}}, "result", None),
            "model": (lambda c: Model(), "result", None),
            "denied": (lambda c: denied("because", "rule"), "denied", "because"),
            "denied without reason": (lambda c: {"outcome": "denied"}, "denied", "refused"),
            "cancelled": (lambda c: cancelled(), "cancelled", None),
            "unreachable": (lambda c: unreachable("gone"), "unreachable", "gone"),
            "none": (lambda c: None, "unreachable", "NoneType"),
            "number": (lambda c: 7, "unreachable", "int"),
            "text": (lambda c: "text", "unreachable", "str"),
            "empty": (lambda c: {}, "unreachable", "dict"),
            "unknown outcome": (lambda c: {"outcome": "fine"}, "unreachable", "dict"),
            "no result": (lambda c: {"outcome": "result", "result": 3}, "unreachable", "int"),
            "not json": (lambda c: {"content": [], "x": {1, 2}}, "unreachable", "JSON"),
            "nan": (lambda c: {"content": [], "x": math.nan}, "unreachable", "JSON"),
            "loop": (lambda c: {"content": [], "x": loop}, "unreachable", "JSON"),
            "raises": (raises, "unreachable", "KeyError"),
            "raises at once": (raises_at_once, "unreachable", "RuntimeError"),
            "hangs": (hangs, "unreachable", "CallbackTimeout"),
            "ignores cancelling": (ignores_cancelling, "unreachable", "CallbackTimeout"),
            "cancels itself": (cancels_itself, "unreachable", "cancelled"),
        }
        for name, (function, outcome, reason) in cases.items():
            with self.subTest(name):
                [answer] = await self.play(Funnel(call_tool=function, call_timeout=0.3), call())
                self.assertEqual(answer["outcome"], outcome)
                if reason:
                    self.assertIn(reason, answer["reason"])
                    self.assertLess(len(answer["reason"]), 600)

    async def test_a_hanging_call_ends_with_the_runs_time(self):
        [answer] = await self.play(Funnel(call_tool=lambda c: asyncio.sleep(60)), call(timeLeftMs=200))
        self.assertEqual(answer["outcome"], "unreachable")

    async def test_S8_permission_in_the_funnel(self):
        made = []

        def call_tool(c):
            made.append(c.name)
            return text_result("x")

        async def raises(c):
            raise ValueError("no terminal")

        cases = {
            "yes": (lambda c: True, "result", None),
            "no": (lambda c: False, "denied", "refused"),
            "reason": (lambda c: "not on Fridays", "denied", "not on Fridays"),
            "cancel": (lambda c: cancelled(), "cancelled", None),
            "decision": (lambda c: {"decision": "deny", "reason": "r"}, "denied", "r"),
            "rubbish": (lambda c: 1, "denied", "int"),
            "none": (lambda c: None, "denied", "NoneType"),
            "raises": (raises, "denied", "no terminal"),
            "hangs": (lambda c: asyncio.sleep(60), "denied", "CallbackTimeout"),
        }
        for name, (permission, outcome, reason) in cases.items():
            with self.subTest(name):
                made.clear()
                funnel = Funnel(call_tool, permission=permission, permission_timeout=0.3)
                [answer] = await self.play(funnel, call())
                self.assertEqual(answer["outcome"], outcome)
                self.assertEqual(bool(made), outcome == "result")
                if reason:
                    self.assertIn(reason, answer["reason"])

    async def test_separate_asks_first_and_takes_each_grant_once_for_its_call_alone(self):
        made = []

        def call_tool(c):
            made.append((c.name, c.raw_arguments))
            return text_result("x")

        funnel = Funnel(call_tool, permission=lambda c: c.name != "mcp__s__no", gate="separate")
        ask = {"do": "permission", "name": "mcp__s__t", "arguments": {"a": 1.0}}
        answers = await self.play(
            funnel,
            call(),  # no grant
            call(grant="made-up"),
            ask,
            call(arguments={"a": 1.0}, grant="g"),  # right
            call(arguments={"a": 1.0}, grant="g"),  # again
            {**ask, "as": "h"},
            call(arguments={"a": 1}, grant="h"),  # equal, but other bytes
            call(arguments={"a": 1.0}, grant="h"),  # spent by the try
            {**ask, "as": "i"},
            call("mcp__s__u", arguments={"a": 1.0}, grant="i"),
            {**ask, "as": "j"},
            call(arguments={"a": 1.0}, grant="j", callId="c2"),
            {"do": "permission", "name": "mcp__s__no"},
        )
        kinds = [a.get("outcome") or a.get("decision") for a in answers]
        self.assertEqual(
            kinds,
            ["denied", "denied", "allow", "result", "denied", "allow", "denied", "denied"]
            + ["allow", "denied", "allow", "denied", "deny"],
        )
        self.assertEqual(made, [("mcp__s__t", '{"a": 1.0}')])

    async def test_in_the_funnel_there_is_no_permission_message(self):
        funnel = Funnel(lambda c: text_result("x"), permission=lambda c: True)
        [answer] = await self.play(funnel, {"do": "permission", "name": "mcp__s__t"})
        self.assertEqual(answer["error"]["code"], -32601)

    async def test_a_run_that_is_not_live_makes_no_calls(self):
        made = []
        funnel = Funnel(lambda c: made.append(c) or text_result("x"), permission=lambda c: True, gate="separate")
        params = {"callId": "c", "index": 1, "name": "mcp__s__t", "arguments": {}, "timeLeftMs": 1}
        other = {**params, "sessionId": "s", "runId": "other"}
        answers = await self.play(
            funnel,
            {"do": "ask", "method": "host/callTool", "params": other},
            {"do": "ask", "method": "host/permission", "params": other},
        )
        self.assertEqual(answers[0]["outcome"], "unreachable")
        self.assertEqual(answers[1]["decision"], "deny")
        self.assertEqual(made, [])

    async def test_malformed_requests_of_the_extension_get_an_error(self):
        funnel = Funnel(lambda c: text_result("x"), pool=lambda r: [])
        good = {"sessionId": "s", "runId": "r", "callId": "c", "index": 1, "name": "mcp__s__t", "arguments": {}}
        bad = [None, [], {}, {**good, "arguments": [1]}, {k: v for k, v in good.items() if k != "name"}]
        asks = [{"do": "ask", "method": "host/callTool", "params": p} for p in bad]
        asks += [{"do": "ask", "method": "host/pool", "params": None}, {"do": "ask", "method": "host/x", "params": {}}]
        answers = await self.play(funnel, *asks, call())
        self.assertTrue(all("error" in a for a in answers[:-1]), answers)
        self.assertEqual(answers[-1]["outcome"], "result")

    async def test_pool_whatever_the_host_says(self):
        tool = {"name": "mcp__s__t"}

        async def raises(r):
            raise OSError("no servers")

        cases = {
            "list": (lambda r: [tool], {"status": "ok", "tools": [tool]}),
            "none": (lambda r: None, "unavailable"),
            "raises": (raises, "unavailable"),
            "hangs": (lambda r: asyncio.sleep(60), "unavailable"),
            "rubbish": (lambda r: 7, "unavailable"),
            "rubbish tools": (lambda r: {"status": "ok", "tools": 7}, "unavailable"),
            "a name for a tool": (lambda r: ["x"], "unavailable"),
            "no tools": (lambda r: {"status": "ok"}, "unavailable"),
            "only odd tools": (lambda r: ["x", {"name": 3}], "unavailable"),
            "tools that JSON can't say": (lambda r: [tool, {"name": "x", "y": {1}}], "unavailable"),
            "odd rules": (lambda r: {"status": "ok", "tools": [tool], "deny": ["x", 3]}, "unavailable"),
            "an odd revision": (lambda r: {"status": "ok", "tools": [tool], "revision": 8}, "unavailable"),
            "same revision": (
                lambda r: {"status": "ok", "revision": "7", "tools": [tool]},
                {"status": "unchanged", "revision": "7"},
            ),
            "another revision": (
                lambda r: {"status": "ok", "revision": "8", "tools": [tool], "deny": ["x"]},
                {"status": "ok", "revision": "8", "tools": [tool], "deny": ["x"]},
            ),
            "unchanged for another": (lambda r: {"status": "unchanged", "revision": "8"}, "unavailable"),
        }
        params = {"sessionId": "s", "ifRevision": "7", "purpose": "turn"}
        for name, (pool, want) in cases.items():
            with self.subTest(name):
                funnel = Funnel(pool=pool, pool_timeout=0.3)
                [got] = await self.play(funnel, {"do": "ask", "method": "host/pool", "params": params})
                if isinstance(want, dict):
                    self.assertEqual(got, want)
                else:
                    self.assertEqual(got["status"], want)
                    self.assertTrue(got["reason"])
                    self.assertEqual(len(self.errors), 0 if name == "none" else 1, "on_error is told")

    async def test_the_extensions_cancel_ends_a_call_at_once(self):
        began, ended = asyncio.Event(), asyncio.Event()

        async def call_tool(c):
            if c.name == "mcp__s__quick":
                await began.wait()
                return text_result("x")
            began.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()

        start = {"do": "start-call", "id": 5, "name": "mcp__s__t"}
        quick = call("mcp__s__quick", callId="c2")
        answers = await self.play(Funnel(call_tool), start, quick, {"do": "cancel-call", "id": 5})
        self.assertEqual(answers[1]["error"]["code"], -32800)
        await asyncio.wait_for(ended.wait(), 5)

    async def test_a_cancel_on_the_heels_of_its_call_is_answered_too(self):
        start = {"do": "start-call", "id": 5, "name": "mcp__s__t"}
        answers = await self.play(Funnel(lambda c: asyncio.sleep(60)), start, {"do": "cancel-call", "id": 5})
        self.assertEqual(answers[0]["error"]["code"], -32800)

    async def test_S10_4_progress_is_shown_latest_first_and_a_broken_one_harms_nothing(self):
        seen = []

        async def slow(p):
            seen.append(p["seq"])
            await asyncio.sleep(0.05)

        await self.play(Funnel(lambda c: text_result("x"), progress=slow), {"do": "flood", "count": 2000}, call())
        self.assertLess(len(seen), 1000)
        self.assertEqual(seen, sorted(seen))

        def broken(p):
            raise RuntimeError("no screen")

        await self.play(Funnel(lambda c: text_result("x"), progress=broken), {"do": "flood", "count": 3}, call())
        self.assertIn("no screen", str(self.errors[0]))

    async def test_flat_calls_pass_the_same_gate(self):
        asked = []
        funnel = Funnel(lambda c: text_result(c.name), permission=lambda c: asked.append(c.name) or c.name.endswith("t"))
        ext = ExecExt(funnel, binary=fake())
        self.assertEqual((await ext.call_leaf("s", "mcp__s__t", {}))["outcome"], "result")
        self.assertEqual((await ext.call_leaf("s", "mcp__s__u", {}))["outcome"], "denied")
        self.assertEqual(asked, ["mcp__s__t", "mcp__s__u"])


class GrantsTest(unittest.TestCase):
    def test_unused_grants_go_with_their_run(self):
        grants = Grants()
        one = ToolCall("s", "r1", "c", 1, "n", {}, "{}")
        two = ToolCall("s", "r2", "c", 1, "n", {}, "{}")
        first, second = grants.give(one), grants.give(two)
        grants.drop("s", "r1")
        self.assertEqual(len(grants), 1)
        self.assertFalse(grants.use(first, one))
        self.assertTrue(grants.use(second, two))

    def test_what_is_no_function_or_has_another_name_is_refused(self):
        for options in ({"call_tool": 5}, {"pool": []}, {"permission": False}, {"permissions": print}):
            with self.subTest(options), self.assertRaisesRegex(TypeError, next(iter(options))):
                Funnel(**options)

    def test_separate_without_permission_is_refused_at_once(self):
        with self.assertRaises(ValueError):
            Funnel(lambda c: None, gate="separate")
        with self.assertRaises(ValueError):
            Funnel(gate="both")
