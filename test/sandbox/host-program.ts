/**
 * A small agent that embeds Cordon, run as a program of its own: `node host-program.ts MODE JSON`. It prints one JSON
 * line per message.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { IDLE_MS } from "../../src/bundle/build.ts";
import { HookHost } from "../../src/host/host.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { sandboxesOf } from "./proc.ts";

const [mode, json] = process.argv.slice(2);
const tell = (fact: object): void => console.log(JSON.stringify(fact));

const openThings = () => ({
  descriptors: readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return /^(pipe|socket|\/)/.test(readlinkSync(`/proc/self/fd/${name}`))
        ? readlinkSync(`/proc/self/fd/${name}`)
        : [];
    } catch {
      return [];
    }
  }),
  resources: process.getActiveResourcesInfo(),
});

// Node opens its output where it is first used.
void [process.stdout, process.stderr];
const before = openThings();
const host = await HookHost.start(JSON.parse(json as string) as HookHostOptions);
const call = (command = "ls") =>
  host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } });

/** Closes in the way of the mode, and reports what is open that was not open before. */
async function closeAndTell(close: () => Promise<unknown>): Promise<void> {
  const pids = sandboxesOf();
  await close();
  // The process that built the hook ends by itself.
  await delay(IDLE_MS + 200);
  const after = openThings();
  const newOnes = (now: string[], then: string[]) =>
    now.filter(
      (name, at) =>
        now.slice(0, at + 1).filter((other) => other === name).length > then.filter((other) => other === name).length,
    );
  tell({
    pids,
    descriptors: newOnes(after.descriptors, before.descriptors),
    resources: newOnes(after.resources, before.resources),
    processes: sandboxesOf().length,
  });
}

switch (mode) {
  case "forget":
    tell({ verdict: (await call()) ?? null, pids: sandboxesOf() });
    break;
  case "call":
    tell({ calling: true, pids: sandboxesOf() });
    tell({ verdict: (await call()) ?? null });
    await host.close();
    break;
  case "die-idle":
  case "die-busy": {
    await call();
    // The hook's sandbox, and the spare.
    while (sandboxesOf().length < 2) await delay(50);
    tell({ pids: sandboxesOf() });
    if (mode === "die-busy") void call("hang");
    process.stdin.on("data", (way) => {
      if (String(way).startsWith("exit")) process.exit(3);
      if (String(way).startsWith("throw"))
        setImmediate(() => {
          throw new Error("the agent's own mistake");
        });
    });
    break;
  }
  case "close":
    await call();
    await closeAndTell(() => host.close());
    break;
  case "close-twice":
    await closeAndTell(() => Promise.all([host.close(), host.close()]).then(() => host.close()));
    break;
  case "close-during-start": {
    const reloaded = host.reload("gate");
    await closeAndTell(() => host.close());
    await reloaded;
    await closeAndTell(() => host.close());
    break;
  }
  case "close-during-call": {
    const verdict = call("hang");
    await delay(300);
    await closeAndTell(() => host.close());
    tell({ verdict: (await verdict) ?? null });
    break;
  }
}
