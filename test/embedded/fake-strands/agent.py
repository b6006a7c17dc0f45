"""A fake agent: runs calls at once, as an agent of the Strands SDK does, and prints what its model would read.

    python3 agent.py EXAMPLES 'CORDON SERVE' CALL...      each CALL: a command, or JSON of an input
"""

import asyncio
import json
import os
import shlex
import sys

examples, server, *calls = sys.argv[1:]
sys.path.insert(0, examples)

from strands import hooks as strands  # noqa: E402
from strands_hooks import CordonHooks  # noqa: E402

cordon = CordonHooks(shlex.split(server))
registry = strands.HookRegistry()
cordon.register_hooks(registry)


def run(command):
    if command == "kill cordon":
        os.kill(cordon._cordon._process.pid, 9)
        cordon._cordon._process.wait()
    if command == "bytes":
        return {"document": {"name": "a", "source": {"bytes": b"hunter2"}}}
    return {"json": {"ran": command}} if command.startswith("json") else {"text": f"ran {command}"}


async def call(number, given):
    use = {"name": "bash", "toolUseId": str(number), "input": json.loads(given) if given[0] == "{" else {"command": given}}
    before = await registry.invoke(strands.BeforeToolCallEvent(tool_use=use, selected_tool=None, cancel_tool=False))
    if before.cancel_tool:
        content, status, cancelled = [{"text": before.cancel_tool}], "error", before.cancel_tool
    else:
        content, status, cancelled = [run(before.tool_use["input"].get("command"))], "success", None
    result = {"toolUseId": str(number), "status": status, "content": content}
    after = strands.AfterToolCallEvent(tool_use=before.tool_use, result=result, cancel_message=cancelled)
    return (await registry.invoke(after)).result["content"]


async def main():
    await registry.invoke(strands.BeforeInvocationEvent())
    # One after another where the last call kills Cordon.
    if "kill cordon" in calls:
        results = [await call(number, given) for number, given in enumerate(calls)]
    else:
        results = await asyncio.gather(*(call(number, given) for number, given in enumerate(calls)))
        await registry.invoke(strands.AfterInvocationEvent())
        cordon.close()
    for content in results:
        print(json.dumps([block.get("text", str(block)) for block in content]))


asyncio.run(main())
