"""Hooks in agents of the Strands SDK for Python, over JSON-RPC.

    from strands_hooks import CordonHooks

    hooks = CordonHooks(["cordon", "serve", "--hook", "gate.ts"])
    agent = Agent(tools=[...], hooks=[hooks])
"""

import asyncio
import base64
import itertools
import json
import subprocess
import threading
from concurrent.futures import Future

from strands.hooks import (
    AfterInvocationEvent,
    AfterToolCallEvent,
    BeforeInvocationEvent,
    BeforeToolCallEvent,
    HookProvider,
    HookRegistry,
)

SESSION = {"type": "session", "entries": [], "sessionFile": None, "previousSessionFile": None}


class Cordon:
    """`cordon serve`. Calls may overlap, and come from any thread."""

    def __init__(self, command, answer):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._answer = answer
        self._numbers = itertools.count(1)
        self._open = {}
        self._lock = threading.Lock()
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def call(self, method, params):
        """A future of the answer. It fails when Cordon refuses the request or is gone."""
        number, future = next(self._numbers), Future()
        with self._lock:
            if self._ended:
                future.set_exception(RuntimeError("cordon ended"))
                return future
            self._open[number] = future
        try:
            self._send({"id": number, "method": method, "params": params})
        except (OSError, ValueError) as error:
            with self._lock:
                waits = self._open.pop(number, None)
            # The thread that reads may have told it already.
            if waits:
                waits.set_exception(error)
        return future

    def end(self):
        try:
            self.call("shutdown", {}).result(timeout=10)
        finally:
            self._process.stdin.close()
            self._process.wait(timeout=10)

    def _send(self, message):
        # Text that JSON cannot hold fails here, and with it the call.
        line = json.dumps({"jsonrpc": "2.0", **message}, allow_nan=False)
        with self._lock:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def _read(self):
        for line in self._process.stdout:
            message = json.loads(line)
            if "method" not in message:
                with self._lock:
                    future = self._open.pop(message.get("id"), None)
                if future and "error" in message:
                    future.set_exception(RuntimeError(message["error"]["message"]))
                elif future:
                    future.set_result(message["result"])
            elif "id" in message:
                self._send({"id": message["id"], "result": self._answer(message["method"], message["params"])})
        with self._lock:
            self._ended = True
            waiting, self._open = list(self._open.values()), {}
        # Nothing guards the calls any more, so no call may pass.
        for future in waiting:
            future.set_exception(RuntimeError("cordon ended"))


def decline(method, _params):
    """Answers each question of a hook or of Cordon as where no person is."""
    return {"ui/confirm": False, "consent/ask": "deny"}.get(method)


def shown(block):
    """One part of a result as a text for hooks: what is no text goes as JSON, with bytes as base64."""
    if "text" in block:
        return block["text"]
    return json.dumps(block.get("json", block), default=lambda value: base64.b64encode(value).decode())


class CordonHooks(HookProvider):
    """Asks hooks about each call of a tool, and shows them what it gave. Every failure blocks."""

    def __init__(self, command, answer=decline):
        self._cordon = Cordon(command, answer)
        self._cordon.call("initialize", {"protocolVersion": 1}).result(timeout=60)
        self._cordon.call("emit", {"event": {**SESSION, "reason": "start"}}).result(timeout=60)

    def register_hooks(self, registry: HookRegistry, **_more):
        registry.add_callback(BeforeToolCallEvent, self.judge)
        registry.add_callback(AfterToolCallEvent, self.show)
        registry.add_callback(BeforeInvocationEvent, self.start)
        registry.add_callback(AfterInvocationEvent, self.finish)

    async def judge(self, event):
        use = event.tool_use
        try:
            # A copy, so that what is judged is what runs.
            judged = json.loads(json.dumps(use["input"], allow_nan=False))
            verdict = await self._emit("tool_call", use, input=judged) or {}
            if verdict.get("block"):
                who = verdict.get("hook")
                event.cancel_tool = f"Blocked by hook {who}: {verdict['reason']}" if who else f"Blocked: {verdict['reason']}"
            else:
                event.tool_use = {**use, "input": verdict.get("input", judged)}
        except Exception as error:
            event.cancel_tool = f"Blocked: no hook could judge this call: {error}"

    async def show(self, event):
        # A call that was blocked ran nothing.
        if getattr(event, "cancel_message", None):
            return
        use, result = event.tool_use, event.result
        try:
            content = [{"type": "text", "text": shown(block)} for block in result["content"]]
            error = result["status"] == "error"
            changed = await self._emit("tool_result", use, input=use["input"], content=content, isError=error)
            if changed:
                texts = ["[Changed by a hook]", *(part.get("text", "[image]") for part in changed.get("content", content))]
                event.result = {
                    "toolUseId": use["toolUseId"],
                    "status": "error" if changed.get("isError", error) else "success",
                    "content": [{"text": text} for text in texts],
                }
        except Exception as error:
            text = f"Result withheld: no hook could check it: {error}"
            event.result = {"toolUseId": use["toolUseId"], "status": "error", "content": [{"text": text}]}

    async def start(self, _event):
        await asyncio.wrap_future(self._cordon.call("emit", {"event": {"type": "agent_start"}}))

    async def finish(self, _event):
        await asyncio.wrap_future(self._cordon.call("emit", {"event": {"type": "agent_end", "messages": []}}))

    def close(self):
        self._cordon.end()

    async def _emit(self, kind, use, **more):
        event = {"type": kind, "toolName": use["name"], "toolCallId": use["toolUseId"], **more}
        return (await asyncio.wrap_future(self._cordon.call("emit", {"event": event})))["result"]
