import { expect, test } from "vitest";
import type { PiLink } from "../../src/agents/pi/pi-link.ts";
import { PiTyping } from "../../src/agents/pi/typing.ts";
import type { HookHost } from "../../src/host/host.ts";

test("the notice names the hooks that hear keys now, and pi hands on keys as long as there is one", () => {
  let listens = 0;
  const onTerminalInput = () => {
    listens++;
    return () => void listens--;
  };
  const link = { hasBegun: true, notices: [] as string[], context: { mode: "tui", ui: { onTerminalInput } } };
  const typing = { completers: [], listeners: [] as string[] };
  const inPi = new PiTyping({ typing } as unknown as HookHost, link as unknown as PiLink);
  for (const listeners of [["vim"], ["vim"], ["vim", "spy"], ["spy"], [], ["spy"], []]) {
    typing.listeners = listeners;
    inPi.update();
    expect(link.notices).toEqual(listeners.length > 0 ? [`hook ${listeners.join(", ")} reads your keys`] : []);
    expect(listens).toBe(listeners.length > 0 ? 1 : 0);
  }
});
