import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../sandbox/proc.ts";
import { factsIn } from "../support/audit-log.ts";
import { sampled } from "../support/length.ts";
import { onToolCall } from "../support/session.ts";
import { namesAll } from "./containment.ts";
import { remoteHost } from "./remote-host.ts";

const GATE = onToolCall(`
  const { command } = event.input;
  if (command === "loop") for (;;) {}
  if (command === "rm") return { block: true, reason: "no rm" };
  if (command !== "exec") return undefined;
  const told = await ctx.exec("echo", ["done"]).then(
    ({ code, stdout }: any) => ({ code, stdout }),
    (error: any) => ({ threw: String(error?.message) }),
  );
  return { block: true, reason: JSON.stringify(told) };`);
const exec = [{ program: "echo", args: ["done"] }];

/** A sandbox needs nine descriptors to start, a build or a command fewer: with each number another step fails. */
const FEW = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12];

const judged = { block: true, hook: "gate", reason: "no rm" };
const blocked = (codes = ["[A-Z_]+"]) => ({ ...judged, reason: expect.stringMatching(namesAll("gate", codes)) });
const judgedOrBlocked = { ...judged, reason: expect.stringMatching(/^no rm$|\([A-Z_]+\)/) };

type Host = ReturnType<typeof remoteHost>;

/** Starts the host and waits for the spare sandbox, so that a kill leaves none. */
async function start({ ask, sandboxes }: Host): Promise<void> {
  await ask("start");
  await eventually("a sandbox and a spare", () => sandboxes().length === 2);
}

async function judgesAndCloses({ ask, close }: Host): Promise<void> {
  expect(await ask("call", "ls")).toBeNull();
  expect(await ask("call", "rm")).toEqual(judged);
  await close();
}

test("a hook whose host has no descriptors left still judges, and its verdicts are on record", async () => {
  const host = remoteHost(GATE);
  const { ask } = host;
  await start(host);
  await ask("exhaust", 0);
  for (let times = 0; times < 3; times++) {
    expect(await ask("call", "ls")).toBeNull();
    expect(await ask("call", "rm")).toEqual(judged);
  }
  expect(await ask("log")).toEqual([]);
  const outcomes = factsIn(join(host.folder, "home")).map(({ outcome }) => outcome);
  expect(outcomes.slice(-6).join(" ")).toBe("pass block pass block pass block");
  await ask("release");
  await judgesAndCloses(host);
});

test("a hook whose sandbox dies while its host has no descriptors left blocks until a reload with free descriptors", async () => {
  const host = remoteHost(GATE);
  const { ask, sandboxes, killSandboxes } = host;
  await start(host);
  await ask("exhaust", 0);
  killSandboxes();
  for (const verdict of await Promise.all([ask("call", "rm"), ask("call", "rm"), ask("call", "rm")])) {
    expect(verdict).toEqual(judgedOrBlocked);
  }
  await expect.poll(() => ask("state"), { timeout: 20_000 }).toBe("stopped");
  expect(await ask("call", "ls")).toEqual(blocked());
  expect(await ask("call", "rm")).toEqual(blocked());
  await ask("reload");
  expect(await ask("state")).toMatch(/^(failed|stopped)$/);
  expect(await ask("call", "ls")).toEqual(blocked());
  expect(sandboxes()).toEqual([]);
  await ask("release");
  expect(await ask("call", "ls")).toEqual(blocked());
  await ask("reload");
  expect(await ask("state")).toBe("active");
  await judgesAndCloses(host);
});

test("a hook whose sandbox dies while its host has few descriptors left judges or blocks", async () => {
  const host = remoteHost(GATE);
  const { ask, killSandboxes } = host;
  await start(host);
  for (const free of FEW) {
    await ask("exhaust", free);
    killSandboxes();
    const verdicts = await Promise.all([ask("call", "rm"), ask("call", "rm")]);
    verdicts.push(await ask("call", "rm"));
    await ask("reload");
    verdicts.push(await ask("call", "rm"));
    for (const verdict of verdicts) expect(verdict, `with ${free} left`).toEqual(judgedOrBlocked);
    await ask("release");
    await ask("reload");
    expect(await ask("state"), `after ${free} were left`).toBe("active");
    expect(await ask("call", "rm")).toEqual(judged);
  }
  await judgesAndCloses(host);
});

test("a hook that loops while its host has no descriptors left, and cannot see its CPU time, is ended", async () => {
  const host = remoteHost(GATE, { limits: { cpuMs: 50 } });
  const { ask } = host;
  await start(host);
  await ask("exhaust", 0);
  expect(await ask("call", "loop")).toEqual(blocked(["CPU_EXCEEDED"]));
  expect(await ask("call", "rm")).toEqual(judgedOrBlocked);
  await ask("release");
  await ask("reload");
  await judgesAndCloses(host);
});

test("a command of a hook fails while its host has no descriptors left, and works once some are free", async () => {
  const host = remoteHost(GATE, { capabilities: { exec } });
  const { ask } = host;
  const run = async () => JSON.parse(((await ask("call", "exec")) as { reason: string }).reason);
  await start(host);
  expect(await run()).toEqual({ code: 0, stdout: "done\n" });
  await ask("exhaust", 0);
  for (const told of await Promise.all([run(), run(), run()])) {
    expect(told).toSatisfy(({ code, threw }) => code > 0 || threw !== undefined);
    expect(told.stdout ?? "").toBe("");
  }
  expect(await ask("call", "rm")).toEqual(judged);
  for (const free of FEW) {
    await ask("exhaust", free);
    const told = await run();
    expect(told.stdout ?? "", `with ${free} left`).toBe(told.code === 0 ? "done\n" : "");
    expect(await ask("call", "rm")).toEqual(judged);
  }
  await ask("release");
  expect(await run()).toEqual({ code: 0, stdout: "done\n" });
  await judgesAndCloses(host);
});

test.each(sampled([0, 1, 2, 4, 6, 8], 3))(
  "a host that starts with %i descriptors left rejects or blocks",
  async (free) => {
    const host = remoteHost(GATE);
    const { ask, tell, sandboxes } = host;
    await ask("exhaust", free);
    if ("threw" in (await tell("start"))) {
      await eventually("the end of what it had started", () => sandboxes().length === 0);
      await ask("release");
      await ask("start");
    } else {
      expect(await ask("call", "rm")).toEqual(judgedOrBlocked);
      await ask("release");
      await ask("reload");
    }
    await judgesAndCloses(host);
  },
);
