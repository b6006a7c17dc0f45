import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { recordAgent } from "../../src/disk/open-agents.ts";
import { MARK } from "../../src/report/page/page.ts";
import { usualPagePath, writePage } from "../../src/report/page-file.ts";
import { cordon, RpcAgent, served, startCordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";
import { writeRecord, writeUsualHome } from "./home.ts";

let folder: string;
let home: string;
const report = (args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  cordon(["report", ...args], { cwd: folder, home, env });
const modeOf = (path: string): number => statSync(path).mode & 0o777;

beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder, "home");
});

test("the page is in the home, for its owner alone, and the output says where, and whether anything is wrong", async () => {
  writeUsualHome(home);
  const { code, stdout, stderr } = await report();
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.trimEnd().split("\n")).toEqual([
    "events answered: 275, blocked: 4, changed: 1; powers used: 274, refused: 12",
    "look  3 things are for you to decide",
    "      doc-reader version 2.0.0 asks for more, and waits; run: cordon update doc-reader",
    "      chatty crashed once; run: cordon audit --hook chatty --power crash",
    '      chatty was refused net 12 times: "net.connect api.example.com:443"; run: cordon grant chatty net',
    expect.stringMatching(/^ok {4}the audit log verifies; head [0-9a-f]{64}$/),
    usualPagePath(home),
  ]);
  expect([modeOf(usualPagePath(home)), modeOf(join(home, "reports", "last.json"))]).toEqual([0o600, 0o600]);
  expect(readFileSync(usualPagePath(home), "utf8").startsWith(MARK)).toBe(true);

  const { stdout: json } = await report(["--json", "--since", "2026-11-18", "--out", "page.html"]);
  const { file, since, summary, changes, hooks } = JSON.parse(json);
  expect([file, since]).toEqual([join(folder, "page.html"), "2026-11-18T00:00:00.000Z"]);
  expect(modeOf(file)).toBe(0o600);
  expect(summary).toMatchObject({ hooks: 4, blocked: 1, refused: 12, crashes: 1 });
  expect(changes).toMatchObject({ entries: [], lines: 0 });
  expect(hooks[1]).toMatchObject({
    id: "@tools/checkpoint",
    origin: "installed",
    provenance: "signed",
    state: "active",
  });
});

test("what real hooks did in a session of a real host", async () => {
  const source =
    'try { require("fs").readFileSync("/etc/hostname"); } catch {}\nif (String(event.input.command).includes("rm")) return { block: true, reason: "no <b>rm</b>" };';
  writeFiles(folder, { "home/hooks/gate.ts": onToolCall(source) });
  await served(["ls", "rm x"], { cwd: folder, home });
  const { stdout } = await report(["--json"]);
  const { summary, hooks, sessions, troubles } = JSON.parse(stdout);
  expect(summary).toMatchObject({ hooks: 1, answers: 2, blocked: 1, used: 0, refused: 2, crashes: 0 });
  expect(hooks).toMatchObject([
    { name: "gate", origin: "own folder", state: "active", lastBlock: { what: "bash: no <b>rm</b>" } },
  ]);
  expect(hooks[0].powers).toMatchObject([
    { power: "events", byDefault: true, used: 2 },
    { power: "ui", used: 0 },
    { power: "fs", refused: 2 },
  ]);
  expect(sessions[0].counts).toMatchObject({ passed: 1, blocked: 1, refused: 2 });
  expect(troubles).toMatchObject([
    { level: "look", hook: "gate", run: `cordon grant gate fs '{"read":["/etc/hostname"]}'` },
  ]);
  expect(readFileSync(usualPagePath(home), "utf8")).toContain("no &lt;b&gt;rm&lt;/b&gt;");
});

test("an empty home: nothing is wrong, and there is nothing to show", async () => {
  const { code, stdout } = await report();
  expect(code).toBe(0);
  expect(stdout).toContain("events answered: 0");
  expect(readFileSync(usualPagePath(home), "utf8")).toContain("Nothing is wrong");
});

test("damaged grants are on the page, and the next report compares with the last whole one", async () => {
  writeUsualHome(home);
  await report();
  const last = readFileSync(join(home, "reports", "last.json"), "utf8");
  writeFileSync(join(home, "grants.json"), "{");
  const { code, stdout } = await report();
  // A program sees from the code that something is wrong.
  expect(code).toBe(1);
  expect(stdout).toMatch(/^wrong the hooks here cannot be listed: .*grants\.json/m);
  expect(readFileSync(join(home, "reports", "last.json"), "utf8")).toBe(last);
});

test("policies are on the page, and only a person clears what a record lost", async () => {
  writeUsualHome(home);
  expect((await report(["--clear"])).stderr).toBe(
    "cordon: no line that a report saw is gone: there is nothing to clear\n",
  );
  expect((await report()).code).toBe(0);
  rmSync(join(home, "audit"), { recursive: true });
  const env = { CORDON_POLICY: join(folder, "policy.json") };
  writeFileSync(env.CORDON_POLICY, '{"version":1,"maximum":{"ui":["notify"]},"required":["<b>gate</b>"]}');
  for (const args of [[], ["--json"]]) expect((await report(args, env)).code).toBe(1);
  const page = readFileSync(usualPagePath(home), "utf8");
  expect(page).toContain("policy.json: at most the powers ui; requires &lt;b&gt;gate&lt;/b&gt;");
  expect(await report(["--clear"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("this needs a terminal with a person at it, and nothing was changed; it asks: "),
  });
  expect((await report()).code).toBe(1);
});

test("on the terminal, what is about no hook has no gap in the place of its name", async () => {
  const gate = "/hooks/gate.ts";
  writeRecord(home, [
    { time: "2026-11-20T10:00:00.000Z", hook: gate, event: "load", outcome: "failed" },
    { time: "2026-11-20T10:00:01.000Z", hook: gate, event: "tool_call", value: "bash: no", outcome: "would block" },
  ]);
  const env = { CORDON_POLICY: join(folder, "policy.json") };
  writeFileSync(env.CORDON_POLICY, '{"version":1,"required":["@acme/gate"]}');
  const { stdout } = await report([], env);
  expect(stdout).toMatch(/^wrong your organisation's policy requires @acme\/gate/m);
  expect(stdout).toMatch(/^ {6}hooks only monitored/m);
});

test(
  "a report that an agent starts leaves what the next one compares with",
  needs(process.platform !== "linux" && "there is no /proc"),
  async () => {
    vi.stubEnv("CORDON_HOME", home);
    mkdirSync(home);
    recordAgent(home);
    const { code, stderr } = await report();
    expect([code, stderr]).toEqual([0, expect.stringContaining("note: an agent started this command")]);
    expect(existsSync(join(home, "reports", "last.json"))).toBe(false);
    vi.unstubAllEnvs();
  },
);

test.each([
  [["--since", "tomorrow"], "it must be a span"],
  [["--since", "7x"], "it must be a span"],
  [["--since", "2026-13-01"], "it must be a span"],
  [["--since", "9999-01-01"], "it is in the future"],
])("%j is wrong usage", async (args, text) => {
  const { code, stderr } = await report(args);
  expect([code, stderr.includes(text)]).toEqual([2, true]);
});

const POSIX_ONLY = needs(process.platform === "win32" && "Windows has no such files");

describe("where a page is written", POSIX_ONLY, () => {
  const path = (): string => join(folder, "page.html");
  const page = `${MARK}new`;
  const CASES: { name: string; act(): void; says: string }[] = [
    {
      name: "another file",
      act: () => writeFileSync(path(), "<!doctype html>\n<p>mine"),
      says: "is no report of Cordon's",
    },
    { name: "an empty file", act: () => writeFileSync(path(), ""), says: "is no report of Cordon's" },
    {
      name: "a file that nearly begins like one",
      act: () => writeFileSync(path(), MARK.slice(0, -1)),
      says: "is no report of Cordon's",
    },
    { name: "a folder", act: () => mkdirSync(path()), says: "is no report of Cordon's" },
    { name: "a pipe", act: () => void execFileSync("mkfifo", [path()]), says: "is no report of Cordon's" },
    {
      name: "a link to a file",
      act: () => {
        writeFileSync(join(folder, "other"), MARK);
        symlinkSync("other", path());
      },
      says: "is a link",
    },
    { name: "a dangling link", act: () => symlinkSync("nowhere", path()), says: "is a link" },
  ];

  test.each(CASES)("$name is left as it is", ({ act, says }) => {
    act();
    const before = lstatSync(path());
    expect(() => writePage(path(), page)).toThrow(says);
    expect(lstatSync(path())).toMatchObject({ ino: before.ino, size: before.size, mtimeMs: before.mtimeMs });
    expect(existsSync(join(folder, "nowhere"))).toBe(false);
  });

  test("a new file, and over an older report", () => {
    for (const text of [page, `${MARK}newer`]) {
      writePage(path(), text);
      expect([readFileSync(path(), "utf8"), modeOf(path())]).toEqual([text, 0o600]);
    }
  });

  test("not in a folder that is not there, nor through a folder of Cordon's that is a link", () => {
    expect(() => writePage(join(folder, "no", "page.html"), page)).toThrow(`${join(folder, "no")}: no such folder`);
    mkdirSync(join(folder, "elsewhere"));
    mkdirSync(home);
    symlinkSync(join(folder, "elsewhere"), join(home, "reports"));
    expect(() => writePage(usualPagePath(home), page, join(home, "reports"))).toThrow("is a link");
    expect(existsSync(join(folder, "elsewhere", "report.html"))).toBe(false);
  });

  test("the command says so in one line", async () => {
    writeFileSync(path(), "mine");
    const { code, stderr } = await report(["--out", "page.html"]);
    expect([code, stderr]).toEqual([
      1,
      `cordon: ${path()} is no report of Cordon's, and is left as it is; name another file with --out\n`,
    ]);
    expect(readFileSync(path(), "utf8")).toBe("mine");
  });
});

describe("--open", needs(process.platform !== "linux" && "the opener has another name"), () => {
  const opener = (at: string, text: string): void => {
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "xdg-open"), `#!/bin/sh\n${text}\n`);
    chmodSync(join(at, "xdg-open"), 0o755);
  };
  /** PATH with this folder first, and without the machine's own opener. */
  const pathOf = (...folders: string[]): { PATH: string } => ({ PATH: folders.join(":") });

  test("hands the page to the system's opener", async () => {
    const bin = temporaryFolder();
    opener(bin, `echo "$@" > ${join(bin, "opened")}; echo "$PATH" > ${join(bin, "path")}`);
    // A project's own program of that name is not run, and not found by the opener either.
    opener(join(folder, "node_modules", ".bin"), `echo no > ${join(bin, "ran")}`);
    const { code } = await report(["--open"], pathOf(join(folder, "node_modules", ".bin"), bin));
    expect(code).toBe(0);
    expect(readFileSync(join(bin, "opened"), "utf8")).toBe(`${usualPagePath(home)}\n`);
    expect(readFileSync(join(bin, "path"), "utf8")).toBe(`${bin}\n`);
    expect(existsSync(join(bin, "ran"))).toBe(false);
  });

  test("is refused in one line where there is none, and nothing is written", async () => {
    const { code, stderr } = await report(["--open"], pathOf("/nowhere"));
    expect(code).toBe(1);
    expect(stderr).toBe(
      "cordon: there is no xdg-open here to open a page with; leave out --open, and open the file yourself\n",
    );
    expect(existsSync(join(home, "reports"))).toBe(false);
  });

  test("says so if the opener fails", async () => {
    const bin = temporaryFolder();
    opener(bin, "exit 3");
    const { code, stderr } = await report(["--open"], pathOf(bin));
    expect(code).toBe(1);
    expect(stderr).toBe(
      `cordon: ${join(bin, "xdg-open")} could not open ${usualPagePath(home)}: it ended with 3; open it yourself\n`,
    );
  });
});

test("what two agents did at one time are two sessions, and a hook that is enabled again begins none", async () => {
  writeFiles(home, {
    "hooks/gate.ts": onToolCall('if (event.input.command === "rm") return { block: true, reason: "no" };'),
  });
  const gate = join(home, "hooks", "gate.ts");
  const agents = await Promise.all(
    ["alice", "dave"].map(async (agentName) => {
      const rpc = new RpcAgent(startCordon(["serve"], { cwd: folder, home }));
      rpc.answer = ({ method }) => (method === "consent/ask" ? "session" : null);
      await rpc.request("initialize", { protocolVersion: 1, agentName, hasUI: true, consent: "person" });
      const call = (command: string) =>
        rpc.request("emit", { event: { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } } });
      return { rpc, call };
    }),
  );
  const [alice, dave] = agents as [(typeof agents)[number], (typeof agents)[number]];
  for (const command of ["ls", "rm"]) for (const { call } of agents) await call(command);
  await dave.rpc.request("disable", { id: gate });
  await alice.call("ls");
  await dave.rpc.request("enable", { id: gate });
  await dave.call("rm");
  await Promise.all(agents.map(({ rpc }) => rpc.request("shutdown")));

  const { sessions } = JSON.parse((await report(["--json"])).stdout) as {
    sessions: { agent?: string; counts: object }[];
  };
  const told = new Map(sessions.map(({ agent, counts }) => [agent, counts]));
  expect(sessions).toHaveLength(2);
  expect(told.get("alice")).toMatchObject({ blocked: 1, passed: 2 });
  expect(told.get("dave")).toMatchObject({ blocked: 2, passed: 1 });
});
