"""Stands for the hooks of the Strands SDK for Python, which these tests cannot install: its events, and nothing of an agent.

Written from the documentation of strands.hooks: which members an event has, and which of them a callback may set.
"""

import inspect


class HookProvider:
    pass


class HookEvent:
    writable = ()

    def __init__(self, **members):
        self.__dict__.update(members)

    def __setattr__(self, name, value):
        if name not in self.writable:
            raise AttributeError(f"{name} is not writable")
        self.__dict__[name] = value


class BeforeInvocationEvent(HookEvent):
    pass


class AfterInvocationEvent(HookEvent):
    pass


class BeforeToolCallEvent(HookEvent):
    writable = ("cancel_tool", "selected_tool", "tool_use")


class AfterToolCallEvent(HookEvent):
    writable = ("result", "retry")


class HookRegistry:
    def __init__(self):
        self._callbacks = []

    def add_callback(self, kind, callback):
        self._callbacks.append((kind, callback))

    async def invoke(self, event):
        for kind, callback in self._callbacks:
            if type(event) is kind:
                done = callback(event)
                if inspect.isawaitable(done):
                    await done
        return event
