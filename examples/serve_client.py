"""An agent in Python that asks hooks over JSON-RPC.

    python3 examples/serve_client.py 'cordon serve --hook gate.ts' 'echo hello' 'rm -rf build'
"""

import json
import shlex
import subprocess
import sys

server, *commands = sys.argv[1:]
process = subprocess.Popen(shlex.split(server), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def send(message):
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


def answer(request):
    """Answers a question of Cordon. There is no person here, so every question is declined."""
    results = {"ui/confirm": False, "consent/ask": "deny"}
    send({"id": request["id"], "result": results.get(request["method"])})


def call(number, method, params=None):
    send({"id": number, "method": method, "params": params or {}})
    for line in process.stdout:
        message = json.loads(line)
        if "method" in message:
            if "id" in message:
                answer(message)
        elif message.get("id") == number:
            if "error" in message:
                raise RuntimeError(message["error"]["message"])
            return message["result"]
    # Nothing guards the calls any more, so no call may pass.
    raise RuntimeError("cordon ended")


call(1, "initialize", {"protocolVersion": 1})
for number, command in enumerate(commands, start=2):
    event = {"type": "tool_call", "toolName": "bash", "toolCallId": str(number), "input": {"command": command}}
    verdict = call(number, "emit", {"event": event})["result"]
    if verdict and verdict.get("block"):
        print(f"blocked {command}: {verdict['reason']}")
    else:
        # A hook may have changed the input: run the changed one.
        allowed = (verdict or event)["input"]["command"]
        print(subprocess.run(["sh", "-c", allowed], capture_output=True, text=True).stdout.rstrip())
call(0, "shutdown")
process.wait()
