import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { cordon } from "../support/command.ts";
import { on, onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

/** Further promises of `cordon trace`, besides the proposal for a hook that requests all at once. */

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const run = (...args: string[]) => cordon(["trace", ...args], { cwd: folder, home: join(folder, "home") });
const START = '{"type":"turn_start","turnIndex":0,"timestamp":1}\n';
const CALL = '{"type":"tool_call","toolName":"bash","toolCallId":"1","input":{"command":"ls"}}\n';

/** Its proposal and notes for a hook that gets these events. */
async function traced(source: string, events: string, ...args: string[]) {
  writeFiles(folder, { "hook.ts": source, "events.jsonl": events });
  const { code, stdout } = await run("hook.ts", "--events", "events.jsonl", "--json", ...args);
  expect(code).toBe(0);
  const found = JSON.parse(stdout);
  // Which of its branches ran is shown elsewhere.
  return { ...found, notes: found.notes.filter((note: string) => !note.startsWith("not reached: hook.ts:")) };
}

const granting = (capabilities: object): string[] => {
  writeFiles(folder, { "grants.json": JSON.stringify({ version: 1, hooks: { "./hook.ts": { capabilities } } }) });
  return ["--grants", "grants.json"];
};
const EVENTS = { see: ["*"], block: true };

test("the proposal covers a hook's acts after a yes and after a no", async () => {
  const source = onToolCall(`
    const tried = (program: string) => ctx.exec(program, ["x"]).catch(() => {});
    await tried((await ctx.ui.confirm("sure?", "")) ? "confirmed" : "declined");
    await tried((await ctx.ui.select("which?", ["first", "last"])) ?? "none");
    await tried((await ctx.ui.input("what?")) === null ? "unsaid" : "said");
  `);
  const { capabilities } = await traced(
    source,
    CALL,
    ...granting({ events: EVENTS, ui: ["confirm", "select", "input"] }),
  );
  expect(capabilities.exec.map(({ program }: { program: string }) => program)).toEqual([
    ...["confirmed", "first", "said"],
    ...["declined", "last", "unsaid"],
  ]);
});

test("an error says whether the hook met it where all failed on purpose, and where a file is looked for", async () => {
  const { notes } = await traced(
    `import { execFileSync } from "node:child_process";
     import { readFileSync } from "node:fs";
     export default (pi: any) => pi.on("turn_start", (_event: any, ctx: any) => {
       execFileSync("git", ["stash", "list"]);
       readFileSync(ctx.cwd + "/TODO.md");
     });`,
    START,
  );
  expect(notes).toEqual([
    `turn_start: ENOENT: no such file or directory, open '${join(folder, "TODO.md")}' (HOOK_THREW); it was tried in the folder of its file: --cwd names another`,
    expect.stringMatching(
      /^turn_start: Command failed: git stash list\s.*\(HOOK_THREW\), where it was told no, and that a program or a write failed$/s,
    ),
  ]);
});

test("a hook that looks at more places than a grant may name is proposed a grant, and told the rest", async () => {
  const { capabilities, notes } = await traced(
    on(
      "turn_start",
      `const { accessSync } = require("node:fs");
       for (let at = 0; at < 230; at++) try { accessSync("/opt/servers/" + at); } catch {}`,
    ),
    START,
  );
  expect(capabilities.fs.read).toHaveLength(200);
  expect(notes).toContainEqual(expect.stringMatching(/^it looks at 30 more places than a grant may name: a folder/));
});

test("a folder that mkdtemp makes beside pi's sessions is one pattern, with what is in it", async () => {
  writeFiles(folder, {
    "hook.ts": `import { mkdtempSync, writeFileSync } from "node:fs";
      export default (pi: any) => pi.on("session_start", (_event: any, ctx: any) => {
        const made = mkdtempSync(ctx.sessionManager.getSessionDir() + "/lsp-");
        writeFileSync(made + "/a", "1");
      });`,
  });
  const { fs } = JSON.parse((await run("hook.ts", "--json")).stdout).capabilities;
  expect(fs.write).toEqual([expect.stringMatching(/\/\.pi\/agent\/sessions\/[^/]+\/lsp-\?{6}\/\*\*$/)]);
  expect(fs.read).toEqual(fs.write);
});

test("the proposal covers acts in chains of timers, and no right that the hook does not use", async () => {
  const source = on(
    "turn_start",
    `const { writeFileSync } = require("node:fs");
    const later = (names: string[]) => setTimeout(() => {
      try { writeFileSync(names[0], "x"); } catch {}
      if (names.length > 1) later(names.slice(1));
    }, 450);
    later(["one.txt", "two.txt", "three.txt"]);`,
  );
  expect((await traced(source, START)).capabilities).toEqual({
    events: { see: ["turn_start"] },
    fs: { write: ["$CWD/one.txt", "$CWD/two.txt", "$CWD/three.txt"] },
  });
});

test("a pattern is proposed once for all files that it covers, and a time in a name becomes any time", async () => {
  const source = onToolCall(`
    const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
    const tried = (act: () => void) => { try { act(); } catch {} };
    tried(() => readFileSync(".mine/a.json"));
    tried(() => mkdirSync(".mine"));
    for (const name of ["a.md", "b.md", "c.md"]) tried(() => readFileSync(name));
    for (const name of ["1700000000001", "1700000000002", "123456789"]) tried(() => writeFileSync(name + ".log", ""));
  `);
  expect((await traced(source, CALL)).capabilities.fs).toEqual({
    read: ["$CWD/a.md", "$CWD/b.md", "$CWD/c.md", "$CWD/.mine/**"],
    write: ["$CWD/.mine/**", "$CWD/?????????????.log", "$CWD/123456789.log"],
  });
});

test("a request that cannot be granted is not proposed, but noted", async () => {
  const source = onToolCall(`
    try { require("node:fs").readFileSync("/proc/self/environ"); } catch {}
    try { require("node:fs").readFileSync("a.md"); } catch {}
  `);
  expect(await traced(source, CALL)).toMatchObject({
    capabilities: { fs: { read: ["$CWD/a.md"] } },
    notes: [expect.stringContaining("was not granted fs: read /proc/self/environ")],
  });
});

test("for a hook that loads only with a power, the power is proposed and the failure without it is noted", async () => {
  const source = onToolCall("", 'const rules = require("node:fs").readFileSync("rules.json", "utf8");');
  expect(await traced(source, CALL)).toMatchObject({
    capabilities: { fs: { read: ["$CWD/rules.json"] } },
    notes: [expect.stringMatching(/^it does not load without: /)],
  });
});

test("a compaction in recorded events gives the hook a key", async () => {
  const event = {
    ...{ type: "session", reason: "before_compact", entries: [], sessionFile: null, previousSessionFile: null },
    cutPoint: { firstKeptEntryIndex: 0, turnStartIndex: -1, isSplitTurn: false },
    ...{ messagesToSummarize: [], messagesToKeep: [], tokensBefore: 1, model: { provider: "acme", id: "x" } },
  };
  const source = on(
    "session",
    `const key = await event.resolveApiKey(event.model);
    await ctx.exec("with", [String(key), String(event.signal?.aborted)]).catch(() => {});`,
  );
  const { capabilities } = await traced(
    source,
    `${JSON.stringify(event)}\n`,
    ...granting({ events: EVENTS, model: ["acme"] }),
  );
  expect(capabilities.exec).toMatchObject([{ program: "with", args: [{ kind: "text" }, "false"] }]);
});

test("the session ends after the hook's pending work, not before", async () => {
  const source = `export default function (pi: any) {
    let over = false;
    pi.on("session", async (event: any, ctx: any) => {
      if (event.reason === "shutdown") over = true;
      else setTimeout(() => void ctx.exec(over ? "late" : "in-time", []).catch(() => {}), 400);
    });
  }`;
  const session = (reason: string) =>
    `${JSON.stringify({ type: "session", reason, entries: [], sessionFile: null, previousSessionFile: null })}\n`;
  const { capabilities } = await traced(source, session("start") + session("shutdown"), "--wait", "1");
  expect(capabilities.exec).toMatchObject([{ program: "in-time" }]);
});

test("a hook goes on after what was refused, through success and failure, and its proposal covers all of it", async () => {
  const source = onToolCall(`
    const { code, stdout } = await ctx.exec("git", ["status"]);
    await ctx.exec(code === 0 ? "after-success" : "after-failure", []);
    const branch = ctx.sessionManager.getBranch();
    const answer = await (await fetch("https://example.com/x")).text();
    if (branch.length > 0) pi.sendMessage({ customType: "x", content: answer, display: true });
    const chosen = await ctx.ui.custom((tui: any, theme: any, kb: any, done: any) =>
      ({ render: () => ["?"], invalidate() {}, handleInput: (key: string) => done(key === "\\r") }));
    await ctx.exec(chosen ? "chosen" : "left", []);
  `);
  const { capabilities, notes } = await traced(source, CALL);
  const programs = capabilities.exec.map(({ program }: { program: string }) => program);
  expect([...programs].sort()).toEqual(["after-failure", "after-success", "chosen", "git", "left"]);
  expect(capabilities).toMatchObject({
    session: ["entries"],
    net: { connect: ["example.com:443"] },
    ui: ["draw"],
    send: {},
  });
  expect(notes).toEqual([]);
});

test("files are read as they are, but not beside powers that were granted", async () => {
  const source = onToolCall(`
    const rules = JSON.parse(require("node:fs").readFileSync("rules.json", "utf8"));
    await ctx.exec(rules.program, []);
  `);
  writeFiles(folder, { "rules.json": JSON.stringify({ program: "named-there" }) });
  const free = await traced(source, CALL);
  expect(free.capabilities).toMatchObject({ fs: { read: ["$CWD/rules.json"] }, exec: [{ program: "named-there" }] });
  const granted = await traced(source, CALL, ...granting({ events: EVENTS, net: { connect: ["example.com:443"] } }));
  expect(granted.capabilities.exec).toBeUndefined();
  expect(granted.notes).toEqual([
    "not reached: its source seems to use exec, and no event led there",
    expect.stringMatching(/^this includes what .*grants\.json grants it; not granted: fs$/),
  ]);
});

test.each([
  ["covers it", { ui: ["confirm"] }, {}],
  ["covers a part of it", { ui: ["notify"] }, { ui: ["confirm"] }],
])(
  "what is missing is the same with a grant of the home that %s, and with that file named",
  async (_how, granted, missing) => {
    const source = onToolCall('await ctx.ui.confirm("sure?", "");');
    const path = join(folder, "hook.ts");
    const hooks = { [path]: { capabilities: { events: { see: ["tool_call"], block: true }, ...granted } } };
    writeFiles(folder, { "home/grants.json": JSON.stringify({ version: 1, hooks }) });
    const known = await traced(source, CALL);
    expect(known.missing).toEqual(missing);
    expect((await traced(source, CALL, "--grants", join("home", "grants.json"))).missing).toEqual(missing);
    expect(known.notes).toContain(
      Object.keys(missing).length === 0
        ? `${join(folder, "home", "grants.json")} grants it all of this`
        : `this includes what ${join(folder, "home", "grants.json")} grants it; not granted: ui`,
    );
  },
);

test.each([
  ["it is for any", {}, true],
  ["it is for others", { digest: `sha256-${"0".repeat(64)}` }, false],
])(
  "a grant for a package of the same name counts where it is not for other bytes: %s",
  async (_what, digest, counts) => {
    const source = onToolCall('await ctx.ui.confirm("sure?", "");');
    const entry = { ...digest, capabilities: { events: { see: ["tool_call"], block: true }, ui: ["confirm"] } };
    writeFiles(folder, {
      "same/package.json": JSON.stringify({ name: "same", version: "1.0.0", cordon: { hooks: ["./index.ts"] } }),
      "same/index.ts": source,
      "home/grants.json": JSON.stringify({ version: 1, hooks: { same: entry } }),
      "events.jsonl": CALL,
    });
    const { stdout } = await run("same/index.ts", "--events", "events.jsonl", "--json");
    const { capabilities, notes } = JSON.parse(stdout);
    expect(capabilities.ui).toEqual(["confirm"]);
    expect(notes.some((note: string) => note.endsWith("grants it all of this"))).toBe(counts);
  },
);

test("an error of several lines is one note on one line", async () => {
  const source = on("turn_start", 'throw new Error("mine\\nnote all is well\\u001b[2J");');
  writeFiles(folder, { "hook.ts": source, "events.jsonl": START });
  const { stdout } = await run("hook.ts", "--events", "events.jsonl");
  expect(stdout.split("\n").filter((line) => line.startsWith("note "))).toEqual([
    "note turn_start: mine note all is well (HOOK_THREW)",
  ]);
});

test("a folder stands for the one hook in it; of several, the error names them", async () => {
  writeFiles(folder, {
    "hook/index.ts": onToolCall(""),
    "hook/package.json": '{"name":"one","version":"1.0.0","cordon":{"hooks":["./index.ts"]}}',
  });
  writeFiles(folder, { "empty/README.md": "", "two/a.ts": onToolCall(""), "two/b.ts": onToolCall("") });
  expect(await run("hook")).toMatchObject({ code: 0, stderr: "" });
  expect(await run("empty")).toMatchObject({ code: 1, stderr: "cordon: empty: there is no hook in this folder\n" });
  const { code, stderr } = await run("two");
  expect([code, stderr]).toEqual([1, "cordon: two is a folder with several hooks; name one of them: a.ts, b.ts\n"]);
});
