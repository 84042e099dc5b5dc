"""The client with the real program: what the double can't know."""

import asyncio
import importlib.util
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import typing
import unittest

from support import BINARY, HERE, text_result

import exec_ext.types
from exec_ext import ExecExt, Funnel
from exec_ext.funnel import flat_names
from exec_ext.sync import ExecExt as SyncExecExt

POOL = [{"name": "mcp__s__t"}, {"name": "mcp__s__slow"}]
if not BINARY:
    raise unittest.SkipTest("EXEC_EXT_TEST_BINARY is not set")


class ProgramTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.slow = asyncio.Event()
        self.progress = []

        async def call_tool(call):
            if call.name == "mcp__s__slow":
                self.slow.set()
                await asyncio.sleep(60)
            return text_result(call.raw_arguments)

        funnel = Funnel(call_tool, lambda r: {"status": "ok", "revision": "1", "tools": POOL}, progress=self.show)
        self.ext = ExecExt(funnel, binary=BINARY)
        await self.ext.start()
        self.addAsyncCleanup(self.ext.close)

    def show(self, progress):
        self.progress.append(progress["summary"]["text"])

    async def test_a_turn_and_a_run(self):
        plan = await self.ext.prepare("s", history=[])
        self.assertEqual(plan["mode"], "exec")
        again = await self.ext.prepare("s", history=[plan["announcement"]["message"]["text"]])
        self.assertEqual(again["announcement"]["action"], "none")
        result = await self.ext.run("s", {"code": "return await tools.mcp__s__t({ b: 1, a: 1.5 });"})
        self.assertEqual(result["returnValue"], '{"b":1,"a":1.5}')
        self.assertEqual(result["summary"]["text"], "1 tool call\nmcp__s__t")
        self.assertTrue(self.progress)

    async def test_S4_8_cancelling_while_a_call_is_under_way(self):
        run = self.ext.start_run("s", {"code": "await tools.mcp__s__slow({});"})
        task = asyncio.ensure_future(run)
        await self.slow.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(run.result["status"], "cancelled")

    async def test_S4_9_killed_in_a_run_it_fails_the_run_and_serves_the_next(self):
        run = self.ext.start_run("s", {"code": "await tools.mcp__s__t({}); await tools.mcp__s__slow({});"})
        await self.slow.wait()
        os.kill(self.ext.pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        result = await run
        self.assertEqual((result["status"], result["errorKind"]), ("sandbox_error", "crash"))
        self.assertIn("remain in effect: mcp__s__t.", result["content"][0]["text"])
        self.assertEqual((await self.ext.run("s", {"code": "return 1;"}))["returnValue"], 1)

    async def test_search_render_config_and_health(self):
        self.assertEqual([h["name"] for h in await self.ext.search("s", {"query": "SLOW"})], ["mcp__s__slow"])
        self.assertEqual((await self.ext.render("s"))["total"], 2)
        await self.ext.update_config({"enableExec": {"local": False}})
        plan = await self.ext.prepare("s")
        self.assertEqual((plan["mode"], plan["declare"]), ("flat", ["mcp__s__slow", "mcp__s__t"]))
        self.assertEqual(plan["declare"], flat_names(await self.ext.pool("s"), []))
        self.assertIn("version", await self.ext.health(self_test=True))
        await self.ext.ping()

    async def test_members_of_the_config_that_are_not_known_are_told(self):
        told, log = [], []
        funnel = Funnel(lambda c: text_result("x"), lambda r: POOL, lambda c: True)
        config = {"limts": {"wallMs": 1}}
        async with ExecExt(funnel, binary=BINARY, config=config, on_warning=told.append, on_log=log.append) as ext:
            await ext.update_config({"sandbx": {}})
        self.assertEqual(len(told), 2)
        self.assertRegex(told[0], 'the config: the member "limts" is not known.*did you mean "limits"')
        self.assertRegex(told[1], 'the patch: the member "sandbx"')
        self.assertTrue(any("limts" in line for line in log))

    async def test_an_entry_of_the_pool_that_is_no_tool_is_left_out_and_told_once(self):
        told, pool = [], [{"name": "mcp__s__odd", "inputSchema": 5}, {"name": 7}, *POOL, "mcp__s__three", None]
        funnel = Funnel(lambda c: text_result("ran"), lambda r: pool, lambda c: True)
        async with ExecExt(funnel, binary=BINARY, on_warning=told.append) as ext:
            plan = await ext.prepare("s")
            code = "return [await tools.mcp__s__t({}), await tools.mcp__s__odd({}), Object.keys(tools).length];"
            self.assertEqual((await ext.run("s", {"code": code}))["returnValue"], ["ran", "ran", 3])
            names = flat_names(await ext.pool("s"), [])
        self.assertEqual((plan["mode"], plan["pool"]["size"]), ("exec", 3))
        self.assertRegex("\n".join(plan["warnings"]), "tool 2 of the pool is left out.*\n.*tool 5 .*\n.*tool 6 ")
        self.assertEqual(names, ["mcp__s__odd", "mcp__s__slow", "mcp__s__t"])
        self.assertEqual(
            told,
            [
                "the host's pool gave no tool at place 2 of its list, nor at 2 more: a tool is a dict with a name; "
                "the other tools are used"
            ],
        )

    async def test_a_nested_run_names_its_parent(self):
        run = self.ext.start_run("s", {"code": "await tools.mcp__s__slow({});"})
        await self.slow.wait()
        inner = await self.ext.run("s", {"code": "return 1;"}, parent_run_id=run.run_id)
        self.assertEqual(inner["errorKind"], "reentrant")
        run.cancel()
        await run

    async def test_no_process_is_left_behind(self):
        pid = self.ext.pid
        await self.ext.close()
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)


class SyncProgramTest(unittest.TestCase):
    def test_the_facade(self):
        funnel = Funnel(lambda c: text_result("hello"), lambda r: POOL)
        with SyncExecExt(funnel, binary=BINARY) as ext:
            self.assertEqual(ext.prepare("s")["declare"], ["Exec"])
            self.assertEqual(ext.run("s", {"code": "return await tools.mcp__s__t({});"})["returnValue"], "hello")


class TypesTest(unittest.TestCase):
    """The typed shapes against the schemas that the program prints."""

    names = {
        "PoolSnapshot": "PoolSnapshot",
        "ExecTool": "ExecTool",
        "MetaMessage": "MetaMessage",
        "Announcement": "Announcement",
        "PoolInfo": "PoolInfo",
        "Plan": "TurnPrepareResult",
        "Summary": "Summary",
        "CallRecord": "CallRecord",
        "ExecError": "ExecError",
        "Logs": "Logs",
        "Stats": "Stats",
        "ExecResult": "ExecResult",
        "Awaiting": "Awaiting",
        "Progress": "ExecProgressParams",
        "Rendered": "CatalogRenderResult",
        "Found": "SearchItem",
    }

    def test_members_and_which_of_them_are_always_there(self):
        schemas = json.loads(subprocess.run([BINARY, "schema"], capture_output=True, check=True).stdout)["$defs"]
        for ours, theirs in self.names.items():
            with self.subTest(ours):
                typed, schema = getattr(exec_ext.types, ours), schemas[theirs]
                self.assertEqual(set(typing.get_type_hints(typed)), set(schema["properties"]))
                self.assertEqual(set(typed.__required_keys__), set(schema.get("required", [])))


README_NEEDS = """
import asyncio
from types import SimpleNamespace
from connect import connect

async def main():
    ask, messages = lambda call: True, [{"role": "user", "content": "list"}]
    use = SimpleNamespace(input={"code": "return await tools.mcp__tracker__list_issues({})"})
    async with connect() as sessions:
        session = sessions["tracker"]
        model = SimpleNamespace(create=lambda tools, messages: SimpleNamespace(tool_use=use, given=tools))
"""
README_THEN = """
        print(reply.given[0]["name"], result["status"])

asyncio.run(main())
"""


@unittest.skipUnless(importlib.util.find_spec("mcp"), "the packages of requirements.lock are not installed")
class ExamplesTest(unittest.TestCase):
    def play(self, *arguments, answers="y\nn\na\ny\n", **env):
        paths = os.pathsep.join([str(HERE.parent / "src"), os.environ.get("PYTHONPATH", "")])
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=HERE.parent / "examples",
            input=answers,
            env={**os.environ, "PYTHONPATH": paths, **env},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def check(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        out = done.stdout
        self.assertEqual(out.count("tools ['Exec']"), 5)
        self.assertIn("Allow mcp__calendar__add_event", out)  # permission, once granted and once refused
        self.assertIn("was not permitted: the user said no", out)
        self.assertEqual(out.count("Allow mcp__calendar__add_event"), 2)
        self.assertIn("Exec: ... 3 tool calls | mcp__calendar__add_event | mcp__calendar__add_event", out)
        self.assertIn("result: 'drawn' (text, image, error: False)", out)
        turns = out.split("-- turn ")
        self.assertIn("1 catalog messages", turns[1])
        self.assertNotIn("mcp__tracker__report", turns[3].split("Exec:")[0])
        self.assertIn("2 catalog messages", turns[4])  # a new tool was announced
        self.assertIn("mcp__tracker__report", turns[4].split("Exec:")[0])
        self.assertIn("5 messages", turns[5])  # compacted, and announced again
        self.assertIn("1 catalog messages", turns[5])
        self.assertIn("3 open issues", out)
        self.assertTrue(out.endswith("All done.\n"))

    def test_by_the_library(self):
        self.check(self.play("agent.py", EXEC_EXT_PATH=BINARY))

    def test_without_questions_and_without_a_person(self):
        done = self.play("agent.py", "--yes", answers="", EXEC_EXT_PATH=BINARY)
        self.assertEqual((done.returncode, done.stdout.count("Allow mcp__")), (0, 0), done.stderr)
        self.assertIn("3 open issues", done.stdout)
        for name in ("agent.py", "agent_by_hand.py"):
            path = os.path.dirname(BINARY) + os.pathsep + os.environ["PATH"]
            done = self.play(name, answers="", EXEC_EXT_PATH=BINARY, PATH=path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("was not permitted: the user said no", done.stdout)
            self.assertNotIn("EOF", done.stdout + done.stderr)
        self.assertIn("--yes", self.play("agent.py", "--help").stdout)

    def test_the_readmes_example(self):
        text = (HERE.parent / "README.md").read_text(encoding="utf-8")
        [example] = re.findall(r"```python\n(.*?)```", text, re.S)
        program = README_NEEDS + textwrap.indent(example, " " * 8) + README_THEN
        done = self.play("-c", program, EXEC_EXT_PATH=BINARY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Exec completed", done.stdout)

    def test_by_hand_in_sixty_lines(self):
        folder = os.path.dirname(BINARY)
        self.check(self.play("agent_by_hand.py", PATH=folder + os.pathsep + os.environ["PATH"]))
        source = (HERE.parent / "examples" / "agent_by_hand.py").read_text(encoding="utf-8")
        self.assertLessEqual(len(source.splitlines()), 60)

    def guide(self, name):
        text = (HERE.parent.parent / "INTEGRATION.md").read_text(encoding="utf-8")
        [program] = re.findall(rf"```python {name}\n(.*?)```", text, re.S)
        return program

    def test_the_guides_tables_have_all_arguments(self):
        text = (HERE.parent.parent / "INTEGRATION.md").read_text(encoding="utf-8")
        rows = text.split("| argument of `ExecExt` |")[1].split("\n\n")[0].splitlines()[2:]
        named = [n for row in rows for n in re.findall(r"`(\w+)`", row.split("|")[1])]
        self.assertEqual(named, [n for n in inspect.signature(ExecExt).parameters])
        section = text.split("## Python")[1].split("| member of `ExecExt` |")[1].split("\n\n")[0]
        for method in (ExecExt.prepare, ExecExt.start_run):
            for name in list(inspect.signature(method).parameters)[1:]:
                self.assertIn(name, section)

    def test_the_guides_first_program(self):
        done = self.play("-c", self.guide("quickstart"), EXEC_EXT_PATH=BINARY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Pump leaks", done.stdout)

    def test_the_guides_host_of_own_functions(self):
        program = self.guide("own")
        for note, said in (("todo", "Fix the pump."), ("diary", "not permitted: the diary is private")):
            done = self.play("-c", program.replace("note: 'todo'", f"note: '{note}'"), EXEC_EXT_PATH=BINARY)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(said, done.stdout)
