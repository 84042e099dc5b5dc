"""The client against the test double: runs, deaths, restarts, cancelling."""

import asyncio
import json
import sys
import time
import unittest
from unittest import mock

from support import Starts, call, fake, steps, text_result

from exec_ext import ExecExt, ExtensionDied, Funnel, RequestError, StartFailed
from exec_ext.client import _merged
from exec_ext.sync import ExecExt as SyncExecExt

POOL = [
    {"name": "mcp__a__x", "inputSchema": {"type": "object"}},
    {"name": "mcp__b__y"},
    {"name": "mcp__b__z"},
    {"name": "bash"},
    {"name": "mcp__a__x"},
]


def host(**more):
    return Funnel(call_tool=lambda c: text_result(c.name), pool=lambda r: POOL, **more)


class RunTest(unittest.IsolatedAsyncioTestCase):
    async def ext(self, mode="ok", funnel=None, **options):
        self.errors = []
        ext = ExecExt(funnel or host(), binary=fake(mode), on_error=self.errors.append, **options)
        self.addAsyncCleanup(ext.close)
        return ext

    async def test_initialize_says_what_the_host_can(self):
        ext = await self.ext(funnel=host(progress=print, permission=lambda c: True, gate="separate"), config={"a": 1})
        got = (await ext.start())["got"]
        self.assertEqual(got["protocolVersion"], 1)
        self.assertEqual(got["config"], {"a": 1})
        self.assertEqual(got["capabilities"]["callTool"], {"permission": "separate"})
        self.assertEqual(got["capabilities"]["pool"], {})
        self.assertIs(got["capabilities"]["progress"], True)
        ext = await self.ext(funnel=Funnel())
        got = (await ext.start())["got"]
        self.assertEqual(list(got["capabilities"]), ["maxMessageBytes"])

    async def test_a_run_and_its_call(self):
        ext = await self.ext()
        result = await ext.run("s", steps(call()))
        self.assertEqual(result["status"], "completed")
        self.assertEqual(
            result["returnValue"], [{"result": {"outcome": "result", "result": text_result("mcp__s__t")}}]
        )

    async def test_S4_9_death_in_a_run_is_a_failed_result_that_names_the_calls(self):
        started = asyncio.Event()

        async def call_tool(c):
            if c.name == "mcp__s__slow":
                started.set()
                await asyncio.sleep(30)
            return text_result("x")

        ext = await self.ext(funnel=Funnel(call_tool=call_tool))
        slow = {"do": "start-call", "id": 5, "name": "mcp__s__slow", "callId": "c2"}
        result = await ext.run("s", steps(call(), slow, call("mcp__s__done", callId="c3"), {"do": "exit"}))
        self.assertTrue(result["isError"])
        self.assertEqual((result["status"], result["errorKind"]), ("sandbox_error", "crash"))
        text = result["content"][0]["text"]
        self.assertIn("remain in effect: mcp__s__t, mcp__s__done", text)
        self.assertIn("may or may not have taken effect: mcp__s__slow", text)
        self.assertEqual([c["status"] for c in result["calls"]], ["ok", "in_flight", "ok"])
        self.assertEqual(result["summary"]["text"], "failed")
        self.assertIsInstance(self.errors[0], ExtensionDied)

    async def test_death_in_the_middle_of_a_frame(self):
        ext = await self.ext()
        result = await ext.run("s", steps({"do": "half-frame"}))
        self.assertEqual(result["errorKind"], "crash")
        self.assertIn("in the middle of a message", str(self.errors[0]))
        self.assertIn("exit code 7", str(self.errors[0]))

    async def test_what_is_no_message_ends_the_process(self):
        for text in ("not json\n", "[1]\n", '{"jsonrpc":"2.0","method":7}\n', "\xff\n"):
            with self.subTest(text=text):
                ext = await self.ext()
                result = await ext.run("s", steps({"do": "raw", "text": text}, {"do": "wait-for-cancel"}))
                self.assertEqual(result["errorKind"], "crash")
                self.assertEqual((await ext.run("s", steps()))["status"], "completed")

    async def test_too_large_a_message_ends_the_process(self):
        ext = await self.ext(max_message_bytes=200_000)
        result = await ext.run("s", steps({"do": "raw", "text": "x" * 300_000}, {"do": "wait-for-cancel"}))
        self.assertEqual(result["errorKind"], "crash")
        self.assertIn("more than 200000 bytes", str(self.errors[0]))

    async def test_nesting_too_deep_for_this_host_fails_that_call_alone(self):
        ext = await self.ext()
        deep = "[" * 100_000 + "]" * 100_000
        params = '{"sessionId":"s","runId":"r","callId":"c","index":1,"name":"mcp__a__x","arguments":{"a":%s}}' % deep
        raw = '{"jsonrpc":"2.0","id":77,"method":"host/callTool","params":%s}\n' % params
        result = await ext.run("s", steps({"do": "raw", "text": raw, "id": 77}, call()), run_id="r")
        self.assertEqual(result["returnValue"][0]["error"]["code"], -32603)
        self.assertIn("result", result["returnValue"][1])

    async def test_restarts_after_a_death_and_with_growing_pauses(self):
        starts = Starts()
        ext = await self.ext(env=starts.env)
        await ext.run("s", steps({"do": "exit"}))
        self.assertEqual((await ext.run("s", steps()))["status"], "completed")
        self.assertEqual(len(starts), 2)
        for _ in range(2):
            await ext.run("s", steps({"do": "exit"}))
        result = await ext.run("s", steps())  # two deaths in a row: a pause
        self.assertEqual(result["errorKind"], "crash")
        self.assertIn("Nothing was called", result["content"][0]["text"])
        self.assertEqual(len(starts), 3)
        await ext.start()  # asked for by name, it does not wait
        self.assertEqual((await ext.run("s", steps()))["status"], "completed")
        self.assertEqual(len(starts), 4)

    async def test_a_program_that_never_starts_is_tried_ever_more_rarely(self):
        starts = Starts()
        ext = await self.ext("crashes", env=starts.env)
        for _ in range(20):
            self.assertEqual((await ext.run("s", steps()))["status"], "sandbox_error")
        self.assertEqual(len(starts), 2)
        self.assertIsInstance(self.errors[-1], StartFailed)

    async def test_config_updates_survive_a_restart(self):
        ext = await self.ext(config={"limits": {"toolCalls": 3, "images": 1}})
        await ext.update_config({"limits": {"toolCalls": None, "wallMs": 5}})
        await ext.run("s", steps({"do": "exit"}))
        self.assertEqual((await ext.start())["got"]["config"], {"limits": {"images": 1, "wallMs": 5}})

    async def test_S2_4_a_dead_extension_leaves_flat_declarations(self):
        funnel = Funnel(
            call_tool=lambda c: text_result("x"),
            pool=lambda r: {"status": "ok", "tools": POOL, "deny": ["mcp__b__z"]},
        )
        ext = await self.ext("crashes", funnel=funnel, config={"disallowedTools": ["mcp__a__*"]})
        plan = await ext.prepare("s", history=[])
        self.assertEqual((plan["mode"], plan["reason"]), ("flat", "extension_unavailable"))
        self.assertEqual(plan["declare"], ["mcp__b__y"])
        self.assertEqual(plan["announcement"]["action"], "none")
        self.assertIn("no room on the ark", plan["warnings"][0])

    async def test_a_flat_plan_of_an_unknown_pool_declares_nothing_of_its_own(self):
        ext = await self.ext("crashes", funnel=Funnel(pool=lambda r: None))
        self.assertNotIn("declare", await ext.prepare("s"))
        ext = await self.ext("crashes", funnel=Funnel(pool=lambda r: []))
        self.assertEqual((await ext.prepare("s"))["mode"], "none")

    async def test_death_while_planning_is_tried_once_more(self):
        starts = Starts()
        ext = await self.ext("dies-planning", env=starts.env)
        self.assertEqual((await ext.prepare("s"))["mode"], "flat")
        self.assertEqual(len(starts), 2)

    async def test_what_is_no_plan_leaves_flat_declarations(self):
        none = {"action": "none", "reason": "r"}
        odd = [
            None,
            7,
            {},
            {"mode": "exec", "announcement": {"action": "append"}},
            {"mode": "exec", "declare": "Exec", "announcement": none},
            {"mode": "fast", "declare": ["Exec"], "announcement": none},
        ]
        for mode in ["refuses-planning", *(f"plans:{json.dumps(o)}" for o in odd)]:
            with self.subTest(mode):
                ext = await self.ext(mode)
                plan = await ext.prepare("s")
                self.assertEqual(plan["reason"], "extension_unavailable")
                self.assertEqual(plan["declare"], ["mcp__a__x", "mcp__b__y", "mcp__b__z"])
                self.assertIsInstance(self.errors[0], RequestError)

    async def test_never_answered_plans_are_given_up(self):
        starts = Starts()
        ext = await self.ext("never-plans", env=starts.env, request_timeout=0.5)
        plan = await ext.prepare("s")
        self.assertEqual(plan["reason"], "extension_unavailable")
        self.assertIn("hangs", plan["warnings"][0])
        self.assertEqual((await ext.run("s", steps()))["status"], "completed")
        self.assertEqual(len(starts), 2)

    @mock.patch("exec_ext._run._CANCELLED_SECONDS", 0.3)
    async def test_a_cancel_that_is_not_heeded_ends_the_process(self):
        ext = await self.ext()
        run = ext.start_run("s", steps(call(), {"do": "hang"}))
        await asyncio.sleep(0.3)
        run.cancel()
        result = await run
        self.assertEqual((result["status"], result["errorKind"]), ("cancelled", "cancelled"))
        self.assertIn("remain in effect: mcp__s__t", result["content"][0]["text"])
        self.assertEqual((await ext.run("s", steps()))["status"], "completed")

    @mock.patch("exec_ext._run._PULSE_SECONDS", 0.2)
    async def test_a_process_without_signs_of_life_is_ended(self):
        ext = await self.ext(request_timeout=0.5)
        result = await ext.run("s", steps({"do": "deaf"}))
        self.assertEqual((result["status"], result["errorKind"]), ("sandbox_error", "crash"))
        self.assertEqual((await ext.run("s", steps({"do": "stderr", "text": "x\n"})))["status"], "completed")

    async def test_S4_8_cancelling_the_task_cancels_the_run_and_keeps_its_result(self):
        ext = await self.ext()
        run = ext.start_run("s", steps({"do": "wait-for-cancel"}))
        task = asyncio.ensure_future(run)
        await asyncio.sleep(0.2)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(run.result["status"], "cancelled")
        self.assertEqual((await ext.run("s", steps()))["status"], "completed")

    async def test_cancel_by_handle_by_session_and_before_the_start(self):
        ext = await self.ext()
        run = ext.start_run("s", steps({"do": "wait-for-cancel"}))
        await asyncio.sleep(0.2)
        run.cancel("enough")
        self.assertEqual((await run)["status"], "cancelled")
        early = ext.start_run("s", steps({"do": "wait-for-cancel"}))
        early.cancel()
        self.assertEqual((await early)["status"], "cancelled")
        late = ext.start_run("s", steps({"do": "wait-for-cancel"}))
        await asyncio.sleep(0.1)
        ext.cancel("s")
        self.assertEqual((await late)["status"], "cancelled")

    async def test_a_cancelled_request_is_told_to_the_extension(self):
        lines = []
        ext = await self.ext(on_log=lines.append)
        await ext.start()
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(ext.health(), 0.2)
        await ext.ping()
        await asyncio.sleep(0.1)
        self.assertTrue([line for line in lines if line.startswith('cancelled {"id"')], lines)

    async def test_the_log_is_drained_and_bounded(self):
        lines = []
        ext = await self.ext(on_log=lines.append)
        noise = {"do": "stderr", "text": "y" * 100_000 + "\n", "times": 30}
        self.assertEqual((await ext.run("s", steps(noise)))["status"], "completed")
        await asyncio.sleep(0.2)
        self.assertEqual(len(lines), 30)
        self.assertLessEqual(max(map(len, lines)), 8192)

    async def test_a_log_function_that_raises_harms_nothing(self):
        def broken(line):
            raise RuntimeError(line)

        ext = await self.ext(on_log=broken)
        noise = {"do": "stderr", "text": "a\nb\n"}
        self.assertEqual((await ext.run("s", steps(noise)))["status"], "completed")

    async def test_a_result_that_is_none(self):
        ext = await self.ext()
        for rubbish in (7, "x", {"status": "completed"}, {"content": []}):
            result = await ext.run("s", {"steps": [], "rubbish": rubbish})
            self.assertEqual((result["status"], result["errorKind"]), ("sandbox_error", "internal"))

    async def test_a_mistake_in_a_call_is_the_callers_and_no_crash(self):
        starts = Starts()
        ext = await self.ext(env=starts.env)
        wrong = [
            (TypeError, "session_id", lambda: ext.run(None, "x")),
            (ValueError, "session_id", lambda: ext.run("", "x")),
            (ValueError, "exec must be", lambda: ext.run("s", "x", exec="of")),
            (TypeError, "limits", lambda: ext.run("s", "x", limits="5")),
            (TypeError, "pool must be a PoolSnapshot.*place 1", lambda: ext.run("s", "x", pool={"status": "ok", "tools": ["x"]})),
            (TypeError, "JSON", lambda: ext.run("s", {"code": {1}})),
            (ValueError, "session_id", lambda: ext.prepare("")),
            (TypeError, "history", lambda: ext.prepare("s", history="x")),
            (TypeError, "history", lambda: ext.prepare("s", history=[{"text": "x"}])),
            (ValueError, "channel", lambda: ext.prepare("s", channel="open")),
            (TypeError, "pool", lambda: ext.prepare("s", pool=["x"])),
            (ValueError, "name", lambda: ext.call_leaf("s", "", {})),
        ]
        for error, says, do in wrong:
            with self.subTest(says), self.assertRaisesRegex(error, says):
                await do()
        self.assertEqual(len(starts), 0)
        self.assertEqual(self.errors, [])

    async def test_a_plan_that_the_extension_refuses_for_its_request_is_the_callers_too(self):
        ext = await self.ext("refuses-params")
        with self.assertRaises(RequestError) as caught:
            await ext.prepare("s")
        self.assertEqual(caught.exception.code, -32602)

    def test_what_is_left_out_is_told_once(self):
        for funnel, says in (
            (host(), "permission=lambda call: True"),
            (Funnel(), "Exec is never declared"),
            (host(permission=lambda c: True), None),
        ):
            told = []
            ExecExt(funnel, on_warning=told.append)
            self.assertEqual(len(told), 0 if says is None else 1)
            self.assertIn(says or "", "".join(told))
        with self.assertLogs("exec_ext", "WARNING") as log:
            ExecExt(host())
        self.assertEqual(len(log.output), 1)

    def test_options_of_the_wrong_type_are_refused_at_once(self):
        for arguments, options in (([{"pool": print}], {}), ([host()], {"config": []}), ([], {"permissions": print})):
            for made in (ExecExt, SyncExecExt):
                with self.subTest((arguments, options, made)), self.assertRaises(TypeError):
                    made(*arguments, **options)

    async def test_a_run_id_in_use_is_an_error_of_the_host(self):
        ext = await self.ext()
        run = ext.start_run("s", steps({"do": "wait-for-cancel"}), run_id="r")
        await asyncio.sleep(0.1)
        with self.assertRaises(RequestError):
            await ext.run("s", steps(), run_id="r")
        run.cancel()
        await run

    async def test_closed_it_stays_down_until_started_again(self):
        starts = Starts()
        ext = await self.ext(env=starts.env)
        await ext.start()
        await ext.close()
        self.assertEqual((await ext.run("s", steps()))["status"], "sandbox_error")
        self.assertEqual((await ext.prepare("s"))["mode"], "flat")
        self.assertEqual(len(starts), 1)
        await ext.start()
        self.assertEqual((await ext.run("s", steps()))["status"], "completed")

    async def test_closed_it_is_told_to_exit_whether_or_not_it_answers_the_shutdown(self):
        for mode, seconds in (("ok", 5.0), ("never-says-goodbye", 1.0)):
            with self.subTest(mode), mock.patch("exec_ext._link._GOODBYE_SECONDS", seconds):
                log = []
                ext = await self.ext(mode, on_log=log.append)
                await ext.start()
                await ext.close()
                self.assertEqual([line for line in log if "exit" in line], ["told to exit"])

    async def test_closing_while_it_starts_leaves_nothing(self):
        ext = await self.ext("slow")
        run = ext.start_run("s", steps())
        await asyncio.sleep(0.1)
        await ext.close()
        await run
        self.assertIsNone(ext.pid)

    async def test_many_runs_at_once(self):
        ext = await self.ext()
        results = await asyncio.gather(*(ext.run(f"s{i}", steps(call(), call(callId="c2"))) for i in range(60)))
        self.assertEqual({r["status"] for r in results}, {"completed"})

    async def test_lone_surrogates_and_large_numbers_survive(self):
        seen = []

        def call_tool(c):
            seen.append(c)
            return {"content": [], "structuredContent": c.arguments}

        ext = await self.ext(funnel=Funnel(call_tool=call_tool))
        result = await ext.run("s", steps(call(arguments={"t": "\ud83d!", "n": 2**70, "é": "😀"})))
        back = result["returnValue"][0]["result"]["result"]["structuredContent"]
        self.assertEqual(back, {"t": "\ud83d!", "n": 2**70, "é": "😀"})
        self.assertEqual(json.loads(seen[0].raw_arguments), back)


class MergeTest(unittest.TestCase):
    def test_rfc_7396(self):
        cases = [
            ({"a": "b"}, {"a": "c"}, {"a": "c"}),
            ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
            ({"a": "b", "b": 1}, {"a": None}, {"b": 1}),
            ({"a": [1]}, {"a": "c"}, {"a": "c"}),
            ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
            ({"a": "foo"}, {"a": {"x": {"y": None}}}, {"a": {"x": {}}}),
        ]
        for base, patch, want in cases:
            self.assertEqual(_merged(base, patch), want)


class TimeTest(unittest.IsolatedAsyncioTestCase):
    async def test_closing_takes_no_longer_than_the_extension(self):
        ext = ExecExt(binary=fake())
        await ext.start()
        since = time.monotonic()
        await ext.close()
        self.assertLess(time.monotonic() - since, 5)
        self.assertIsNone(ext.pid)
