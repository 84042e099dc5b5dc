"""The same agent loop without the library: JSON lines over the pipes of `exec-ext serve` (exec-ext is on PATH)."""
import asyncio
import json
from connect import call, connect, list_tools, permit
from standin import Model
waiting, tasks = {}, set()
def send(ext, **message):
    ext.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

async def ask(ext, method, **params):
    waiting[method] = asyncio.get_running_loop().create_future()
    send(ext, id=method, method=method, params=params)  # one request a method at a time: its name can be the id
    return await waiting[method]

async def answer(ext, sessions, m):  # what exec-ext asks of us: the pool, and calls
    p, result = m["params"], {"outcome": "denied", "reason": "the user said no"}
    try:
        if m["method"] == "host/pool":
            result = {"status": "ok", "tools": await list_tools(sessions)}
        elif await permit(p["name"], json.dumps(p["arguments"])):
            result = {"outcome": "result", "result": await call(sessions, p["name"], p["arguments"])}
        send(ext, id=m["id"], result=result)
    except Exception as e:  # the script's await rejects with it
        send(ext, id=m["id"], error={"code": -32603, "message": str(e)})

async def read(ext, sessions):
    async for line in ext.stdout:
        m = json.loads(line)
        if m.get("method") == "exec/progress":
            print("   Exec:", m["params"]["summary"]["text"].replace("\n", " | "))
        elif "method" in m:
            tasks.add(asyncio.create_task(answer(ext, sessions, m)))
        else:
            waiting.pop(m["id"]).set_result(m["result"])

async def main():
    messages, announced, model = [{"role": "user", "content": "Plan the urgent issues, then report."}], [], Model()
    async with connect() as sessions:
        ext = await asyncio.create_subprocess_exec("exec-ext", "serve", stdin=-1, stdout=-1, limit=1 << 26)
        tasks.add(asyncio.create_task(read(ext, sessions)))
        can = {"pool": {}, "callTool": {"permission": "inFunnel"}, "progress": True}
        who = {"clientInfo": {"name": "by-hand", "version": "1"}, "processId": None}
        await ask(ext, "initialize", protocolVersion=1, capabilities=can, **who)
        while True:
            history = [m["content"] for m in messages if m in announced]
            plan = await ask(ext, "turn/prepare", sessionId="main", history=history)
            if plan["announcement"]["action"] == "append":
                announced.append({"role": "user", "content": plan["announcement"]["message"]["text"]})
                messages.append(announced[-1])
            [block] = model.create(messages=messages, tools=[plan["execTool"]])
            messages.append({"role": "assistant", "content": [block]})
            if block["type"] == "text":
                return print(block["text"])  # our end closes its stdin: it ends too
            done = await ask(ext, "exec/run", sessionId="main", runId=block["id"], input=block["input"])
            result = {"type": "tool_result", "tool_use_id": block["id"], "is_error": done["isError"], "content": done["content"]}
            messages.append({"role": "user", "content": [result]})
            if len(messages) > 10:  # compaction: the catalog goes too, and is announced again
                messages = [messages[0], {"role": "user", "content": "Summary: work was planned."}, *messages[-2:]]

asyncio.run(main())
