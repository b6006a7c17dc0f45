import { join } from "node:path";
import { expect, test } from "vitest";
import { withVaried } from "../../src/cli/varied-arguments.ts";
import type { ExecEntry } from "../../src/powers/exec-grant.ts";
import { cordon } from "../support/command.ts";
import { on, temporaryFolder, writeFiles } from "../support/session.ts";

/** What `cordon trace` leaves open of a program's arguments, since another session says it in another way. */

const TEXT = { kind: "text" };
const LINES = { ...TEXT, lines: true };
const LEVEL = { kind: "enum", values: ["off", "minimal", "low", "medium", "high", "xhigh", "max"] };
const any = (...args: ExecEntry["args"]): ExecEntry => ({ program: "tell", args, fullAccess: true });
const open = (...entries: ExecEntry[]): unknown[] =>
  withVaried(entries, { provider: "some", id: "model-1" }).map(({ args }) => args);

// biome-ignore format: a table
test.each<[claim: string, ExecEntry[], unknown[]]>([
  ["the session's model, by each name", [any("model", "model-1"), any("-m", "some/model-1"), any("is", "Sample")], [["model", TEXT], ["-m", TEXT], ["is", TEXT]]],
  ["a level that changes", [any("think", "off", "now"), any("think", "high", "now")], [["think", LEVEL, "now"]]],
  ["a level that is always the same", [any("think", "off"), any("speak", "high")], [["think", "off"], ["speak", "high"]]],
  ["a number that changes", [any("tokens", "150.0k"), any("tokens", "90.0k")], [["tokens", TEXT]]],
  ["a number that is always the same", [any("-t", "5000"), any("-u", "6000")], [["-t", "5000"], ["-u", "6000"]]],
  ["a sentence that counts", [any("Done in 3s"), any("Two lines\n1 and 2")], [[TEXT], [{ ...TEXT, lines: true }]]],
  ["a sentence without a number", [any("Ready for input")], [["Ready for input"]]],
  ["words that differ", [any("state", "idle"), any("state", "busy")], [["state", "idle"], ["state", "busy"]]],
  ["a script", [any("-c", "echo 1 two"), any("-e", "beep 2 times"), any("--eval", "let x = 1")], [["-c", "echo 1 two"], ["-e", "beep 2 times"], ["--eval", "let x = 1"]]],
  ["two arguments that differ at once", [any("1", "2"), any("3", "4")], [["1", "2"], ["3", "4"]]],
])("%s", (_claim, entries, args) => {
  expect(open(...entries)).toEqual(args);
});

test("git's arguments, and what a program may besides, stay as they are", () => {
  const git = { program: "/usr/bin/git", args: ["commit", "-m", "checkpoint no 1"] };
  const told: ExecEntry = { ...any("Done in 3s"), stdin: true, timeoutMs: 5000 };
  expect(withVaried([git, told], { provider: "some", id: "model-1" })).toEqual([git, { ...told, args: [TEXT] }]);
});

test("what a hook tells a program of the session, and where pi keeps the session", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "hook.ts": `import { readFileSync } from "node:fs";
      export default (pi: any) => pi.on("turn_start", async (_event: any, ctx: any) => {
        await pi.exec("tell", ["tokens", String(ctx.getContextUsage().tokens)]);
        await pi.exec("tell", ["level", pi.getThinkingLevel()]);
        await pi.exec("tell", ["model", ctx.model.id]);
        try { readFileSync(ctx.sessionManager.getSessionFile()); } catch {}
      });`,
  });
  const { stdout } = await cordon(["trace", "hook.ts", "--json"], { cwd: folder, home: join(folder, "home") });
  const { exec, fs } = JSON.parse(stdout).capabilities;
  expect(exec.map(({ args }: ExecEntry) => args)).toEqual([
    ["tokens", TEXT],
    ["level", LEVEL],
    ["model", { ...TEXT, lines: true }],
  ]);
  expect(fs.read).toEqual([expect.stringMatching(/\/\.pi\/agent\/sessions\/--[\w-]+--\/[?TZ-]+_\*\.jsonl$/)]);
});

test("where a tool comes from, the folder of the sessions and the model are as pi says", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "hook.ts": `import { readFileSync } from "node:fs";
      export default (pi: any) => pi.on("turn_start", async (_event: any, ctx: any) => {
        const tools = await pi.getAllTools();
        const of = (source: string) => tools.filter((tool: any) => tool.sourceInfo.source === source).map((tool: any) => tool.name);
        await pi.exec(of("builtin").includes("bash") && of("local").length === 1 ? "right" : "wrong", []);
        const { cost, maxTokens, api, baseUrl, reasoning, contextWindow, provider, id } = ctx.model;
        await pi.exec([cost.input, cost.output, cost.cacheRead, cost.cacheWrite, maxTokens, contextWindow].every((one) => one > 0)
          && [api, baseUrl, provider, id].every((one) => typeof one === "string") && reasoning ? "model" : "wrong", []);
        try { readFileSync(ctx.sessionManager.getSessionDir() + "/mine.txt"); } catch {}
      });`,
  });
  const { stdout } = await cordon(["trace", "hook.ts", "--json"], { cwd: folder, home: join(folder, "home") });
  const { exec, fs } = JSON.parse(stdout).capabilities;
  expect(exec).toMatchObject([{ program: "right" }, { program: "model" }]);
  expect(fs.read).toEqual([expect.stringMatching(/\/\.pi\/agent\/sessions\/--[\w-]+--\/mine\.txt$/)]);
});

test("a made-up variable is built as the real one, and kinds and switches are real", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "hook.ts": `export default (pi: any) => {
      const { PANE, TERM_PROGRAM, TELLS, MY_KEY, CHANNEL } = process.env;
      if (PANE !== undefined && !/^[^:]+:[^:]+$/.test(PANE)) throw new Error("no pane");
      pi.on("turn_start", () => pi.exec("tell", [PANE, TERM_PROGRAM, TELLS, MY_KEY].map((one) => one + ".")));
      pi.on("turn_end", () => fetch(CHANNEL));
    };`,
  });
  const keys = { MY_KEY: "sk_12345", CHANNEL: "https://hooks.example.com/T0/b-12345" };
  const env = { PANE: "tab1:leaf-2", TERM_PROGRAM: "iTerm.app", TELLS: "1", ...keys };
  const { stdout } = await cordon(["trace", "hook.ts", "--json"], { cwd: folder, home: join(folder, "home"), env });
  expect(stdout).not.toMatch(/tab1|leaf|12345/);
  const any = { ...TEXT, lines: true };
  const { exec, net } = JSON.parse(stdout).capabilities;
  expect(exec[0].args).toEqual([any, "iTerm.app.", "1.", any]);
  expect(net).toEqual({ connect: ["hooks.example.com:443"] });
});

test("what a hook adds to the session is there later, and a commit that it names is any", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "hook.ts": `export default (pi: any) => {
      pi.on("turn_start", async () => {
        const { stdout, code } = await pi.exec("git", ["rev-parse", "--verify", "refs/own/store"]);
        if (code !== 0) await pi.exec("git", ["update-ref", "refs/own/store", "HEAD"]);
        else pi.appendEntry("own", { commit: stdout.trim() });
      });
      pi.on("agent_end", async (_event: any, ctx: any) => {
        const own = ctx.sessionManager.getEntries().findLast((one: any) => one.customType === "own");
        if (own) await pi.exec("git", ["cat-file", "-e", own.data.commit + "^{commit}"]);
      });
    };`,
  });
  const { stdout } = await cordon(["trace", "hook.ts", "--json"], { cwd: folder, home: join(folder, "home") });
  expect(JSON.parse(stdout).capabilities.exec.map(({ args }: ExecEntry) => args)).toEqual([
    ["rev-parse", "--verify", "refs/own/store"],
    ["cat-file", "-e", TEXT],
    ["update-ref", "refs/own/store", "HEAD"],
  ]);
});

test.each<[what: string, source: string, capabilities: object]>([
  [
    "reads the branch of a session without a name",
    on("agent_settled", "if (pi.getSessionName() === undefined) ctx.sessionManager.getBranch();"),
    { session: ["messages", "entries"] },
  ],
  [
    "reads the files that the prompt is made of",
    on(
      "before_agent_start",
      'for (const { path } of event.systemPromptOptions.contextFiles) require("node:fs").readFileSync(path);',
    ),
    { fs: { read: ["$CWD/AGENTS.md"] }, session: ["messages"] },
  ],
  [
    "looks into the agent's own package, which no hook is shown",
    `import { getPackageDir } from "@earendil-works/pi-coding-agent";
     import { existsSync, readFileSync } from "node:fs";
     export default () => { existsSync(getPackageDir() + "/a"); try { readFileSync(getPackageDir() + "/package.json"); } catch {} };`,
    { agent: ["packageDir"] },
  ],
  [
    "looks for the model of an answer",
    on(
      "message_end",
      "if (event.message.provider) ctx.modelRegistry.find(event.message.provider, event.message.model).id;",
    ),
    { model: ["anthropic"], session: ["messages"] },
  ],
])("a hook that %s is proposed what that takes", async (_what, source, capabilities) => {
  const folder = temporaryFolder();
  writeFiles(folder, { "hook.ts": source });
  const { stdout } = await cordon(["trace", "hook.ts", "--json"], { cwd: folder, home: join(folder, "home") });
  const { events: _events, ...powers } = JSON.parse(stdout).capabilities;
  expect(powers).toEqual(capabilities);
});

test("what a hook tells a program of the moment, or made up, is any", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "hook.ts": `import { randomUUID } from "node:crypto";
      export default (pi: any) => pi.on("turn_start", async () => {
        await pi.exec("tell", ["--now", String(Date.now()), "--id", randomUUID(), "--file", "run-" + new Date().toISOString() + ".log"]);
        await pi.exec("sh", ["-c", "echo " + Date.now()]);
        await pi.exec("tell", ["--id=" + Date.now()]);
        await pi.exec("tell", ["1234567890"]);
      });`,
  });
  const { stdout } = await cordon(["trace", "hook.ts", "--json"], { cwd: folder, home: join(folder, "home") });
  expect(JSON.parse(stdout).capabilities.exec.map(({ args }: ExecEntry) => args)).toEqual([
    ["--now", LINES, "--id", LINES, "--file", LINES],
    ["-c", expect.stringMatching(/^echo \d{13}$/)],
    [expect.stringMatching(/^--id=\d{13}$/)],
    ["1234567890"],
  ]);
});
