import type { ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { atTerminal } from "../market/hostile-terminal.ts";
import type { Machine } from "../market/world.ts";
import { cordon, startCordon } from "../support/command.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

let folder: string;
let home: string;
beforeEach(() => {
  folder = temporaryFolder();
  home = temporaryFolder();
});
const dev = (...args: string[]) => cordon(["dev", ...args], { cwd: folder, home });

const call = (command: string) =>
  `${JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } })}\n`;
const gate = (word: string, more = ""): string =>
  onToolCall(`${more}\nif (event.input.command === "${word}") return { block: true, reason: "no ${word}" };`);
const READS = 'try { require("node:fs").readFileSync("notes.md", "utf8"); } catch {}';

describe("once", () => {
  test("it shows verdicts, time and memory of what the hook hears", async () => {
    writeFiles(folder, { "gate.ts": gate("rm"), "events.jsonl": `${call("ls")}${call("rm")}{"type":"agent_start"}\n` });
    const { code, stdout } = await dev("gate.ts", "--events", "events.jsonl", "--once");
    expect(stdout).toMatch(
      /gate\.ts {2}hears tool_call\n {2}tool_call bash {2}passed {2}[\d.]+ ms, [\d.]+ MB\n {2}tool_call bash {2}blocked: no rm {2}[\d.]+ ms, [\d.]+ MB\n2 events judged, 0 refusals, 0 errors, \d+ ms\n$/,
    );
    expect(code).toBe(0);
  });

  test("a hook's notices are shown, with the powers used for real or not", async () => {
    writeFiles(folder, {
      "gate.ts": onToolCall('ctx.ui.notify("seen\\nCordon says: yes", "warning");'),
      "events.jsonl": call("ls"),
    });
    for (const more of [[], ["--act"]]) {
      const { stdout } = await dev("gate.ts", "--events", "events.jsonl", "--once", ...more);
      expect(stdout).toMatch(/passed .*\n {4}notifies seen\n {4}Cordon says: yes\n/);
    }
  });

  test("a refusal comes with the grant that would allow it, and does nothing", async () => {
    writeFiles(folder, {
      "gate.ts": onToolCall(`${READS}\nawait ctx.exec("touch", ["here"]);`),
      "gate.hook.json": JSON.stringify({
        capabilities: {
          events: { see: ["tool_call"] },
          exec: [{ program: "touch", args: ["here"], fullAccess: true }],
        },
      }),
      "notes.md": "",
      "events.jsonl": call("ls"),
    });
    const { code, stdout } = await dev("gate.ts", "--events", "events.jsonl", "--once");
    expect(stdout).toContain('allowed by {"fs":{"read":["$CWD/notes.md"]}}');
    expect(stdout).toContain("not done, since this is a rehearsal: exec");
    expect(() => statSync(join(folder, "here"))).toThrow();
    expect(code).toBe(1);
    await dev("gate.ts", "--events", "events.jsonl", "--once", "--act");
    expect(statSync(join(folder, "here")).isFile()).toBe(true);
  });

  test("a verdict that rests on a pretended answer is marked; with --act no answer is pretended", async () => {
    writeFiles(folder, {
      "gate.ts": onToolCall('await ctx.exec("git", ["status"]);'),
      "gate.hook.json": JSON.stringify({
        capabilities: { events: { see: ["tool_call"] }, exec: [{ program: "git", args: ["status"] }] },
      }),
      "events.jsonl": call("ls"),
    });
    const judged = async (...flags: string[]) =>
      (await dev("gate.ts", "--events", "events.jsonl", "--once", ...flags)).stdout;
    expect(await judged()).toContain("passed (with pretended answers)");
    expect(await judged("--act")).not.toContain("pretended");
  });

  test("what a hook never hears is said, and no command that would not work", async () => {
    writeFiles(folder, {
      "gate.ts": `export default (pi: any) => {
        pi.on("tool_cal", () => {});
        pi.on("session", () => {});
        pi.on("tool_call", async (event: any, ctx: any) => {
          if (event.input.command === "asks") await ctx.exec("git", ["status"]);
          else Promise.reject(new Error("left"));
        });
      };`,
      "gate.hook.json": JSON.stringify({ capabilities: { events: { see: ["tool_call"] } } }),
      "events.jsonl": `${call("asks")}${call("throws")}{"type":"session","reason":"start"}\n`,
    });
    const { stdout, stderr } = await dev("gate.ts", "--events", "events.jsonl", "--once");
    expect(stderr).toContain("careful: gate.ts:2:15: it hears tool_cal, which no agent sends; did you mean tool_call?");
    expect(stderr).toContain(
      'careful: gate.ts:3:15: its grant does not let it see session; add "session" to events.see',
    );
    expect(stdout).toContain("session start  passed (no hook heard it)");
    expect(stdout).toContain("nobody catches: left (HOOK_THREW)");
    expect(stdout).not.toMatch(/cordon (grant|disable|restart|trace)/);
    const rows = (await dev("gate.ts", "--events", "events.jsonl", "--once", "--json")).stdout.trim().split("\n");
    expect(JSON.parse(rows[0] as string)).toMatchObject({ unseen: ["session"] });
  });

  // On a slow machine the verdict may come after what is meant to come later.
  test("what a hook does later is shown, with its place, and counts", { retry: 3 }, async () => {
    writeFiles(folder, {
      "gate.ts": `export default (pi: any) => {
        pi.on("tool_call", async (event: any, ctx: any) => {
          setTimeout(() => { console.log("says later"); throw new Error("late"); }, 20);
        });
      };`,
      "events.jsonl": call("ls"),
    });
    const { code, stdout } = await dev("gate.ts", "--events", "events.jsonl", "--once");
    expect(stdout).toMatch(
      /passed .*\n {2}later, of its own accord\n {4}says says later .*\n {4}error later .*gate\.ts:3:63: late \(HOOK_THREW\)\n1 event judged, 0 refusals, 1 error,/,
    );
    expect(code).toBe(1);
    const rows = (await dev("gate.ts", "--events", "events.jsonl", "--once", "--json")).stdout.trim().split("\n");
    expect(rows.map((row) => JSON.parse(row)).filter(({ late }) => late)).toMatchObject([
      { log: [{ text: "says later" }] },
      { errors: [{ event: "background", error: "late" }] },
    ]);
  });

  test("what has no line of the hook's names its handler, and a refusal is one however often it comes", async () => {
    writeFiles(folder, {
      "mine/index.ts": `export default (pi: any) => {
        pi.on("agent_end", () => {});
        pi.on("tool_call", async (event: any, ctx: any) => {
          if (event.input.command === "typo") return { blocked: true };
          await ctx.exec("git", ["status"]);
        });
      };`,
      "events.jsonl": `${call("typo")}${call("asks")}${call("asks")}`,
    });
    const { stdout } = await dev("mine/index.ts", "--events", "events.jsonl", "--once");
    expect(stdout).toMatch(
      /error .*mine\/index\.ts:3:12: .* unknown key "blocked"; did you mean block\? \(BAD_RESULT\)/,
    );
    expect(stdout).toContain("refused hook mine/index.ts was not granted exec: git status\n");
    expect(stdout).toContain("refused again hook mine/index.ts was not granted exec: git status\n");
    expect(stdout).toContain("3 events judged, 1 refusal, 1 error,");
  });

  test.each([
    ["with await", "await ", 0],
    ["without await", "", 1],
  ])("a handler of a dialog %s ends well or not", async (_how, waits, code) => {
    writeFiles(folder, {
      "gate.ts": `export default (pi: any) => pi.on("tool_call", async (_event: any, ctx: any) => {
        if ((${waits}ctx.ui.confirm("ok?", "")) === "never") return { block: true };
      });`,
    });
    expect((await dev("gate.ts", "--once")).code).toBe(code);
  });

  test.each<[what: string, source: string, manifest: object | undefined, code: number]>([
    ["hears a mistyped event", 'pi.on("tool_cal", () => {});', undefined, 1],
    ["may not see its event", 'pi.on("tool_call", () => {});', { events: { see: ["session"] } }, 1],
    ["registers nothing", "", undefined, 1],
    ["hears an event that no sample has", 'pi.on("turn_start", () => {});', undefined, 0],
    ["only adds a command", 'pi.registerCommand("x", { handler() {} });', { commands: ["x"] }, 0],
  ])("a hook that %s ends well or not", async (_what, source, capabilities, code) => {
    writeFiles(folder, {
      "gate.ts": `export default (pi: any) => { ${source} };`,
      ...(capabilities ? { "gate.hook.json": JSON.stringify({ capabilities }) } : {}),
    });
    const ended = await dev("gate.ts", "--once");
    expect([ended.code, ended.stderr.includes("careful:")]).toEqual([code, code === 1]);
  });

  test.each<[what: string, files: Record<string, string>, path: string, said: RegExp, code: number]>([
    ["a hook that does not load", { "gate.ts": "export default 1;" }, "gate.ts", /does not load/, 1],
    ["a folder without hooks", { "README.md": "" }, ".", /there is no hook in/, 1],
    ["a package that names none", { "package.json": '{"name":"x","version":"1.0.0"}' }, ".", /names no hooks/, 1],
    ["nothing", {}, "none.ts", /no such file or folder/, 1],
    [
      "a file without events",
      { "gate.ts": gate("rm"), "events.jsonl": "\n" },
      "gate.ts",
      /events\.jsonl: there is no event in it yet/,
      1,
    ],
    ["a line that is no event", { "gate.ts": gate("rm"), "events.jsonl": "{}\n" }, "gate.ts", /line 1 is no event/, 1],
  ])("%s is said", async (_what, files, path, said, code) => {
    writeFiles(folder, files);
    const events = "events.jsonl" in files ? ["--events", "events.jsonl"] : [];
    const ended = await dev(path, "--once", ...events);
    expect(ended.stdout + ended.stderr).toMatch(said);
    expect(ended.code).toBe(code);
  });

  test("samples are judged by each hook of a package", async () => {
    writeFiles(folder, {
      "package.json": JSON.stringify({
        name: "two",
        version: "1.0.0",
        cordon: { hooks: ["a.ts", "b.ts"], capabilities: {} },
      }),
      "a.ts": gate("make install"),
      "b.ts": gate("ls"),
    });
    const { stdout } = await dev(".", "--once", "--json");
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.filter(({ judged }) => judged !== undefined)).toMatchObject([
      { hook: join(folder, "a.ts"), judged: 5, errors: 0 },
      { hook: join(folder, "b.ts"), judged: 5, errors: 0 },
    ]);
    expect(rows.filter(({ result }) => result?.block)).toMatchObject([
      { hook: join(folder, "a.ts"), event: "tool_call bash" },
    ]);
  });
});

/** The lines of a running `cordon dev --json`, one after the other. */
function linesOf(child: ChildProcess) {
  const lines: Record<string, unknown>[] = [];
  const waiting: (() => void)[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (text) => {
    lines.push(JSON.parse(text));
    for (const wake of waiting.splice(0)) wake();
  });
  return {
    /** All lines up to the next one that fits. */
    async until(isLast: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>[]> {
      for (;;) {
        const at = lines.findIndex(isLast);
        if (at >= 0) return lines.splice(0, at + 1);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    rest: () => lines.splice(0),
  };
}
const isEnd = (line: Record<string, unknown>): boolean => "judged" in line;
const verdicts = (lines: Record<string, unknown>[]) =>
  lines.flatMap((one) => ("result" in one ? [(one.result as { reason?: string } | null)?.reason ?? "passed"] : []));

test("each save is judged, whatever becomes of the files", async () => {
  const project = join(folder, "project");
  writeFiles(project, { "gate.ts": gate("one"), "lib/words.ts": 'export const word = "two";' });
  writeFiles(folder, { "events.jsonl": call("one") + call("two") });
  const child = startCordon(["dev", "project", "--events", "events.jsonl", "--json"], { cwd: folder, home });
  const out = linesOf(child);
  const gatePath = join(project, "gate.ts");
  // A file that is being written may be judged as it is then, and once more when it is whole.
  const judges = async (wanted: string[], name = "gate.ts"): Promise<void> => {
    for (;;) {
      const lines = await out.until(isEnd);
      if (lines.at(-1)?.hook === join(project, name) && isDeepStrictEqual(verdicts(lines), wanted)) return;
    }
  };
  const tells = async (problem: string): Promise<void> => {
    while (!String((await out.until((line) => "problem" in line)).at(-1)?.problem).includes(problem));
  };
  await judges(["no one", "passed"]);

  writeFileSync(gatePath, gate("two"));
  await judges(["passed", "no two"]);

  // Code that is broken is said, and left behind by the next save.
  writeFileSync(gatePath, "export default function (");
  expect((await out.until((line) => "reason" in line)).at(-1)).toMatchObject({
    reason: expect.stringContaining("gate.ts"),
  });
  await out.until(isEnd);
  writeFileSync(gatePath, gate("one"));
  await judges(["no one", "passed"]);

  // Several files at once, as an editor or a tool writes them, and one that is imported.
  writeFileSync(
    gatePath,
    `import { word } from "./lib/words.ts";\n${onToolCall('if (event.input.command === word) return { block: true, reason: "no " + word };')}`,
  );
  await judges(["passed", "no two"]);
  writeFileSync(join(project, "lib/words.ts"), 'export const word = "one";');
  await judges(["no one", "passed"]);

  // Through a draft, as editors save.
  writeFileSync(join(project, "gate.ts.draft"), gate("two"));
  renameSync(join(project, "gate.ts.draft"), gatePath);
  await judges(["passed", "no two"]);

  renameSync(gatePath, join(project, "other.ts"));
  await judges(["passed", "no two"], "other.ts");

  rmSync(join(project, "other.ts"));
  await tells(`there is no hook in ${project} yet`);
  rmSync(project, { recursive: true });
  await tells("is gone");
  writeFiles(project, { "gate.ts": gate("one") });
  await judges(["no one", "passed"]);

  // The events, and the manifest.
  writeFileSync(join(folder, "events.jsonl"), call("one"));
  await judges(["no one"]);
  writeFileSync(join(folder, "events.jsonl"), `${call("one")}{}\n`);
  await tells("line 2 is no event");
  writeFileSync(join(folder, "events.jsonl"), call("one"));
  await judges(["no one"]);
  writeFileSync(join(project, "gate.hook.json"), JSON.stringify({ capabilities: { events: { see: [] } } }));
  await judges(["passed"]);

  // A file that is no part of the hook changes nothing: the next lines are those of the last save.
  writeFileSync(join(project, "README.md"), "notes");
  writeFileSync(join(project, "gate.hook.json"), JSON.stringify({ capabilities: { events: { see: ["tool_call"] } } }));
  await judges(["no one"]);

  child.kill("SIGINT");
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
});

test("Ctrl+C ends it while a handler hangs", async () => {
  const project = join(folder, "project");
  writeFiles(project, { "gate.ts": onToolCall("await new Promise(() => {});") });
  const child = startCordon(["dev", "project", "--json"], { cwd: folder, home });
  const out = linesOf(child);
  await out.until((line) => "hears" in line);
  const ended = new Promise((resolve) => child.on("close", resolve));
  child.kill("SIGINT");
  expect(await ended).toBe(0);
  expect(out.rest()).toEqual([]);
});

test("while it waits, what a hook does later is shown when it happens", async () => {
  const project = join(folder, "project");
  writeFiles(project, {
    "gate.ts": onToolCall('setTimeout(() => { void ctx.exec("git", ["status"]); throw new Error("late"); }, 300);'),
  });
  writeFiles(folder, { "events.jsonl": call("ls") });
  const child = startCordon(["dev", "project", "--events", "events.jsonl", "--json"], { cwd: folder, home });
  const out = linesOf(child);
  expect((await out.until(isEnd)).at(-1)).toMatchObject({ judged: 1, refused: 0, errors: 0 });
  // A refusal is an error, too.
  const heard: Record<string, unknown>[] = [];
  while (heard.length < 3) heard.push((await out.until((line) => "late" in line)).at(-1) ?? {});
  const told = heard.flatMap(({ errors }) => errors as { event: string; code: string }[]);
  expect(told.map(({ event, code }) => `${event} ${code}`).sort()).toEqual([
    "background HOOK_THREW",
    "background NOT_GRANTED",
  ]);
  expect(heard.flatMap(({ refused }) => refused)).toMatchObject([{ wanted: { capability: "exec" } }]);
  child.kill("SIGTERM");
});

test("at a terminal, keys grant what was refused and write the manifest", async () => {
  writeFiles(folder, {
    "gate.ts": gate("rm", READS),
    "gate.hook.json":
      '{\n    "why": { "fs": "reads notes" },\n    "capabilities": { "events": { "see": ["tool_call"] } }\n}\n',
    "notes.md": "",
    "events.jsonl": call("ls"),
  });
  const machine = { work: folder, home, env: {} } as unknown as Machine;
  const { code, shown } = await atTerminal(
    machine,
    ["dev", "gate.ts", "--events", "events.jsonl"],
    [
      [/1 refusal, [\s\S]*q ends/, "g"],
      [/granted for this run[\s\S]*0 refusals/, "w"],
      [/written: .*gate\.hook\.json[\s\S]*0 refusals/, "q"],
    ],
  );
  expect([code, shown]).toEqual([0, expect.stringContaining("written:")]);
  const text = readFileSync(join(folder, "gate.hook.json"), "utf8");
  expect(text).toMatch(/^\{\n {4}"why": \{ "fs": "reads notes" \},\n {4}"capabilities"/);
  expect(JSON.parse(text)).toEqual({
    why: { fs: "reads notes" },
    capabilities: { events: { see: ["tool_call"] }, fs: { read: ["$CWD/notes.md"] } },
  });
});

test("a manifest that is a link is not written", async () => {
  mkdirSync(join(folder, "real"));
  writeFiles(folder, { "gate.ts": gate("rm", READS), "notes.md": "", "events.jsonl": call("ls"), "other.json": "{}" });
  symlinkSync(join(folder, "other.json"), join(folder, "gate.hook.json"));
  const machine = { work: folder, home, env: {} } as unknown as Machine;
  const { shown } = await atTerminal(
    machine,
    ["dev", "gate.ts", "--events", "events.jsonl"],
    [
      [/1 refusal, [\s\S]*q ends/, "w"],
      [/not a regular file/, "q"],
    ],
  );
  expect(shown).toMatch(/it\s+(\| )?stays as it is/);
  expect(readFileSync(join(folder, "other.json"), "utf8")).toBe("{}");
});
