import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { onToolCall } from "../support/session.ts";
import { eventually, inGroups, ticksOf } from "./proc.ts";
import { runHost } from "./run-host.ts";

const HOOK = onToolCall('if (event.input.command === "hang") for (;;);');
/** The loop is longer than the test: only the death of the host may end it. */
const LIMITS = { cpuMs: 60_000 };

const DEATHS: { name: string; ends: number | string; bring(host: ReturnType<typeof runHost>): void }[] = [
  { name: "SIGKILL", ends: "SIGKILL", bring: (host) => host.child.kill("SIGKILL") },
  { name: "SIGTERM", ends: "SIGTERM", bring: (host) => host.child.kill("SIGTERM") },
  { name: "process.exit", ends: 3, bring: (host) => host.child.stdin?.write("exit\n") },
  { name: "an uncaught exception", ends: 1, bring: (host) => host.child.stdin?.write("throw\n") },
];
const STATES = ["idle", "busy"] as const;

const CASES = DEATHS.flatMap((death) => STATES.map((state) => ({ ...death, state })));

test.each(sampled(CASES, 3))(
  "sandbox processes end by themselves when the host dies of $name while they are $state",
  async ({ state, ends, bring }) => {
    const host = runHost(`die-${state}`, HOOK, { limits: LIMITS });
    const { pids = [] } = await host.next();
    expect(pids).toHaveLength(2);
    // The spare may be too young to have its watcher.
    await eventually("two sandboxes with a watcher each", () => inGroups(pids).length === 4);
    if (state === "busy") await eventually("an endless loop", () => pids.some((pid) => ticksOf(pid) > 50));
    bring(host);
    expect(await host.ended).toBe(ends);
    await eventually("the end of all sandboxes and watchers", () => inGroups(pids).length === 0);
  },
);
