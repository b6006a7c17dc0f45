import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Waiting } from "../../../src/daemon/questions.ts";
import { askDaemon, type DaemonStatus } from "../../../src/shim/ask-daemon.ts";
import { needs } from "../../support/needs.ts";
import { onToolCall, temporaryFolder } from "../../support/session.ts";
import { lacksNamespace } from "../pi/install.ts";
import { REAL_AGENTS, RealPerson } from "./real-agents.ts";

const HOOKS = {
  gate: onToolCall(
    'const text = String(event.input.command); if (text.includes("rm")) return { block: true, reason: "no rm" };' +
      ' if (text.startsWith("touch asked") && !(await ctx.ui.confirm("Really?", text))) return { block: true, reason: "not allowed" };',
  ),
  longer: onToolCall('if (event.input.command === "echo old > old.txt") event.input.command = "echo new > new.txt";'),
  redacts: `export default (pi) => pi.on("tool_result", (event) => {
    const content = event.content.map((part) => ({ ...part, text: part.text.replace(/KEY\\w+/g, "***") }));
    if (content.some((part, at) => part.text !== event.content[at].text)) return { content };
  });`,
  hangs: onToolCall('if (event.input.command === "echo hang") for (;;) {}'),
  eats: onToolCall(
    'if (event.input.command === "echo eat") { const all = []; for (;;) all.push(new Array(1e6).fill(1)); }',
  ),
  powers: onToolCall('if (event.input.command?.startsWith("touch power")) await ctx.exec("true", []);'),
  dies: onToolCall('if (event.input.command === "echo die") throw new Error("oops");'),
  slow: onToolCall(
    'if (event.input.command === "echo slow") console.log("begun"), await new Promise((done) => setTimeout(done, 8000));',
  ),
};
const GRANTS = {
  longer: { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } } },
  redacts: { capabilities: { events: { see: ["tool_result"], rewriteResult: ["*"] } } },
  hangs: { capabilities: { events: { see: ["tool_call"], block: true } }, limits: { cpuMs: 300 } },
};

const lacks = lacksNamespace();

describe.each(REAL_AGENTS.map((agent) => [agent.name, agent] as const))("%s", needs(lacks), (_name, agent) => {
  const { shell, read } = agent;
  const person = (): RealPerson => {
    const one = new RealPerson(agent, temporaryFolder(), HOOKS, GRANTS);
    // Before its folder is removed.
    onTestFinished(async () => {
      await askDaemon(one.home, "stop").catch(() => undefined);
    });
    return one;
  };
  const daemonOf = ({ home }: RealPerson) => askDaemon(home, "status") as Promise<DaemonStatus | undefined>;

  test("a block reaches the model, a change runs, and a secret is taken out", async () => {
    const one = person();
    writeFileSync(join(one.work, "k.txt"), "my KEY999\n");
    const results = await one.told([
      { calls: [shell("rm -rf x")] },
      { calls: [shell("echo old > old.txt")] },
      { calls: [shell("echo fine")] },
      { calls: [read(join(one.work, "k.txt"))] },
    ]);
    const [blocked, , fine, secret] = results;
    expect(blocked).toMatch(/Blocked by hook .*gate\.ts: no rm/);
    expect(fine).toContain("fine");
    if (agent.replaces) expect(secret).toContain("my ***");
    expect([existsSync(join(one.work, "old.txt")), existsSync(join(one.work, "new.txt"))]).toEqual([
      false,
      agent.rewrites,
    ]);
  });

  test(
    "a hook's question is the agent's, and without an answer the call does not run",
    needs(!agent.asks && "the agent asks nobody"),
    async () => {
      const one = person();
      const { results } = await one.run([{ calls: [shell("touch asked.txt")] }]);
      // Where nobody is there to ask, Gemini ends.
      if (results[0] !== undefined) expect(results[0]).toMatch(agent.shows ?? /Really\?/);
      expect(existsSync(join(one.work, "asked.txt"))).toBe(false);
    },
  );

  /** Answers the only question that waits. */
  const answerOne = async ({ home }: RealPerson, answer: string): Promise<void> => {
    const questions = async () => (await askDaemon(home, "questions").catch(() => [])) as Waiting[];
    await expect.poll(questions, { timeout: 60_000 }).toHaveLength(1);
    const [question] = await questions();
    expect(await askDaemon(home, "answer", { id: question?.id, answer })).toBe(true);
  };
  const areThere = ({ work }: RealPerson, ...names: string[]) => names.map((name) => existsSync(join(work, name)));

  test(
    "questions of a hook, and about a power, wait for cordon pending",
    needs(agent.asks && "the agent asks by itself"),
    async () => {
      const one = person();
      const running = one.told(
        ["touch asked-1.txt", "touch asked-2.txt", "touch power-1.txt", "touch power-2.txt"].map((command) => ({
          calls: [shell(command)],
        })),
      );
      for (const answer of ["no", "yes", "once", "deny"]) await answerOne(one, answer);
      expect((await running)[0]).toContain("not allowed");
      expect(areThere(one, "asked-1.txt", "asked-2.txt", "power-1.txt", "power-2.txt")).toEqual([
        false,
        true,
        true,
        false,
      ]);
    },
  );

  test(
    "a question about a power that cordon pending answers after its call is not put again",
    needs(
      !(agent.asks && !agent.endsAtQuestion && agent.shows === undefined) &&
        "the agent asks nobody, ends at a question, or asks about powers itself",
    ),
    async () => {
      const one = person();
      const running = one.told([
        { calls: [shell("touch power-1.txt")] },
        { calls: [shell("echo slow")] },
        { calls: [shell("touch power-2.txt")] },
      ]);
      await answerOne(one, "once");
      await running;
      expect(areThere(one, "power-1.txt", "power-2.txt")).toEqual([false, true]);
    },
  );

  test("a hook that hangs, dies or eats memory blocks its call, and the session goes on", async () => {
    const results = await person().told([
      { calls: [shell("echo hang")] },
      { calls: [shell("echo eat")] },
      { calls: [shell("echo die")] },
      { calls: [shell("echo fine")] },
    ]);
    expect(results.map((text) => /Blocked by hook/.test(text))).toEqual([true, true, true, false]);
  });

  test("where hooks only monitor, the call runs that they would block, and no other one once they do not", async () => {
    const one = person();
    one.enter(true);
    await one.run([{ calls: [shell("echo rm > monitored.txt")] }]);
    one.enter(false);
    await one.run([{ calls: [shell("echo rm > blocked.txt")] }]);
    expect(areThere(one, "monitored.txt", "blocked.txt")).toEqual([true, false]);
  });

  test("calls are blocked when the daemon dies during one, and judged again after it", async () => {
    const one = person();
    const running = one.told([
      { calls: [shell("echo slow")] },
      { calls: [shell("rm x")] },
      { calls: [shell("echo fine")] },
    ]);
    const log = join(one.home, "run", "daemon.log");
    await expect.poll(() => existsSync(log) && readFileSync(log, "utf8"), { timeout: 60_000 }).toContain("begun");
    process.kill((await daemonOf(one))?.pid as number, "SIGKILL");
    const results = await running;
    expect(results[0]).toContain("before it answered");
    expect(results[1]).toContain("no rm");
    expect(results[2]).toContain("fine");
  });

  // A plugin that is gone is not loaded.
  test(
    "no call runs where what its entry runs is gone, or Node is",
    needs(agent.name === "openclaw" && "OpenClaw runs without a plugin that is gone"),
    async () => {
      const one = person();
      const [bin, gone] = [join(one.home, "bin"), join(one.home, "gone")];
      renameSync(bin, gone);
      await one.run([{ calls: [shell("touch ran.txt")] }]);
      renameSync(gone, bin);
      for (const name of ["hook", "paths.json"].filter((name) => existsSync(join(bin, name)))) {
        const path = join(bin, name);
        writeFileSync(path, readFileSync(path, "utf8").replaceAll(realpathSync(process.execPath), "/nowhere/node"));
      }
      await one.run([{ calls: [shell("touch ran.txt")] }]);
      expect(existsSync(join(one.work, "ran.txt"))).toBe(false);
    },
  );

  test(
    "two sessions at once, and one that is given up",
    needs(agent.alone && "only one process of the agent runs at a time"),
    async () => {
      const one = person();
      const given = one.run([{ calls: [shell("echo slow")] }], (child) =>
        setTimeout(() => child.kill("SIGTERM"), 4000),
      );
      const [first, second] = await Promise.all([
        one.told([{ calls: [shell("rm x")] }, { calls: [shell("echo first")] }]),
        one.told([{ calls: [shell("echo second")] }, { calls: [shell("rm y")] }]),
      ]);
      expect([first[0], second[1]].every((text) => text?.includes("no rm"))).toBe(true);
      expect([first[1], second[0]].join()).toMatch(/first.*second/s);
      await given;
      expect(readFileSync(join(one.home, "run", "daemon.log"), "utf8").match(/started/g)).toHaveLength(1);
    },
  );
});
