"""An agent loop with the library: permission prompts, live summary, images, announcements, compaction.

It asks at the terminal before a tool is run.
"""

import argparse
import asyncio
from contextlib import AsyncExitStack
from typing import Any, Dict, List

from connect import connect, permit
from standin import Model

from exec_ext import ExecExt, Progress, ToolCall
from exec_ext.anthropic import announce, history, tool_params, tool_result
from exec_ext.mcp import Servers


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--yes", action="store_true", help="allow every tool without asking")
options = parser.parse_args()


async def ask(call: ToolCall) -> "bool | str":
    return options.yes or await permit(call.name, call.raw_arguments) or "the user said no"


def show(progress: Progress) -> None:
    print("   Exec:", progress["summary"]["text"].replace("\n", " | "))


async def main() -> None:
    servers, model = Servers(), Model()
    messages: List[Dict[str, Any]] = [{"role": "user", "content": "Plan the urgent issues, then report."}]
    async with AsyncExitStack() as stack:
        sessions = await stack.enter_async_context(connect(servers.handler))
        for name, session in sessions.items():
            await servers.add(name, session)
        ext = await stack.enter_async_context(ExecExt(servers.funnel(permission=ask, progress=show)))
        while True:
            plan = await ext.prepare("main", history=history(messages))
            announce(messages, plan)
            tools = tool_params(plan, await ext.pool("main"))
            reply = model.create(messages=messages, tools=tools)
            messages.append({"role": "assistant", "content": reply})
            uses = [block for block in reply if block["type"] == "tool_use"]
            if not uses:
                return print(reply[0]["text"])
            results = [tool_result(use["id"], await ext.run("main", use["input"])) for use in uses]
            messages.append({"role": "user", "content": results})
            if len(messages) > 10:  # compaction: the catalog goes too, and is announced again
                messages = [messages[0], {"role": "user", "content": "Summary: work was planned."}, *messages[-2:]]


asyncio.run(main())
