"""A test double for `exec-ext serve`: it speaks the protocol and misbehaves to order.

The first argument names how it starts; the input of `exec/run` is a list of steps that it plays. It knows nothing of
scripts, pools or catalogs.
"""

import json
import os
import sys
import threading
import time

OUT = threading.Lock()
ANSWERS = {}
ANSWERED = threading.Condition()
CANCELLED = set()
DEAF = False
IDS = iter(range(1000, 10**9))
WHO = {"sessionId": "", "runId": ""}


def send(message):
    with OUT:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def ask(method, params, ident=None, seconds=20):
    """Sends a request of ours and waits for what the host answers: result or error."""
    ident = next(IDS) if ident is None else ident
    send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
    deadline = time.monotonic() + seconds
    with ANSWERED:
        while ident not in ANSWERS:
            if not ANSWERED.wait(deadline - time.monotonic()):
                return {"nothing": True}
        return ANSWERS.pop(ident)


def call_params(step, run):
    return {
        **run,
        "callId": step.get("callId", "c1"),
        "index": step.get("index", 1),
        "name": step["name"],
        "arguments": step.get("arguments", {}),
        "timeLeftMs": step.get("timeLeftMs", 60000),
    }


def play(step, run, said, grants):
    """One step; what the host answered goes into said."""
    kind = step["do"]
    if kind == "call":
        params = call_params(step, run)
        if "grant" in step:
            params["grant"] = grants.get(step["grant"], step["grant"])
        said.append(ask("host/callTool", params))
    elif kind == "permission":
        answer = ask("host/permission", {k: v for k, v in call_params(step, run).items() if k != "timeLeftMs"})
        grants[step.get("as", "g")] = answer.get("result", {}).get("grant")
        said.append(answer)
    elif kind == "raw":
        with OUT:
            sys.stdout.write(step["text"])
            sys.stdout.flush()
        if "id" in step:
            with ANSWERED:
                ANSWERED.wait_for(lambda: step["id"] in ANSWERS, 20)
                said.append(ANSWERS.pop(step["id"], None))
    elif kind == "ask":
        said.append(ask(step["method"], step["params"]))
    elif kind == "start-call":
        send({"jsonrpc": "2.0", "id": step["id"], "method": "host/callTool", "params": call_params(step, run)})
    elif kind == "cancel-call":
        send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": step["id"]}})
        with ANSWERED:
            ANSWERED.wait_for(lambda: step["id"] in ANSWERS, 20)
            said.append(ANSWERS.pop(step["id"], None))
    elif kind == "flood":
        for seq in range(step["count"]):
            summary = {"text": f"{seq} tool calls", "total": seq, "state": "running"}
            send({"jsonrpc": "2.0", "method": "exec/progress", "params": {**run, "seq": seq + 1, "summary": summary}})
    elif kind == "stderr":
        sys.stderr.write(step["text"] * step.get("times", 1))
        sys.stderr.flush()
    elif kind == "hang":
        time.sleep(120)
    elif kind == "deaf":  # from now on nothing is answered
        global DEAF
        DEAF = True
        time.sleep(120)
    elif kind == "wait-for-cancel":
        with ANSWERED:
            ANSWERED.wait_for(lambda: run["runId"] in CANCELLED or "*" in CANCELLED, 20)
        said.append({"cancelled": run["runId"]})
    elif kind == "half-frame":
        with OUT:
            sys.stdout.write('{"jsonrpc":"2.0","id":1,"resu')
            sys.stdout.flush()
        os._exit(7)
    elif kind == "exit":
        os._exit(step.get("code", 9))
    else:
        raise SystemExit(f"no step {kind}")


def run(ident, params):
    run_ids = {"sessionId": params["sessionId"], "runId": params["runId"]}
    said, grants = [], {}
    for step in params["input"]["steps"]:
        play(step, run_ids, said, grants)
    cancelled = params["runId"] in CANCELLED or "*" in CANCELLED
    result = {
        "runId": params["runId"],
        "isError": cancelled,
        "status": "cancelled" if cancelled else "completed",
        "content": [{"type": "text", "text": "done"}],
        "logs": {"text": "", "chars": 0, "truncated": False},
        "returnValue": said,
        "summary": {"text": "1 tool call", "total": 1, "state": "done"},
        "calls": [],
        "stats": {"wallMs": 1, "activeMs": 1, "queuedMs": 0},
    }
    if params["input"].get("rubbish"):
        result = params["input"]["rubbish"]
    send({"jsonrpc": "2.0", "id": ident, "result": result})


def answer(message, mode):
    method, ident, params = message.get("method"), message.get("id"), message.get("params") or {}
    if DEAF:
        return
    if method is None:
        with ANSWERED:
            ANSWERS[ident] = {k: message[k] for k in ("result", "error") if k in message}
            ANSWERED.notify_all()
    elif method == "initialize":
        if mode == "refuses-version":
            error = {"code": -31001, "message": "no common version", "data": {"supported": [2, 3]}}
            send({"jsonrpc": "2.0", "id": ident, "error": error})
            return
        if mode == "refuses-config":
            error = {"code": -32602, "message": "wrong type", "data": {"path": "config.limits", "kind": "type"}}
            send({"jsonrpc": "2.0", "id": ident, "error": error})
            return
        result = {
            "protocolVersion": 2 if mode == "other-version" else 1,
            "serverInfo": {"name": "fake", "version": "0"},
            "execTool": {"name": "Exec", "description": "d", "inputSchema": {"type": "object"}, "annotations": {}},
            "got": params,
        }
        send({"jsonrpc": "2.0", "id": ident, "result": result})
    elif method == "exec/run":
        threading.Thread(target=run, args=(ident, params), daemon=True).start()
    elif method == "exec/cancel":
        with ANSWERED:
            CANCELLED.add(params.get("runId", "*"))
            ANSWERED.notify_all()
    elif method == "turn/prepare":
        if mode == "dies-planning":
            os._exit(5)
        if mode == "never-plans":
            return
        if mode in ("refuses-planning", "refuses-params"):
            code = -32603 if mode == "refuses-planning" else -32602
            send({"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": "refused"}})
            return
        if mode.startswith("plans:"):
            send({"jsonrpc": "2.0", "id": ident, "result": json.loads(mode[6:])})
            return
        plan = {
            "mode": "exec",
            "reason": "pool_nonempty",
            "declare": ["Exec"],
            "announcement": {"action": "none", "reason": "same"},
            "pool": {"size": 1},
            "warnings": [json.dumps(params)],
        }
        send({"jsonrpc": "2.0", "id": ident, "result": plan})
    elif method == "config/update":
        send({"jsonrpc": "2.0", "id": ident, "result": {"effectiveConfig": {}, "changed": [], "clamped": []}})
    elif method == "extension/health":  # never answered: for cancelling requests
        pass
    elif method == "shutdown":
        if mode == "never-says-goodbye":
            return
        send({"jsonrpc": "2.0", "id": ident, "result": None})
    elif method == "exit":
        sys.stderr.write("told to exit\n")
        sys.stderr.flush()
        os._exit(0)
    elif method == "$/cancelRequest":
        sys.stderr.write("cancelled " + json.dumps(params) + "\n")
        sys.stderr.flush()
    elif ident is not None:
        send({"jsonrpc": "2.0", "id": ident, "result": {}})


def main():
    mode = sys.argv[1]
    if os.environ.get("FAKE_STARTS"):
        with open(os.environ["FAKE_STARTS"], "a", encoding="utf-8") as f:
            f.write("x")
    if mode == "crashes":
        sys.stderr.write("no room on the ark\n")
        sys.exit(42)
    if mode == "too-low":
        sys.exit(3 if "--require-isolation" in sys.argv else 0)
    if mode == "garbage":
        print("Hello, I am a banner", flush=True)
    if mode == "silent":
        time.sleep(60)
    if mode == "slow":
        time.sleep(0.5)
    for line in sys.stdin:
        answer(json.loads(line), mode)
    sys.exit(1)


main()
