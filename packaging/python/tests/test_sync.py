"""The facade without asyncio."""

import threading
import time
import unittest

from support import call, fake, steps, text_result

from exec_ext import Funnel, StartFailed
from exec_ext.sync import ExecExt


class SyncTest(unittest.TestCase):
    def test_a_run_with_blocking_functions(self):
        names = []

        def permission(c):
            time.sleep(0.05)
            names.append(threading.current_thread().name)
            return True

        def call_tool(c):
            time.sleep(0.05)
            return text_result(c.name)

        with ExecExt(Funnel(call_tool, permission=permission), binary=fake()) as ext:
            result = ext.run("s", steps(call(), call("mcp__s__u", callId="c2")))
            self.assertEqual(result["status"], "completed")
            self.assertEqual([a["result"]["outcome"] for a in result["returnValue"]], ["result", "result"])
            self.assertEqual(ext.prepare("s")["mode"], "exec")
            self.assertEqual(ext.info["serverInfo"]["name"], "fake")
            ext.ping()
        self.assertNotIn("exec-ext", names)

    def test_a_plain_function_may_give_an_awaitable(self):
        async def later():
            return text_result("x")

        with ExecExt(Funnel(lambda c: later()), binary=fake()) as ext:
            [answer] = ext.run("s", steps(call()))["returnValue"]
        self.assertEqual(answer["result"]["outcome"], "result")

    def test_a_blocking_function_that_hangs_or_exits_delays_nobody(self):
        stop = threading.Event()
        self.addCleanup(stop.set)

        def call_tool(c):
            if c.name == "mcp__s__exit":
                raise SystemExit(3)
            stop.wait(60)

        with ExecExt(Funnel(call_tool, call_timeout=0.3), binary=fake()) as ext:
            answers = ext.run("s", steps(call(), call("mcp__s__exit")))["returnValue"]
        self.assertEqual([a["result"]["outcome"] for a in answers], ["unreachable", "unreachable"])

    def test_cancel_from_another_thread(self):
        with ExecExt(Funnel(), binary=fake()) as ext:
            run = ext.start_run("s", steps({"do": "wait-for-cancel"}))
            with self.assertRaises(TimeoutError):
                run.ended(0.2)
            threading.Timer(0.1, run.cancel).start()
            self.assertEqual(run.ended(10)["status"], "cancelled")

    def test_a_failed_start_leaves_no_thread(self):
        before = threading.active_count()
        with self.assertRaises(StartFailed):
            with ExecExt(Funnel(), binary=fake("crashes")):
                pass
        self.assertLessEqual(threading.active_count(), before)
