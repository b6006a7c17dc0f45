import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect, test, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { check as checkHere } from "../../src/cli/check.ts";
import type { Warning } from "../../src/cli/check-rules.ts";
import { warningsOf } from "../../src/cli/check-warnings.ts";
import { wideIn } from "../../src/cli/check-wide.ts";
import { Refused } from "../../src/cli/common.ts";
import { cordon } from "../support/command.ts";
import { sampled } from "../support/length.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

function place(files: Record<string, string>) {
  const folder = temporaryFolder();
  writeFiles(folder, files);
  const settings = { cwd: folder, home: join(folder, "home") };
  return { folder, check: (...args: string[]) => cordon(["check", ...args], settings) };
}

/**
 * What `cordon check PATH --json` prints and ends with, here in this process: for the rows of a table, a process each would be
 * most of the work.
 */
async function checked(files: Record<string, string>, path: string) {
  const { folder } = place(files);
  let printed = "";
  let code = 0;
  // npm lists the package's folder meanwhile.
  vi.stubEnv("CORDON_HOME", temporaryFolder());
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
  try {
    await checkHere(join(folder, path), { json: true });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    code = 1;
  } finally {
    write.mockRestore();
    vi.unstubAllEnvs();
  }
  return { folder, code, warnings: JSON.parse(printed).warnings as Warning[] };
}

const lines = (...all: string[]): string => all.join("\n");
const gate = (...body: string[]): string =>
  lines(
    "export default (pi: any) => {",
    '  pi.on("tool_call", async (event: any, ctx: any) => {',
    ...body,
    "  });",
    "};",
  );

interface Row {
  name: string;
  files: Record<string, string>;
  /** Each as `FILE:LINE RULE: the beginning of its message`. */
  warnings: string[];
  code?: number;
}

const MANY: Row = {
  name: "powers, events and a manifest that do not fit together",
  files: {
    "hook.ts": lines(
      'import { readFileSync } from "node:fs";',
      "",
      "export default (pi: any) => {",
      '  pi.on("tool_call", async (event: any, ctx: any) => {',
      "    const file = readFileSync(`${ctx.cwd}/a`);",
      "    event.input.command = process.env.HOME;",
      '    await ctx.exec("git", ["status"]);',
      "  });",
      '  pi.on("turn_start", () => {});',
      '  pi.on("tool_cal", () => {});',
      "};",
    ),
    "hook.hook.json": lines(
      "{",
      '  "capabilities": {',
      '    "events": { "see": ["tool_call", "session"], "block": true },',
      '    "fs": { "read": ["$HOME/**"] },',
      '    "net": { "connect": ["a.example:443"] }',
      "  },",
      '  "optional": { "exec": [{ "program": "git", "args": ["status"] }] },',
      '  "why": { "net": "asks" }',
      "}",
    ),
  },
  warnings: [
    "hook.ts:5 blocks-every-call: without powers it would block every call: hook hook.ts was not granted fs",
    "hook.ts:6 unasked-power: events.rewriteInput is used",
    "hook.ts:6 unasked-power: env is used",
    "hook.ts:9 unseen-event: its handler for turn_start is never called",
    "hook.ts:10 unknown-event: it hears tool_cal, which no agent sends; did you mean tool_call?",
    "hook.hook.json:3 unused-event: session is asked for",
    "hook.hook.json:4 no-why: nothing says why it needs fs",
    "hook.hook.json:4 wide-power: $HOME/** covers files all over the machine",
    "hook.hook.json:5 unused-power: net is asked for, and not used",
  ],
};

const ROWS: Row[] = [
  MANY,
  {
    name: "a hook that blocks every call by its own decision",
    files: { "hook.ts": gate('    return { block: true, reason: "shut" };') },
    warnings: ["hook.ts:2 blocks-every-call: it blocks every call: shut"],
  },
  {
    name: "a hook that blocks every call by a mistyped answer",
    files: { "hook.ts": gate('    return { blocked: true, reason: "shut" } as any;') },
    warnings: [
      'hook.ts:2 blocks-every-call: it blocks every call: hook hook.ts cannot judge this call: a tool_call handler returned an unknown key "blocked"; did you mean block? (BAD_RESULT)',
    ],
  },
  {
    name: "a hook that blocks every call by a mistake",
    files: { "hook.ts": gate("    (ctx.ui as any).confrim('a');") },
    warnings: ["hook.ts:3 blocks-every-call: it blocks every call: ctx.ui.confrim is not a function"],
  },
  {
    name: "wrong results and errors at samples, also in a timer, each once",
    files: {
      "hook.ts": lines(
        "export default (pi: any) => {",
        '  pi.on("session_start", () => { setTimeout(() => { throw new Error("late"); }, 20); });',
        '  pi.on("tool_call", async (event: any) => {',
        '    if (String(event.input.command).includes("sudo")) return { blocked: true };',
        "  });",
        '  pi.on("tool_result", () => ({ contents: 3 }));',
        '  pi.on("agent_end", () => { (undefined as any).x; });',
        '  pi.on("turn_end", () => { throw new Error("mine"); });',
        "};",
      ),
    },
    warnings: [
      "hook.ts:2 throws: it throws outside of events: late",
      'hook.ts:3 bad-result: a tool_call handler returned an unknown key "blocked"; did you mean block?',
      'hook.ts:6 bad-result: a tool_result handler returned an unknown key "contents"; did you mean content?',
      "hook.ts:7 throws: it throws at agent_end: Cannot read properties of undefined (reading 'x')",
      "hook.ts:8 throws: it throws at turn_end: mine",
    ],
  },
  {
    name: "a dialog that nobody waits for",
    files: {
      "hook.ts": lines(
        "export default (pi: any) => {",
        '  pi.on("tool_call", (_event: any, ctx: any) => {',
        '    if (!ctx.ui.confirm("ok?", "")) return { block: true };',
        "  });",
        "};",
      ),
    },
    warnings: [
      "hook.ts:2 missing-await: a tool_call handler ended before its dialog was answered; is an await missing?",
    ],
  },
  {
    name: "what a refused power may have caused",
    files: {
      "hook.ts": lines(
        'import { readFileSync } from "node:fs";',
        "export default (pi: any) => {",
        '  let words: string; try { words = readFileSync("words.txt", "utf8"); } catch {}',
        '  pi.on("agent_end", () => { words.length; });',
        '  pi.on("tool_result", () => ({ contents: 3 }));',
        "};",
      ),
      "hook.hook.json": JSON.stringify({
        capabilities: { events: { see: ["agent_end", "tool_result"] }, fs: { read: ["$CWD/words.txt"] } },
        why: { fs: "the words" },
      }),
    },
    warnings: ['hook.ts:5 bad-result: a tool_result handler returned an unknown key "contents"; did you mean content?'],
  },
  {
    name: "a timer, beside a power that was refused; and names of pi's extensions",
    files: {
      "hook.ts": lines(
        'import { readFileSync } from "node:fs";',
        "export default (pi: any) => {",
        '  pi.on("session_start", () => { setTimeout(() => { throw new Error("late"); }, 20); });',
        '  pi.on("agent_end", () => { readFileSync("words.txt"); });',
        '  pi.on("tool_cal", () => {});',
        "};",
      ),
      "hook.hook.json": JSON.stringify({
        capabilities: {
          events: { see: ["agent_end", "session_start", "tool_cal"] },
          fs: { read: ["$CWD/words.txt"] },
        },
        why: { fs: "the words" },
      }),
    },
    warnings: [
      "hook.ts:3 unseen-event: its handler for session is never called",
      "hook.ts:3 throws: it throws outside of events: late",
      "hook.ts:5 unknown-event: it hears tool_cal, which no agent sends; did you mean tool_call?",
      "hook.hook.json:1 unknown-event: session_start is asked for, and no agent sends it; did you mean session?",
      "hook.hook.json:1 unknown-event: tool_cal is asked for, and no agent sends it; did you mean tool_call?",
    ],
  },
  {
    name: "a misspelt event in OpenClaw's dialect, beside one of OpenClaw's own",
    files: {
      "hook.ts": lines(
        "export default {",
        "  register(api: any) {",
        '    api.on("before_tool_cal", () => ({ block: true }));',
        '    api.on("message_sending", () => {});',
        "  },",
        "};",
      ),
      "hook.hook.json": '{ "capabilities": { "events": { "see": ["tool_call", "message"], "block": true } } }',
    },
    warnings: [
      "hook.ts:3 unknown-event: it hears before_tool_cal, which no agent sends; did you mean before_tool_call?",
      "hook.hook.json:1 unused-event: message is asked for, and the hook has no handler for it",
    ],
  },
  {
    name: "a misspelt event of pi's, which the manifest asks for",
    files: {
      "hook.ts": 'export default (pi: any) => { pi.on("tool_cal", () => {}); };',
      "hook.hook.json": '{ "capabilities": { "events": { "see": ["tool_call"], "block": true } } }',
    },
    warnings: ["hook.ts:1 unknown-event: it hears tool_cal, which no agent sends; did you mean tool_call?"],
  },
  {
    name: "a misspelt class of Strands",
    files: {
      "hook.ts": lines(
        'import { BeforeToolCalEvent } from "@strands-agents/sdk";',
        'export default { name: "a", initAgent: (agent: any) => agent.addHook(BeforeToolCalEvent, () => {}) };',
      ),
    },
    warnings: [
      'hook.ts:1 does-not-load: hook.ts:1:10: import of BeforeToolCalEvent from "@strands-agents/sdk" cannot be offered to a hook; did you mean BeforeToolCallEvent',
    ],
    code: 1,
  },
  {
    name: "a misspelt function of Node's",
    files: { "hook.ts": `import { readFileSnyc } from "node:fs";\nreadFileSnyc;\n${gate("")}` },
    warnings: [
      'hook.ts:1 does-not-load: hook.ts:1:10: import of readFileSnyc from "node:fs" cannot be offered to a hook; did you mean readFileSync',
    ],
    code: 1,
  },
  {
    name: "a hook that hangs at an event",
    files: { "hook.ts": 'export default (pi: any) => { pi.on("session_start", () => { for (;;) {} }); };' },
    warnings: ["hook.ts:1 throws: it fails at session: it used more than"],
  },
  {
    name: "a hook that hangs at a call, in a line of its own",
    files: { "hook.ts": 'export default (pi: any) => {\n  pi.on("tool_call", () => { for (;;); });\n};' },
    warnings: ["hook.ts:2 throws: it fails at tool_call: it used more than"],
  },
  {
    name: "changes of calls and results that its code does not look like",
    files: {
      "hook.ts": lines(
        "export default (pi: any) => {",
        '  pi.on("tool_call", ({ input }: any) => { input.command += " "; });',
        '  pi.on("tool_result", (event: any) => ({ ...{ content: [{ type: "text", text: "x" }] } }));',
        "};",
      ),
      "hook.hook.json": JSON.stringify({
        capabilities: { events: { see: ["tool_call", "tool_result"], block: true } },
      }),
    },
    warnings: [
      "hook.ts:2 unasked-power: events.rewriteInput is used, as it seems, and not asked for: it will be refused",
      "hook.ts:3 unasked-power: events.rewriteResult is used, as it seems, and not asked for: it will be refused",
    ],
  },
  {
    name: "parts of ui that the manifest lacks",
    files: {
      "hook.ts": gate("    ctx.ui.notify('a');", "    if (await ctx.ui.confirm('a', 'b')) return;"),
      "hook.hook.json": JSON.stringify({
        capabilities: { events: { see: ["tool_call"] }, ui: ["notify", "select"] },
      }),
    },
    warnings: [
      "hook.ts:2 blocks-every-call: without powers it would block every call: hook hook.ts was not granted ui: confirm",
      "hook.ts:4 unasked-power: confirm of ui is used, as it seems, and not asked for: it will be refused",
      "hook.hook.json:1 unused-power: select of ui is asked for, and not used, as it seems",
    ],
  },
  {
    name: "a module that no hook can have",
    files: {
      "hook.ts": lines(
        'import { join } from "node:path";',
        'import { Script } from "node:vm";',
        "new Script(join('a'));",
      ),
    },
    warnings: ['hook.ts:2 does-not-load: hook.ts:2:24: import "node:vm" cannot be offered'],
    code: 1,
  },
  {
    name: "a member that no hook has, in a second file, without which it blocks every call",
    files: {
      "hook.ts": `import { deny } from "./deny.ts";\n${gate("    return deny(ctx);")}`,
      "deny.ts": lines("export async function deny(ctx: any) {", "", "  await ctx.modelRegistry.classify({});", "}"),
    },
    warnings: [
      "deny.ts:3 not-available: it guards calls and uses ctx.modelRegistry.classify",
      "deny.ts:3 blocks-every-call: without powers it would block every call: ctx.modelRegistry.classify",
    ],
  },
  ...(
    [
      ["one dialog", 'ctx.ui.notify("a");', ["confirm", "select", "input"]],
      ["a dialog that it takes apart", "const { notify, confirm } = ctx.ui; notify; confirm;", ["select", "input"]],
      ["a dialog that an expression names", 'ctx.ui["not" + "ify"]("a");', []],
      ["dialogs of another dialect", 'ctx.ui.notify("a"); ({ requireApproval: {} });', []],
    ] satisfies [string, string, string[]][]
  ).map(
    ([name, body, unused]): Row => ({
      name: `a manifest that asks for four dialogs, of a hook that uses ${name}`,
      files: {
        "hook.ts": `export default (pi: any) => { pi.on("turn_start", (_: any, ctx: any) => { ${body} }); };\n`,
        "hook.hook.json":
          '{ "capabilities": { "events": { "see": ["turn_start"] },\n"ui": ["notify", "confirm", "select", "input"] } }',
      },
      warnings: unused.map((part) => `hook.hook.json:2 unused-power: ${part} of ui is asked for, and not used`),
    }),
  ),
  {
    name: "a package that package.json does not name, beside one that it names",
    files: {
      "package.json": lines(
        "{",
        '  "name": "guard", "version": "1.0.0", "dependencies": { "named": "^1.0.0" },',
        '  "devDependencies": { "@me/tool": "1.0.0" },',
        '  "cordon": {',
        '    "hooks": ["./hook.ts"],',
        '    "capabilities": { "events": { "see": ["*"] } }',
        "  }",
        "}",
      ),
      "node_modules/named/index.js": 'exports.a = require("deep");',
      "node_modules/deep/index.js": "module.exports = 1;",
      "node_modules/@me/tool/index.js": "exports.b = 1;",
      "hook.ts": lines(
        'import type { D } from "deep"; import { a } from "named";',
        'import { b } from "@me/tool";',
        gate("    return a && b ? undefined : {};"),
      ),
    },
    warnings: [
      "hook.ts:2 unknown-import: @me/tool is not among the dependencies",
      'package.json:6 wide-power: see "*" covers all events',
    ],
  },
  {
    name: "a package that names another file as its hook, which is not there",
    files: {
      "package.json": '{ "name": "guard", "version": "1.0.0",\n"cordon": { "hooks": ["./hook.ts",\n"./hok.ts"] } }',
      "hook.ts": gate(""),
    },
    warnings: ["package.json:3 no-such-hook: cordon.hooks names ./hok.ts, which is not there"],
  },
  ...(
    [
      ["OpenClaw", "blockReason"],
      ["pi", "reason"],
    ] as const
  ).map(
    ([name, key]): Row => ({
      name: `a misspelt reason of ${name}, beside a block`,
      files: {
        "hook.ts": lines(
          name === "pi" ? "export default (pi: any) => {" : "export default { register(api: any) {",
          `${name === "pi" ? 'pi.on("tool_call"' : 'api.on("before_tool_call"'}, ({ toolName }: any) =>`,
          `toolName === "read" ? { block: true, ${key.replace("ason", "son")}: "no" } : undefined); }`,
          name === "pi" ? "" : "}",
        ),
      },
      warnings: [`hook.ts:2 bad-result: a ${name === "pi" ? "" : "before_"}tool_call handler returned an unknown key`],
    }),
  ),
  {
    name: "a manifest with an unknown key",
    files: { "hook.ts": gate(""), "hook.hook.json": '{ "capabilites": {} }' },
    warnings: ["hook.ts:1 does-not-load: "],
    code: 1,
  },
  {
    name: "a dialog that the manifest does not ask for",
    files: {
      "hook.ts": gate('    if (!(await ctx.ui.confirm("Go on?", ""))) return { block: true };'),
      "hook.hook.json": '{ "capabilities": { "events": { "see": ["tool_call"] } } }',
    },
    warnings: ["hook.ts:2 blocks-every-call", "hook.ts:3 unasked-power: ui is used"],
  },
  {
    name: "a dialog, where the manifest names no powers",
    files: { "hook.ts": gate('    await ctx.ui.confirm("Go on?", "");'), "hook.hook.json": "{}" },
    warnings: ["hook.ts:2 blocks-every-call"],
  },
  {
    name: "a hook with all that it uses, and why",
    files: {
      "hook.ts": gate('    await ctx.exec("git", ["status"]);'),
      "hook.hook.json":
        '{ "capabilities": { "events": { "see": ["tool_call"] }, "exec": [{ "program": "git", "args": ["status"] }] }, "why": { "exec": "looks" } }',
    },
    // Nobody grants it anything here.
    warnings: ["hook.ts:2 blocks-every-call: without powers it would block every call: "],
  },
];

test.each(sampled(ROWS, 2))("check warns with file, line and remedy: $name", async ({ files, warnings, code = 0 }) => {
  const { folder, warnings: found, ...ended } = await checked(files, "hook.ts");
  expect(ended).toEqual({ code });
  const shown = found.map(
    ({ file, line, rule, message }) => `${file.slice(folder.length + 1)}:${line} ${rule}: ${message}`,
  );
  expect(shown).toEqual(
    warnings.map((start) => expect.stringMatching(new RegExp(`^${start.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`))),
  );
  for (const { remedy, column } of found) {
    expect(remedy).not.toBe("");
    expect(column).toBeGreaterThan(0);
  }
});

test("what Cordon provides is no missing dependency, wherever Cordon itself is installed", () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "package.json": '{ "name": "guard", "devDependencies": { "cordon": "1.0.0" } }',
    "hook.ts": `import { isToolCallEventType, type HookAPI } from "cordon/hooks";\n${gate("")}`,
  });
  const entry = join(folder, "hook.ts");
  const provided = join(folder, "node_modules", "cordon", "dist", "sandbox", "modules", "globals.js");
  const manifest = { manifest: undefined, text: "", root: folder, packageName: undefined };
  const none = { asks: {}, events: [], unknown: [], faults: [], imports: [], lacks: [], uses: [], written: {} };
  expect(warningsOf({ ...none, entry, manifest, files: [entry, provided] })).toEqual([]);

  // A project around the hook's folder has Cordon, too.
  const around = folder.replace(/[^/]+$/, "node_modules/cordon/dist/sandbox/modules/path.js");
  const unused = { capabilities: { events: { see: [] }, exec: [{ program: "git", args: [] }] }, why: { exec: "asks" } };
  writeFiles(folder, { "hook.hook.json": JSON.stringify(unused) });
  const asking = { ...manifest, manifest: unused, file: join(folder, "hook.hook.json") };
  expect(warningsOf({ ...none, entry, manifest: asking, files: [entry, around] })).toMatchObject([
    { rule: "unused-power" },
  ]);

  // Where Cordon's own dependencies are hoisted, what it provides of them lies beside it.
  const typed = join(folder, "typed.ts");
  writeFiles(folder, { "typed.ts": `import { Type } from "typebox";\n${gate("")}` });
  const hoisted = join(folder, "node_modules", "typebox", "build", "index.mjs");
  const importing = (...imports: string[]) =>
    warningsOf({ ...none, entry: typed, manifest, files: [typed, hoisted], imports }).map(({ rule }) => rule);
  expect([importing("typebox"), importing()]).toEqual([[], ["unknown-import"]]);

  // Nor is it a dependency that could use what the hook itself does not.
  const own = { capabilities: { events: { see: [] }, net: { connect: ["a.example:443"] } }, why: { net: "asks" } };
  writeFiles(folder, { "hook.hook.json": JSON.stringify(own) });
  const named = { ...manifest, manifest: own, file: join(folder, "hook.hook.json") };
  const rulesOf = (...files: string[]) =>
    warningsOf({ ...none, entry, manifest: named, files }).map(({ rule }) => rule);
  expect(rulesOf(entry, provided)).toEqual(["unused-power"]);
  // What Cordon's modules were made of lies beside it.
  expect(rulesOf(entry, provided, join(folder, "node_modules", "unenv", "path.mjs"))).toEqual(["unused-power"]);
  writeFiles(folder, { "hook.ts": `import { other } from "other";\n${gate("other();")}` });
  expect(rulesOf(entry, provided, join(folder, "node_modules", "other", "index.js"))).not.toContain("unused-power");
});

test("an event that no agent sends is not said to be heard", async () => {
  const { check } = place({
    "hook.ts": 'export default (pi: any) => { pi.on("tool_cal", () => {}); pi.on("turn_start", () => {}); };',
  });
  const { stdout } = await check("hook.ts");
  expect(stdout).toMatch(/hears +turn_start\n/);
  expect(stdout).not.toContain("left out");
  expect(stdout).toContain("did you mean tool_call? write the name of an event");
});

test("a name that no hook of OpenClaw has is said to be left out, and a mistyped one once", async () => {
  const { check } = place({
    "hook.ts": `export default { register(api: any) {
      api.on("before_tool_cal", () => ({ block: true }));
      api.on("cron_reconciled", () => {});
      api.on("after_tool_call", () => {});
    } };`,
  });
  const { stdout } = await check("hook.ts");
  expect(stdout).toMatch(/left out +cron_reconciled: not supported here/);
  expect(stdout).toContain("did you mean before_tool_call?");
});

test("for people it is one line each, as compilers write it", async () => {
  const { code, stdout, stderr } = await place(MANY.files).check("hook.ts");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(
    "\nhook.ts:6:27: warning unasked-power: env is used, as it seems, and not asked for: it will be refused; add capabilities.env to hook.hook.json; cordon trace proposes how\n",
  );
  expect(stdout).toMatch(/\nhook\.hook\.json:5:5: warning unused-power: net .*; take it out of the manifest\n$/);
});

test("--sarif is valid SARIF 2.1.0 with paths below the working directory", async () => {
  const schema = createRequire(import.meta.url)
    .resolve("@microsoft/jest-sarif")
    .replace(/index\.js$/, "schemas/sarif-2.1.0-rtm.5.json");
  // Draft 4, of which it uses nothing that draft 7 has otherwise, but for these two.
  const { $schema: _draft, id: _id, ...rest } = JSON.parse(readFileSync(schema, "utf8"));
  const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(rest);
  const { check } = place({ ...MANY.files, "a b/loads not.ts": "import 'node:vm';" });
  for (const path of ["hook.ts", "a b/loads not.ts"]) {
    const { code, stdout, stderr } = await check(path, "--sarif");
    expect(code).toBe(path === "hook.ts" ? 0 : 1);
    const log = JSON.parse(stdout);
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
    expect(stdout).not.toMatch(/"uri": "(\/|file:|\.\.)/);
    const [{ results, tool }] = log.runs;
    expect(
      results.every((one: { ruleId: string; ruleIndex: number }) => tool.driver.rules[one.ruleIndex].id === one.ruleId),
    ).toBe(true);
    if (path === "hook.ts") {
      expect(results).toHaveLength(MANY.warnings.length);
      expect(results[0].locations[0].physicalLocation).toEqual({
        artifactLocation: { uri: "hook.ts" },
        region: { startLine: 5, startColumn: 18 },
      });
    } else {
      expect(results[0]).toMatchObject({ level: "error", ruleId: "does-not-load" });
      expect(results[0].locations[0].physicalLocation.artifactLocation.uri).toBe("a%20b/loads%20not.ts");
      expect(stderr).toContain("cannot be offered");
    }
  }
  expect(await check("hook.ts", "--sarif", "--json")).toMatchObject({ code: 2, stdout: "" });
});

const WIDE: [powers: Parameters<typeof wideIn>[0], found: (string | number)[][]][] = [
  [{ fs: { read: ["$CWD/**", "$HOME/.config/tool/*", "/etc/hosts", "$HOME/.*"] } }, [["fs", "read", 3]].slice(1)],
  [
    { fs: { read: ["$HOME/**", "/**", "C:/**"], watch: ["$HOME/*"] } },
    [
      ["fs", "read", 0],
      ["fs", "read", 1],
      ["fs", "read", 2],
      ["fs", "watch", 0],
    ],
  ],
  [{ fs: { write: ["$CWD/**", "$CWD/.cache/**", "$CWD/*.md"] } }, [["fs", "write", 0]]],
  [{ sqlite: [{ path: "$HOME/**", write: true }, { path: ":memory:" }] }, [["sqlite", 0, "path"]]],
  [{ exec: [{ program: "npx", args: [{ rest: "text" }], fullAccess: true }] }, [["exec", 0]]],
  [{ exec: [{ program: "npm", args: ["test"], fullAccess: true }] }, []],
  [{ exec: [{ program: "git", args: ["log", { kind: "text" }] }] }, []],
  [
    { env: ["CI", "GITHUB_*", "GI*", "G*"] },
    [
      ["env", 2],
      ["env", 3],
    ],
  ],
  [{ events: { see: ["*"], rewriteInput: ["bash"] } }, [["events", "see", 0]]],
  [
    { events: { see: ["tool_call"], rewriteInput: ["*"] }, tools: ["*"], commands: ["x", "*"] },
    [
      ["events", "rewriteInput", 0],
      ["tools", 0],
      ["commands", 1],
    ],
  ],
];

test.each(sampled(WIDE, 2))("wide powers: %j", (powers, found) => {
  expect(wideIn(powers).map(({ path }) => path)).toEqual(found);
});

test("hooks that come with Cordon have no warnings", async () => {
  for (const name of ["command-safety-guard", "git-checkpoint"]) {
    const { stdout } = await place({}).check(join(PACKAGE_ROOT, "hooks", `${name}.ts`), "--json");
    expect(JSON.parse(stdout).warnings, name).toEqual([]);
  }
});

/** Files of a hook's code beside those of its package: npm itself says which it publishes. */
const PACKED: [what: string, files: Record<string, string>, json: object, lacks: string[]][] = [
  ["all", {}, {}, []],
  ["files that leave a folder out", {}, { files: ["index.ts"] }, ["src/help.ts"]],
  ["files that name that folder", {}, { files: ["index.ts", "src"] }, []],
  ["files by a pattern", {}, { files: ["*.ts", "lib/**"] }, ["src/help.ts"]],
  ["files without the hook", {}, { files: ["src"] }, ["index.ts"]],
  ["its main file is always there", {}, { files: ["src"], main: "index.ts" }, []],
  ["a .npmignore", { ".npmignore": "src\n" }, {}, ["src/help.ts"]],
  ["a .gitignore", { ".gitignore": "*.ts\n" }, {}, ["index.ts", "src/help.ts"]],
  ["a .npmignore in place of a .gitignore", { ".gitignore": "*.ts\n", ".npmignore": "docs\n" }, {}, []],
  ["dependencies that it brings along", {}, { bundleDependencies: ["gone"], dependencies: { gone: "1.0.0" } }, []],
];
test.each(sampled(PACKED, 2))(
  "check names own files that the package will lack: %s",
  async (_what, files, json, lacks) => {
    const { folder, warnings } = await checked(
      {
        "index.ts":
          'import { help } from "./src/help.ts";\nexport default (pi: any) => { pi.on("tool_call", () => help()); };\n',
        "src/help.ts": "export const help = () => undefined;\n",
        ...files,
        "package.json": JSON.stringify({ name: "some", version: "1.0.0", cordon: { hooks: ["index.ts"] }, ...json }),
      },
      ".",
    );
    const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const published = JSON.parse(packed)[0].files.map(({ path }: { path: string }) => path);
    expect(["index.ts", "src/help.ts"].filter((file) => !published.includes(file))).toEqual(lacks);
    const found = warnings.filter(({ rule }) => rule === "unpacked-file");
    expect(found.map(({ message }) => message.split(" ")[0])).toEqual(lacks);
    for (const { file, line, message } of found) expect([file, line], message).toEqual([join(folder, "index.ts"), 1]);
  },
);

/** What a build reads, and no bundle has: nothing of it is used. */
const UNUSED: [what: string, files: Record<string, string>, line: string, warning: string][] = [
  ["data", { "data.json": "{}" }, 'import data from "./data.json"; void data;', "unpacked-file: data.json"],
  ["code", { "lib/a.js": "export const a = 1;" }, 'import { a } from "./lib/a.js"; void a;', "unpacked-file: lib/a.js"],
  [
    "a folder's index",
    { "lib/index.js": "export const a = 1;" },
    'import { a } from "./lib"; void a;',
    "unpacked-file: lib/index.js",
  ],
  [
    "a folder's package.json",
    { "lib/package.json": '{"main":"a.ts"}', "lib/a.ts": "export const a = 1;" },
    'import { a } from "./lib"; void a;',
    "unpacked-file: lib/package.json",
  ],
  [
    "a package",
    { "node_modules/deep/index.js": "export const a = 1;", "node_modules/deep/package.json": '{"sideEffects":false}' },
    'import { a } from "deep"; void a;',
    "unknown-import: deep",
  ],
];
test.each(sampled(UNUSED, 2))(
  "check looks at all that a build reads, used or not: %s",
  async (_what, files, line, warning) => {
    const { folder, warnings } = await checked(
      {
        ...files,
        "index.ts": `${gate("")}\n${line}\n`,
        "package.json": JSON.stringify({
          name: "some",
          version: "1.0.0",
          files: ["**/*.ts"],
          cordon: { hooks: ["index.ts"] },
        }),
      },
      "index.ts",
    );
    expect(warnings.map(({ rule, message }) => `${rule}: ${message.split(" ")[0]}`)).toEqual([warning]);
    expect(warnings[0]).toMatchObject({ file: join(folder, "index.ts") });
    expect(
      execFileSync("sed", ["-n", `${warnings[0]?.line}p`, "index.ts"], { cwd: folder, encoding: "utf8" }),
    ).toContain(line);
    await rm(join(folder, "node_modules"), { recursive: true, force: true });
    const added = await cordon(["add", ".", "--grant", "none"], { cwd: folder, home: join(folder, "home") });
    expect([added.code, added.stderr]).toEqual([1, expect.stringContaining("Could not resolve")]);
  },
);

test.each<[what: string, json: object]>([
  ["a path as its key", { files: { a: 1 } }],
  ["numbers", { files: [1, null] }],
  ["the whole disk", { files: ["../../../../../../**", "a/../../../../../../../**", "{..,a}/**", "index.ts", "src"] }],
  ["programs of numbers", { bin: { a: 7 }, browser: [1] }],
])("a package.json with which npm makes no package stops no check: %s", async (_what, json) => {
  const { check } = place({
    "index.ts": 'export default (pi: any) => { pi.on("tool_call", () => {}); };\n',
    "package.json": JSON.stringify({ name: "some", version: "1.0.0", cordon: { hooks: ["index.ts"] }, ...json }),
  });
  const { code, stdout, stderr } = await check(".", "--json");
  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout).warnings).toEqual([]);
});

test("the dialect of a hook that does not load is not known, unless its manifest says it", async () => {
  const folder = temporaryFolder();
  const source = 'import { Agent } from "@strands-agents/sdk"; throw new Error("no");';
  writeFiles(folder, { "a.ts": source, "b.ts": source, "b.hook.json": '{ "dialect": "strands" }' });
  const dialectOf = async (name: string) =>
    /^dialect +(.*)$/m.exec((await cordon(["check", name], { cwd: folder, home: folder })).stdout)?.[1];
  expect(await dialectOf("a.ts")).toBe("not known");
  expect(await dialectOf("b.ts")).toBe("strands");
});

test("links in a package's folder are not followed, where two lead to the folder itself", async () => {
  const { folder, check } = place({
    "package.json": JSON.stringify({ name: "@me/gate", version: "1.0.0", cordon: { hooks: ["index.ts"] } }),
    "index.ts": gate("return undefined;"),
  });
  for (const name of ["a", "b"]) symlinkSync(".", join(folder, name));
  const checked = await check("index.ts", "--json");
  expect(JSON.parse(checked.stdout)).toMatchObject({ state: "active" });
});

test("it names the files that a bundle carries", async () => {
  const reads = 'readFileSync(new URL("./prompts/a.md", import.meta.url), "utf8")';
  const { folder, check } = place({
    "package.json": '{"name":"some","version":"1.0.0","pi":{"extensions":["./hook.ts"]}}',
    "hook.ts": `import { readFileSync } from "node:fs";\nconst text = ${reads} + "prompts";\n${gate("return text ? undefined : undefined;")}`,
    "prompts/a.md": "hello",
    "prompts/b\u202e.md": "hello",
    "other.md": "hello",
  });
  expect((await check(folder)).stdout).toMatch(/^carries +"prompts\/a\.md", "prompts\/b\\+u202e\.md"$/m);
  expect(JSON.parse((await check(folder, "--json")).stdout).carries).toEqual(["prompts/a.md", "prompts/b\u202e.md"]);
  writeFiles(folder, { "hook.ts": gate("") });
  expect((await check(folder)).stdout).not.toMatch(/^carries/m);
});
