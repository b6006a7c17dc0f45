import { join } from "node:path";
import { expect, test } from "vitest";
import { codex } from "../../src/agents/setup/codex.ts";
import { install, type Place, planOfInstall } from "../../src/agents/setup/install.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

const CALL = JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } });
const OFFERS = `export default function (pi: any) {
  pi.registerTool({ name: "branch", description: "d", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [] }) });
  pi.registerCommand("todo", { description: "x", handler: async () => {} });
}`;
const ASKS = {
  name: "offers",
  type: "module",
  version: "1.0.0",
  cordon: { hooks: ["./index.ts"], capabilities: { tools: ["branch"], commands: ["todo"] } },
};

interface World {
  folder: string;
  home: string;
  run: (args: readonly string[], input?: string) => ReturnType<typeof cordon>;
}

function world(files: Record<string, string> = {}): World {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  writeFiles(folder, files);
  const env = { HOME: join(folder, "user") };
  return { folder, home, run: (args, input = "") => cordon(args, { cwd: folder, home, input, env }) };
}

const FILES = {
  "bad.ts": "export default (pi) => {\n  pi.on(\n",
  "gate.ts": onToolCall('return { block: true, reason: "no" };'),
  "other.ts": onToolCall(""),
  "call.jsonl": `${CALL}\n`,
  "offers/index.ts": OFFERS,
  "offers/package.json": JSON.stringify(ASKS),
};

test.each<[what: string, args: string[], says: { code: number; stdout?: RegExp; stderr?: RegExp }, input?: string]>([
  ["help for an unknown command", ["help", "chekc"], { code: 2, stderr: /^error: unknown command 'chekc'/ }],
  ["help for a known one", ["help", "check"], { code: 0, stdout: /^Usage: cordon check/ }],
  ["help alone", ["help"], { code: 0, stdout: /^Usage: cordon \[options\]/ }],
  [
    "an event of pi's for what happens to a session",
    ["run", "--hook", "gate.ts"],
    { code: 1, stderr: /no event "session_start"; write "type": "session", "reason": "start"\n/ },
    '{"type":"session_start"}\n',
  ],
  ["no event", ["run", "--hook", "gate.ts"], { code: 0, stderr: /note: no event came, so nothing was judged/ }],
  [
    "a hook that does not load",
    ["run", "--hook", "bad.ts", "call.jsonl"],
    { code: 0, stdout: /\(LOAD_FAILED\); to go on: mend it, then cordon restart \S+bad\.ts or cordon disable/ },
  ],
  [
    "powers with commas",
    ["add", "./offers", "--grant", "tools,commands"],
    { code: 1, stderr: /--grant takes powers with spaces between them, as in --grant tools commands\n/ },
  ],
  [
    "what is no power, before anything is fetched",
    ["add", "./nothing-there", "--grant", "exce"],
    { code: 1, stderr: /^cordon: exce is no power; did you mean exec\? \(BAD_GRANT\)\n$/ },
  ],
  [
    "a power that nothing asks for",
    ["add", "./offers", "--grant", "exec"],
    { code: 1, stderr: /offers does not ask for exec; it asks for: tools, commands\n/ },
  ],
  [
    "an agent by its first name",
    ["install", "claude"],
    { code: 2, stderr: /; did you mean claude-code\? there are pi,/ },
  ],
  ["an unknown agent", ["install", "zzz"], { code: 2, stderr: /no agent zzz; there are pi,/ }],
  [
    "an event that the agent does not have",
    ["hook", "claude-code"],
    { code: 2, stderr: / is no event that Cordon knows for [a-z-]+; .* cordon hook takes --note/ },
    "{}",
  ],
  [
    "an extension that only offers",
    ["dev", "offers/index.ts", "--once"],
    { code: 0, stdout: /\n {2}no event runs tool branch, command todo: cordon trace does\n0 events judged/ },
  ],
])(
  "%s: said in one line, with what would do",
  async (_what, args, { code, stdout = /(?:)/, stderr = /(?:)/ }, input) => {
    const told = await world(FILES).run(args, input);
    expect(told).toEqual({ code, stdout: expect.stringMatching(stdout), stderr: expect.stringMatching(stderr) });
  },
);

test("a hook that does not load has no rows of what it is not", async () => {
  const { stdout, stderr } = await world(FILES).run(["check", "bad.ts"]);
  expect(stdout.split("\n").map((line) => line.split(" ", 1)[0])).toEqual(["hook", "state", "dialect", ""]);
  expect(stderr).toMatch(/^cordon: bad\.ts does not load: bad\.ts:3:1: /);
});

test("who names a hook hears of others that judge beside it", async () => {
  const { run } = world({ ...FILES, "home/hooks/gate.ts": FILES["gate.ts"] });
  const beside = await run(["run", "--hook", "other.ts", "call.jsonl"]);
  expect(beside).toMatchObject({
    stdout: expect.stringMatching(/blocked by \S+home\/hooks\/gate\.ts/),
    stderr: expect.stringMatching(/^note: "\S+gate\.ts" judge the events, too; without them: --no-discover\n$/),
  });
  expect((await run(["run", "--hook", "other.ts", "--no-discover", "call.jsonl"])).stderr).toBe("");
  expect((await run(["run", "call.jsonl"])).stderr).toBe("");
});

test("what a person must have done in Codex is one note of doctor's, and no finding that all is well", async () => {
  const { folder, home, run } = world({ "user/.codex/config.toml": "", "home/hooks/gate.ts": FILES["gate.ts"] });
  const place: Place = { setup: codex, home, places: { user: join(folder, "user"), env: {} }, project: undefined };
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
  const { findings } = JSON.parse((await run(["doctor", "--json"])).stdout);
  const ofCodex = findings.filter(({ what }: { what: string }) => what === "agent codex");
  expect(ofCodex.map(({ detail }: { detail: string }) => detail)).toEqual([
    expect.stringMatching(/^entered first; whether you did this cannot be seen: start codex, open \/hooks/),
  ]);
});

test("a change of settings keeps its layout on the screen, and ends with what it comes to", async () => {
  const { run } = world({ "user/.claude/settings.json": '{\n\t"model": "x"\n}\n' });
  const { stdout } = await run(["install", "claude-code", "--dry-run"]);
  expect(stdout).toMatch(/^--- .*\n {4}\+\+\+ .*\n[\s\S]*\n {4}\+ {4}"hooks": \{\n {4}\+ {8}"PreToolUse": \[/);
  expect(stdout).toMatch(/settings\.json: 152 lines come, 1 go, and all else stays\n$/);
});

test("list and doctor name files that look like hooks and do not run", async () => {
  const named = ["a.cjs", "b.mjs", "c/index.ts", "d.tsx", "e.js", "f.mts"];
  const others = ["g.d.ts", "notes.md", "lib/helper.ts"];
  const files = [...named, ...others].map((name) => [`home/hooks/${name}`, ""]);
  const { folder, home, run } = world({ ...Object.fromEntries(files), "work/.cordon/hooks/p.js": "" });
  for (const command of ["list", "doctor"]) {
    const { stdout, stderr } = await run([command, "--cwd", join(folder, "work")]);
    for (const [place, names] of [
      [join(home, "hooks"), `${named.slice(0, 5).join(", ")} and 1 more`],
      [join(folder, "work", ".cordon", "hooks"), "p.js"],
    ])
      expect(stdout + stderr).toContain(
        `${place}: no hook, and not run for itself: ${names}; only files called NAME.ts there are hooks`,
      );
  }
});
