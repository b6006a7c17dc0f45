import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { openDialogs } from "../../src/agents/pi/open-dialogs.ts";
import type { PiLink } from "../../src/agents/pi/pi-link.ts";
import type { PiKey } from "../../src/agents/pi/pi-ui.ts";
import { PiTyping } from "../../src/agents/pi/typing.ts";
import type { HookHost } from "../../src/host/host.ts";
import { startSession } from "../support/session.ts";

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

const [UP, DOWN, ENTER] = ["\u001b[A", "\u001b[B", "\r"];

/** A terminal of pi's, and a hook that makes another key of each, and takes its time. */
async function typed() {
  const session = await startSession({
    keys: {
      source: `export default (pi: any) => pi.on("turn_start", (_event: any, ctx: any) => {
        ctx.ui.onTerminalInput((data: string) => {
          for (const end = Date.now() + 100; Date.now() < end; );
          return data === ${JSON.stringify(DOWN)} ? { data: ${JSON.stringify(UP)} } : undefined;
        });
      });`,
      grant: { capabilities: { ui: ["typing"] } },
    },
  });
  await session.host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  await expect.poll(() => session.host.typing.listeners).toEqual(["keys"]);
  const got: string[] = [];
  let press: (data: string) => PiKey = () => undefined;
  const ui = {
    onTerminalInput: (listener: typeof press) => {
      press = listener;
      return () => {};
    },
  };
  const link = {
    hasBegun: true,
    notices: [],
    context: { mode: "tui", ui },
    type: (data: string) => press(data) ?? got.push(data),
  };
  new PiTyping(session.host, link as unknown as PiLink).update();
  return { got, press: (data: string) => void (press(data) ?? got.push(data)) };
}

/** A dialog that is open until its end is called. */
function dialog(): () => Promise<void> {
  const answered = Promise.withResolvers<void>();
  const over = openDialogs.during({}, () => answered.promise);
  return () => {
    answered.resolve();
    return over;
  };
}

test("no hook hears or changes the keys by which a person answers a dialog", async () => {
  const { got, press } = await typed();
  const end = dialog();
  for (const key of [DOWN, ENTER]) press(key);
  expect(got).toEqual([DOWN, ENTER]);
  await end();
  press(DOWN);
  await expect.poll(() => got).toEqual([DOWN, ENTER, UP]);
});

test("what was pressed before a dialog does not answer it, however long a hook keeps it", async () => {
  const { got, press } = await typed();
  for (const key of [UP, ENTER]) press(key);
  const end = dialog();
  await delay(500);
  expect(got).toEqual([]);
  press(DOWN);
  expect(got).toEqual([DOWN]);
  await end();
  await expect.poll(() => got).toEqual([DOWN, UP, ENTER]);
});
