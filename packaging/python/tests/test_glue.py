"""The glue for MCP sessions and frameworks: the real packages, real MCP servers, the real program."""

import asyncio
import functools
import json
import sys
import unittest
from contextlib import AsyncExitStack

from support import BINARY, HERE, fake

from exec_ext import ExecExt, Funnel

try:
    import agents
    import langchain_core
    import mcp
except ImportError:
    raise unittest.SkipTest("the packages of requirements.lock are not installed")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from exec_ext import anthropic, langchain, openai_agents
from exec_ext.funnel import PoolRequest, ToolCall
from exec_ext.mcp import Servers

PNG = "iVBORw0KGgo="
REQUEST = PoolRequest("s", "turn")


def leaf(name, **arguments):
    return ToolCall("s", "r", "c", 1, name, arguments, json.dumps(arguments))


def with_servers(test):
    """Connects within the test's own task, as sessions want it."""

    @functools.wraps(test)
    async def run(self):
        self.servers = Servers()
        async with AsyncExitStack() as self.stack:
            await test(self)

    return run


class ServersTest(unittest.IsolatedAsyncioTestCase):
    async def connect(self, name, script=HERE / "odd_server.py", watched=True):
        command = StdioServerParameters(command=sys.executable, args=[str(script)])
        read, write = (await self.stack.enter_async_context(stdio_client(command)))[:2]
        handler = self.servers.handler(name) if watched else None
        session = await self.stack.enter_async_context(ClientSession(read, write, message_handler=handler))
        await session.initialize()
        await self.servers.add(name, session)
        return session

    async def listed(self):
        result = await self.servers.call_tool(leaf("mcp__odd__echo"))
        return result["result"]["structuredContent"]["listed"]

    @with_servers
    async def test_the_pool_has_every_page_under_flat_names_as_it_was_sent(self):
        await self.connect("odd")
        pool = await self.servers.pool(REQUEST)
        names = [t["name"] for t in pool["tools"]]
        self.assertEqual(names, [f"mcp__odd__{n}" for n in ("echo", "promised", "nulls", "grow", "fails")])
        self.assertEqual(pool["tools"][0]["inputSchema"], {"type": "object", "properties": {"a": {"default": None}}})

    @with_servers
    async def test_the_revision_follows_the_content_and_a_watched_server_is_listed_once(self):
        await self.connect("odd")
        first = await self.servers.pool(REQUEST)
        before = await self.listed()
        again = await self.servers.pool(REQUEST)
        self.assertEqual(again["revision"], first["revision"])
        self.assertEqual(await self.listed(), before)
        await self.servers.call_tool(leaf("mcp__odd__grow"))
        await asyncio.sleep(0.2)
        grown = await self.servers.pool(REQUEST)
        self.assertNotEqual(grown["revision"], first["revision"])
        self.assertEqual(grown["tools"][-1]["name"], "mcp__odd__new5")
        self.servers.deny.append("mcp__odd__new*")
        self.assertNotEqual((await self.servers.pool(REQUEST))["revision"], grown["revision"])

    @with_servers
    async def test_an_unwatched_server_is_listed_each_time(self):
        await self.connect("odd", watched=False)
        await self.servers.pool(REQUEST)
        before = await self.listed()
        await self.servers.pool(REQUEST)
        self.assertGreater(await self.listed(), before)

    @with_servers
    async def test_results_come_as_the_server_sent_them(self):
        await self.connect("odd")
        await self.servers.pool(REQUEST)
        got = await self.servers.call_tool(leaf("mcp__odd__echo", z=1, a=[1.0, None, "é"]))
        self.assertEqual(list(got["result"]["structuredContent"]["args"]), ["z", "a"])
        self.assertEqual(json.dumps(got["result"]["structuredContent"]["args"]["a"][0]), "1.0")
        got = await self.servers.call_tool(leaf("mcp__odd__nulls"))
        self.assertEqual(got["result"]["structuredContent"], {"a": None, "b": 1.0})

    @with_servers
    async def test_E7_a_declared_output_is_never_held_against_the_result(self):
        await self.connect("odd")
        await self.servers.pool(REQUEST)
        got = await self.servers.call_tool(leaf("mcp__odd__promised"))
        self.assertEqual(got["result"]["content"], [{"type": "text", "text": "no structure"}])

    @with_servers
    async def test_E2_what_cannot_be_called_has_a_reason(self):
        session = await self.connect("odd")
        await self.servers.pool(REQUEST)
        with self.assertRaises(mcp.MCPError if hasattr(mcp, "MCPError") else Exception):
            await self.servers.call_tool(leaf("mcp__odd__fails"))
        self.assertEqual((await self.servers.call_tool(leaf("mcp__odd__gone")))["outcome"], "unreachable")
        self.servers.deny.append("mcp__odd__echo")
        self.assertEqual((await self.servers.call_tool(leaf("mcp__odd__echo")))["outcome"], "denied")
        self.servers.remove("odd")
        self.assertEqual((await self.servers.call_tool(leaf("mcp__odd__nulls")))["outcome"], "unreachable")
        self.assertIsNotNone(session)

    @with_servers
    async def test_one_dead_server_leaves_the_others(self):
        await self.connect("odd")

        class Dead:
            async def list_tools(self, **_):
                raise ConnectionError("gone")

        class Hanging:
            asked = 0

            async def list_tools(self, **_):
                self.asked += 1
                await asyncio.sleep(60)

        self.servers._list_timeout = 0.2
        hanging = Hanging()
        await self.servers.add("dead", Dead())
        await self.servers.add("hanging", hanging)
        for _ in range(3):
            pool = await self.servers.pool(REQUEST)
            self.assertEqual(pool["status"], "ok")
            self.assertEqual(len(pool["tools"]), 5)
        self.assertIn("gone", self.servers.errors["dead"])
        self.assertIn("no answer within 0.2 s", self.servers.errors["hanging"])
        self.assertEqual(hanging.asked, 1)  # then it has a rest
        self.servers.changed("hanging")
        await self.servers.pool(REQUEST)
        self.assertEqual(hanging.asked, 2)
        self.servers.remove("odd")
        pool = await self.servers.pool(REQUEST)
        self.assertEqual(pool["status"], "unavailable")
        self.assertIn("dead", pool["reason"])

    @with_servers
    async def test_names_fit_providers(self):
        await self.connect("my server.v2")
        pool = await self.servers.pool(REQUEST)
        self.assertEqual(pool["tools"][0]["name"], "mcp__my_server_v2__echo")
        self.assertEqual((await self.servers.call_tool(leaf("mcp__my_server_v2__echo")))["outcome"], "result")

    @with_servers
    async def test_E18_instructions_are_apart(self):
        await self.connect("odd")
        self.assertEqual(self.servers.instructions(), {"odd": "Be odd."})

    @unittest.skipUnless(BINARY, "EXEC_EXT_TEST_BINARY is not set")
    @with_servers
    async def test_two_servers_through_the_program_in_both_gates(self):
        await self.connect("odd")
        await self.connect("tracker", HERE.parent / "examples" / "tracker_server.py")
        asked = []

        def permission(call):
            asked.append(call.name)
            return "closed on Mondays" if call.name == "mcp__tracker__close_issue" else True

        code = """
            const list = await tools.mcp__tracker__list_issues({});
            await tools.mcp__tracker__chart({});
            const echo = await tools.mcp__odd__echo({ n: list.result.length, deep: { z: 1, a: null } });
            const why = await tools.mcp__tracker__close_issue({ number: 1 }).catch((e) => e.message);
            return { args: echo.args, why };
        """
        for gate in ("inFunnel", "separate"):
            with self.subTest(gate):
                asked.clear()
                async with ExecExt(self.servers.funnel(permission=permission, gate=gate), binary=BINARY) as ext:
                    plan = await ext.prepare("s", history=[])
                    self.assertEqual(plan["declare"], ["Exec"])
                    self.assertIn("tools.mcp__odd__echo(", plan["announcement"]["message"]["text"])
                    result = await ext.run("s", {"code": code})
                self.assertEqual(result["status"], "completed", result)
                self.assertEqual(result["returnValue"]["args"], {"n": 3, "deep": {"z": 1, "a": None}})
                self.assertIn("closed on Mondays", result["returnValue"]["why"])
                self.assertEqual([b["type"] for b in result["content"]], ["text", "image"])
                self.assertEqual([c["status"] for c in result["calls"]], ["ok", "ok", "ok", "denied"])
                self.assertEqual(asked, [c["name"] for c in result["calls"]])


def exec_plan(text="catalog"):
    return {
        "mode": "exec",
        "reason": "pool_nonempty",
        "declare": ["Exec"],
        "execTool": {"name": "Exec", "description": "Runs.", "inputSchema": {"type": "object"}, "annotations": {}},
        "announcement": {"action": "append", "reason": "r", "message": {"role": "user", "isMeta": True, "text": text}},
        "pool": {"size": 2},
        "warnings": [],
    }


def flat_plan(*names):
    return {**exec_plan(), "mode": "flat", "declare": list(names), "announcement": {"action": "none", "reason": "r"}}


POOL = [
    {"name": "mcp__s__t", "description": "T.", "inputSchema": {"type": "object", "properties": {"config": {}}}},
    {"name": "mcp__s__bare"},
]
RESULT = {"content": [{"type": "text", "text": "hi"}, {"type": "image", "mimeType": "image/png", "data": PNG}]}


def failing(c):
    return {"isError": True, "content": [{"type": "text", "text": "broke"}]}


class AnthropicTest(unittest.TestCase):
    def test_declares_announces_and_reads_back_only_its_own_messages(self):
        tools = anthropic.tool_params(exec_plan(), POOL)
        self.assertEqual(tools, [{"name": "Exec", "description": "Runs.", "input_schema": {"type": "object"}}])
        messages = [{"role": "user", "content": "quoted <!-- mcp-catalog {} -->"}]
        self.assertTrue(anthropic.announce(messages, exec_plan()))
        self.assertEqual(json.loads(json.dumps(messages))[-1], {"role": "user", "content": "catalog"})
        self.assertEqual(anthropic.history(messages), ["catalog"])
        self.assertFalse(anthropic.announce(messages, flat_plan()))

    def test_flat_and_unknown(self):
        flat = anthropic.tool_params(flat_plan("mcp__s__bare", "mcp__s__gone"), POOL)
        self.assertEqual(flat, [{"name": "mcp__s__bare", "description": "", "input_schema": {"type": "object"}}])
        self.assertEqual(anthropic.tool_params(flat_plan("mcp__s__bare"), {"status": "ok", "tools": POOL}), flat)
        self.assertEqual(anthropic.tool_params(flat_plan("mcp__s__bare"), {"status": "unavailable", "reason": "x"}), [])
        unknown = {k: v for k, v in flat_plan().items() if k != "declare"}
        self.assertEqual([t["name"] for t in anthropic.tool_params(unknown, POOL)], ["mcp__s__t", "mcp__s__bare"])

    def test_result_with_image(self):
        block = anthropic.tool_result("u1", {**RESULT, "isError": False})
        self.assertEqual((block["tool_use_id"], block["is_error"]), ("u1", False))
        source = {"type": "base64", "media_type": "image/png", "data": PNG}
        self.assertEqual(block["content"], [{"type": "text", "text": "hi"}, {"type": "image", "source": source}])


class OpenAIAgentsTest(unittest.IsolatedAsyncioTestCase):
    async def invoke(self, plan, arguments, call_tool=lambda c: RESULT, **options):
        ext = ExecExt(Funnel(call_tool, **options), binary=fake())
        self.addAsyncCleanup(ext.close)
        [tool] = openai_agents.function_tools(ext, "s", plan, POOL)
        self.assertIsInstance(tool, agents.FunctionTool)
        return await tool.on_invoke_tool(None, arguments)

    async def test_exec(self):
        output = await self.invoke(exec_plan(), '{"steps": []}')
        self.assertEqual([o.text for o in output], ["done"])

    async def test_flat_through_the_funnel_with_images(self):
        output = await self.invoke(flat_plan("mcp__s__t"), '{"config": 1}')
        self.assertEqual(output[0].text, "hi")
        self.assertEqual(output[1].image_url, f"data:image/png;base64,{PNG}")
        refused = await self.invoke(flat_plan("mcp__s__t"), "{}", permission=lambda c: "not today")
        self.assertEqual(refused[0].text, "not today")

    async def test_arguments_that_are_no_object(self):
        for text in ("not json", "[1]"):
            self.assertIn("JSON object", await self.invoke(flat_plan("mcp__s__t"), text))

    async def test_history_is_of_developer_messages(self):
        items = [{"role": "user", "content": "quoted"}, *openai_agents.announcement_items(exec_plan("c1"))]
        self.assertEqual(openai_agents.history(items), ["c1"])
        self.assertEqual(openai_agents.announcement_items(flat_plan()), [])

    @unittest.skipUnless(BINARY, "EXEC_EXT_TEST_BINARY is not set")
    async def test_an_agent_run_with_a_scripted_model(self):
        from agents.items import ModelResponse
        from agents.usage import Usage
        from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

        seen = []

        class Scripted(agents.Model):
            async def get_response(self, system_instructions, input, model_settings, tools, *_, **__):
                seen.append((list(input), [t.name for t in tools]))
                if len(seen) == 1:
                    code = json.dumps({"code": "return await tools.mcp__s__t({ config: 1 });"})
                    call = ResponseFunctionToolCall(
                        type="function_call", call_id="c1", name="Exec", arguments=code, id="f1"
                    )
                    return ModelResponse(output=[call], usage=Usage(), response_id=None)
                text = ResponseOutputText(type="output_text", text="done", annotations=[])
                message = ResponseOutputMessage(
                    id="m1", type="message", role="assistant", status="completed", content=[text]
                )
                return ModelResponse(output=[message], usage=Usage(), response_id=None)

            def stream_response(self, *_, **__):
                raise NotImplementedError

        agents.set_tracing_disabled(True)
        funnel = Funnel(lambda c: RESULT, pool=lambda r: POOL)
        async with ExecExt(funnel, binary=BINARY) as ext:
            items = [{"role": "user", "content": "go"}]
            plan = await ext.prepare("s", history=openai_agents.history(items))
            items += openai_agents.announcement_items(plan)
            tools = openai_agents.function_tools(ext, "s", plan, POOL)
            agent = agents.Agent(name="a", tools=tools, model=Scripted())
            outcome = await agents.Runner.run(agent, items)
        self.assertEqual(outcome.final_output, "done")
        self.assertEqual(seen[0][1], ["Exec"])
        given = next(i for i in seen[1][0] if i.get("type") == "function_call_output")
        self.assertEqual([part["type"] for part in given["output"]], ["input_text", "input_image"])
        self.assertIn("hi", given["output"][0]["text"])


class LangChainTest(unittest.IsolatedAsyncioTestCase):
    async def invoke(self, plan, arguments, call_tool=lambda c: RESULT, **options):
        ext = ExecExt(Funnel(call_tool, **options), binary=fake())
        self.addAsyncCleanup(ext.close)
        [tool] = langchain.tools(ext, "s", plan, POOL)
        call = {"type": "tool_call", "id": "c1", "name": tool.name, "args": arguments}
        return await tool.ainvoke(call)

    async def test_exec(self):
        message = await self.invoke(exec_plan(), {"steps": []})
        self.assertIsInstance(message, langchain_core.messages.ToolMessage)
        self.assertEqual(message.content, [{"type": "text", "text": "done"}])
        self.assertEqual(message.artifact["status"], "completed")

    async def test_flat_with_an_argument_named_as_langchains_own(self):
        seen = []
        message = await self.invoke(flat_plan("mcp__s__t"), {"config": 1}, lambda c: seen.append(c.arguments) or RESULT)
        self.assertEqual(seen, [{"config": 1}])
        image = {"type": "image", "base64": PNG, "mime_type": "image/png"}
        self.assertEqual(message.content, [{"type": "text", "text": "hi"}, image])

    async def test_failures_are_error_messages(self):
        message = await self.invoke(flat_plan("mcp__s__t"), {}, failing)
        self.assertEqual((message.status, message.content), ("error", "broke"))
        message = await self.invoke(flat_plan("mcp__s__t"), {}, permission=lambda c: "not today")
        self.assertEqual((message.status, message.content), ("error", "not today"))

    async def test_binds_and_history(self):
        tool = langchain.tools(ExecExt(), "s", exec_plan())[0]
        from langchain_core.utils.function_calling import convert_to_openai_tool

        self.assertEqual(convert_to_openai_tool(tool)["function"]["name"], "Exec")
        messages = [langchain_core.messages.HumanMessage("quoted"), *langchain.announcement_messages(exec_plan("c1"))]
        self.assertEqual(langchain.history(messages), ["c1"])
        self.assertEqual(langchain.announcement_messages(flat_plan()), [])
