import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { askDaemon } from "../../../src/shim/ask-daemon.ts";
import { needs } from "../../support/needs.ts";
import { onToolCall, temporaryFolder } from "../../support/session.ts";
import type { Turn } from "../commands/model-servers.ts";
import { OPENCLAW, RealPerson } from "../commands/real-agents.ts";
import { lacksNamespace } from "../pi/install.ts";
import type { Plan } from "./gateway-driver.ts";

const HOOKS = {
  gate: onToolCall('if (String(event.input.command).includes("rm")) return { block: true, reason: "no rm" };'),
  asks: onToolCall(
    'const text = String(event.input.command); if (text.startsWith("touch") && !(await ctx.ui.confirm("Really?", text))) return { block: true, reason: "not allowed" };',
  ),
  uses: onToolCall(
    'if (event.input.command === "echo use") return { block: true, reason: "it said " + (await ctx.exec("echo", ["used"])).stdout };',
  ),
  slow: onToolCall(
    'if (event.input.command === "echo slow") console.log("begun"), await new Promise((done) => setTimeout(done, 20000));',
  ),
};

const DRIVER = join(import.meta.dirname, "gateway-driver.ts");
const lacks = lacksNamespace();

describe("OpenClaw's gateway", needs(lacks), () => {
  const people: RealPerson[] = [];
  const run = async (plan: Plan, turns: Turn[]) => {
    const person = new RealPerson({ ...OPENCLAW, args: [JSON.stringify(plan)] }, temporaryFolder(), HOOKS, {});
    people.push(person);
    const { results, output } = await person.run(turns, undefined, DRIVER);
    const lines = output.split("\n").filter((line) => line.startsWith('{"asked"'));
    return {
      results,
      asked: lines.map((line) => JSON.parse(line).asked),
      has: (name: string) => existsSync(join(person.work, name)),
      log: () => readFileSync(join(person.home, "run", "daemon.log"), "utf8"),
    };
  };
  const shell = (command: string): Turn => ({ calls: [OPENCLAW.shell(command)] });
  afterAll(async () => {
    for (const { home } of people) await askDaemon(home, "stop").catch(() => undefined);
  });

  test.each([
    // OpenClaw goes on without a plugin that it does not find; cordon doctor finds that.
    ["is gone", (folder: string) => renameSync(folder, `${folder}-away`), true],
    ["cannot be loaded", (folder: string) => writeFileSync(join(folder, "dist", "index.js"), "export"), false],
    ["is not set up", (folder: string) => rmSync(join(folder, "cordon.json")), false],
  ])("a call where the plugin %s", async (_how, arrange, ran) => {
    const person = new RealPerson(OPENCLAW, temporaryFolder(), HOOKS, {});
    people.push(person);
    arrange(dirname(dirname(person.entry)));
    await person.run([{ calls: [OPENCLAW.shell("echo > ran.txt")] }]);
    expect(existsSync(join(person.work, "ran.txt"))).toBe(ran);
  });

  test("a tool that another tool runs is judged, and its result redacted, as if it ran by itself", async () => {
    const redacts = `export default (pi) => pi.on("tool_result", (event) => ({
      content: event.content.map((part) => ({ ...part, text: part.text.replace(/KEY\\w+/g, "***") })) }));`;
    const grants = { redacts: { capabilities: { events: { see: ["tool_result"], rewriteResult: ["bash"] } } } };
    const person = new RealPerson(OPENCLAW, temporaryFolder(), { ...HOOKS, redacts }, grants);
    people.push(person);
    const through = (command: string) => ({ calls: [{ name: "tool_call", args: { id: "exec", args: { command } } }] });
    const { results } = await person.run([through("rm x"), through("echo KEY1; seq 30000")]);
    expect(results[0]).toContain("no rm");
    expect(results[1]).toContain("***");
    expect(results[1]).not.toContain("KEY1");
  });

  test("a question is put to the person, and the call is judged with the answer", async () => {
    const { asked, results, has } = await run({ users: ["one"], answers: ["allow-once", "deny", "allow-once"] }, [
      shell("touch allowed.txt"),
      shell("touch denied.txt"),
      shell("echo use"),
      shell("rm x"),
    ]);
    expect(asked.map(({ pluginId }) => pluginId)).toEqual(["openclaw-cordon", "openclaw-cordon", "openclaw-cordon"]);
    expect(asked[0]).toMatchObject({
      title: "Cordon: a hook asks about exec",
      description: expect.stringMatching(/asks\.ts asks: Really\?: touch allowed\.txt\nexec: .*touch allowed/),
      allowedDecisions: ["allow-once", "deny"],
    });
    expect([has("allowed.txt"), has("denied.txt")]).toEqual([true, false]);
    expect(results[1]).toContain("Denied by user");
    expect(results[2]).toContain("it said used");
    expect(results[3]).toContain("no rm");
  });

  test("without an answer in OpenClaw's two minutes the call does not run", { timeout: 400_000 }, async () => {
    const { asked, results, has } = await run({ users: ["one"], answers: [] }, [shell("touch late.txt")]);
    expect([asked.length, has("late.txt")]).toEqual([1, false]);
    expect(results[0]).toContain("timed out");
  });

  test("two sessions at once have hooks of their own, in one daemon", async () => {
    const { results, log } = await run({ users: ["one", "two"], answers: [] }, [
      shell("rm x"),
      shell("rm x"),
      shell("echo fine"),
      shell("echo fine"),
    ]);
    expect(results[0]).toContain("no rm");
    expect(results[1]).toContain("fine");
    expect(log().match(/started/g)).toHaveLength(1);
  });

  test("a prompt that is given up during a call leaves none behind, and the next one goes on", async () => {
    const { results, log } = await run({ users: ["one"], answers: [], abortAfter: 9000 }, [
      shell("echo slow"),
      shell("rm x"),
      shell("echo fine"),
    ]);
    expect(log()).toContain("begun");
    expect(results.some((text) => text.includes("no rm"))).toBe(true);
    expect(results.at(-1)).toContain("fine");
  });
});
