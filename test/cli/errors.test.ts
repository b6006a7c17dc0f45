import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { messageOf } from "../../src/base/errors.ts";
import { eventProblem } from "../../src/rpc/params.ts";
import { cordon, served } from "../support/command.ts";
import { sampled } from "../support/length.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

let folder: string;
let home: string;
const run = (args: string[], input = "", env: NodeJS.ProcessEnv = {}) =>
  cordon(args, { cwd: folder, home, input, env });

const GATE = onToolCall('return { block: true, reason: "no" };');
const CALL = `${JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} })}\n`;

beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder, "home");
  mkdirSync(join(home, "agent", "hooks"), { recursive: true });
});

const manifest = (cordonKey: object) =>
  JSON.stringify({ name: "gate", version: "1.0.0", cordon: { hooks: ["./index.ts"], ...cordonKey } });

test.each<[name: string, files: Record<string, string>, says: RegExp]>([
  [
    "a refused import",
    { "package.json": manifest({}), "index.ts": 'import "node:tls";\nimport x from "node:cluster"; x;' },
    /^cordon: index\.ts:1:8: import "node:tls"/,
  ],
  [
    "a mistake of its syntax",
    { "package.json": manifest({}), "index.ts": "export default (" },
    /^cordon: index\.ts:1:\d+: /,
  ],
  [
    "an unknown key",
    { "package.json": manifest({ capabilites: {} }), "index.ts": GATE },
    /PKG\/package\.json: unknown key "capabilites"; allowed: hooks, dialect, .*; did you mean capabilities\?/,
  ],
  [
    "a bad pattern",
    { "package.json": manifest({ capabilities: { fs: { read: ["x"] } } }), "index.ts": GATE },
    /PKG\/package\.json: x: a file pattern starts with/,
  ],
  ["invalid JSON", { "package.json": "{oops", "index.ts": GATE }, /^cordon: PKG\/package\.json: not JSON/],
  [
    "a missing hook",
    { "package.json": manifest({ hooks: ["./gone.ts"] }), "index.ts": GATE },
    /names \.\/gone\.ts, which is not there/,
  ],
])("%s is reported with the person's own path", async (_name, files, says) => {
  writeFiles(join(folder, "pkg"), files);
  const { code, stdout, stderr } = await run(["add", "./pkg", "--grant", "none"]);
  expect([code, stdout]).toEqual([1, ""]);
  const own = stderr.replaceAll(join(folder, "pkg"), "PKG");
  expect(own).toMatch(says);
  expect(own.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).not.toContain("quarantine");
});

test("a folder that is no package is said to be none", async () => {
  writeFiles(join(folder, "plain"), { "gate.ts": GATE });
  const { code, stdout, stderr } = await run(["add", "./plain", "--grant", "none"]);
  const says =
    /^cordon: \S+plain is no package: it has no package\.json; .* by the path of that file \(BAD_MANIFEST\)\n$/;
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(says)]);
});

test("a hook that is given to run as a file of events is named as what it is", async () => {
  writeFiles(folder, { "my gate.ts": GATE });
  const { code, stdout, stderr } = await run(["run", "my gate.ts"]);
  const says = "cordon: my gate.ts: code, and no file of events; to run it as a hook: cordon run --hook 'my gate.ts'\n";
  expect([code, stdout, stderr]).toEqual([1, "", says]);
});

test("a SPEC that is a pipe, a device or a package with an impossible dependency is named in plain words", async () => {
  execFileSync("mkfifo", [join(folder, "pipe")]);
  const dependencies =
    '{"name":"p","version":"1.0.0","dependencies":{"NAME":"1.0.0"},"cordon":{"hooks":["./index.ts"]}}';
  for (const [at, name] of ["__proto__", "a b", ".."].entries())
    writeFiles(join(folder, `p${at}`), { "package.json": dependencies.replace("NAME", name), "index.ts": GATE });
  const none = /^cordon: \S+ is no file and no folder: name a folder, a tarball or a \.ts file \(LOAD_FAILED\)\n$/;
  const dependency = /^cordon: .*its dependency ".*" has a name that no package can have/;
  for (const [spec, says] of [
    ["./pipe", none],
    ["/dev/null", none],
    ["./p0", dependency],
    ["./p1", dependency],
    ["./p2", dependency],
  ] as const) {
    const { code, stdout, stderr } = await run(["add", spec, "--grant", "none"]);
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(says)]);
  }
});

test("a package of a repository of many, and what is no package, are named in plain words", async () => {
  const cordonKey = '"cordon":{"hooks":["./index.ts"]}';
  const json = (version: string): string =>
    `{"name":"p","version":"1.0.0","dependencies":{"a":"${version}","cordon":"workspace:*"},${cordonKey}}`;
  const unread = (version: string): RegExp =>
    new RegExp(
      `its dependency "a" has "${version}" for a version, which npm cannot read: where its own .* tarball \\(`,
    );
  const rows: [text: string, says: RegExp][] = [
    [json("workspace:*"), unread("workspace:\\*")],
    [json("catalog:"), unread("catalog:")],
    ["null", /^cordon: \S+p2\/package\.json: must be an object \(BAD_MANIFEST\)/],
    ['"x"', /^cordon: \S+p3\/package\.json: must be an object \(BAD_MANIFEST\)/],
  ];
  for (const [at, [text, says]] of rows.entries()) {
    writeFiles(join(folder, `p${at}`), { "package.json": text, "index.ts": GATE });
    const { code, stdout, stderr } = await run(["add", `./p${at}`, "--grant", "none"]);
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(says)]);
  }
});

test("a hook's file that cannot be read is named without a place in Cordon's own code", async () => {
  execFileSync("mkfifo", [join(folder, "pipe.ts")]);
  const { code, stderr } = await run(["check", "./pipe.ts"]);
  expect([code, stderr]).toEqual([1, "cordon: ./pipe.ts does not load: pipe.ts: not a regular file\n"]);
});

test("an error in a rehearsal names the person's own files, too", async () => {
  writeFiles(join(folder, "pkg"), {
    "package.json": manifest({}),
    "index.ts": 'import { readFileSync } from "node:fs";\nreadFileSync(__filename);\nexport default () => {};',
  });
  const { stdout, stderr } = await run(["add", "./pkg", "--grant", "none"]);
  expect(stdout + stderr).not.toContain("quarantine");
  expect(stdout).toContain("so ");
});

test.each<[file: string, says: RegExp, wayOut: string]>([
  ["hooks.lock", /^cordon: .*home\/hooks\.lock: not JSON/, "move it away and add its hooks again"],
  ["grants.json", /^cordon: .*home\/grants\.json: not JSON/, "move it away and grant anew what hooks need"],
])("%s that is not JSON is named, and doctor says the way out", async (file, says, wayOut) => {
  writeFiles(home, { [file]: "{oops" });
  expect((await run(["doctor"])).stdout).toContain(`; mend it, or ${wayOut}\n`);
  const { code, stderr } = await run(["list"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(says);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test.each([["check"], ["trace"]])("%s of a packed package says what to do with it", async (command) => {
  writeFiles(folder, { "gate-1.0.0.tgz": "x" });
  const { code, stderr } = await run([command, "gate-1.0.0.tgz"]);
  expect(code).toBe(1);
  expect(stderr).toContain("gate-1.0.0.tgz is a packed package: unpack it first, or run: cordon add gate-1.0.0.tgz");
});

test("a package from another place here says how a newer version comes, and who asks for more is told how to grant it", async () => {
  const at = (version: string) => ({
    [`gate-${version}/package.json`]: JSON.stringify({ name: "gate", version, cordon: { hooks: ["index.ts"] } }),
    [`gate-${version}/index.ts`]: "export default () => {};",
    [`gate-${version}/index.hook.json`]: JSON.stringify({ capabilities: { env: ["A"], send: { perMinute: 1 } } }),
  });
  writeFiles(folder, { ...at("1.0.0"), ...at("1.1.0") });
  const added = await run(["add", "./gate-1.0.0", "--grant", "env"]);
  expect(added.stdout).toContain("to grant what else it asks for: cordon grant gate send\n");
  const { code, stderr } = await run(["add", "./gate-1.1.0", "--grant", "env"]);
  expect([code, stderr]).toEqual([
    1,
    `cordon: gate is installed from path:${join(folder, "gate-1.0.0")}: put a newer version there, and run: cordon update; for another package, run first: cordon remove gate (BAD_GRANT)\n`,
  ]);
});

test.each(sampled([["restart"], ["revoke"], ["remove"], ["grant"], ["update"], ["check"], ["trace"]], 3))(
  "%s of an unknown hook exits with 1, names near ones and changes nothing",
  async (command) => {
    writeFiles(home, { "agent/hooks/permission-gate.ts": GATE });
    const { code, stdout, stderr } = await run([command, "permision-gate", ...(command === "grant" ? ["fs"] : [])]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/no hook here is called permision-gate; did you mean permission-gate\?$/m);
  },
);

test.each(sampled([["restart"], ["revoke"], ["remove"], ["grant"], ["check"], ["trace"]], 3))(
  "%s of an ambiguous name exits with 1 and the list",
  async (command) => {
    mkdirSync(join(folder, "more"));
    writeFiles(home, {
      "agent/hooks/gate.ts": GATE,
      "agent/settings.json": JSON.stringify({ hooks: [join(folder, "more", "gate.ts")] }),
    });
    writeFiles(join(folder, "more"), { "gate.ts": GATE });
    const { code, stdout, stderr } = await run([command, "gate", ...(command === "grant" ? ["fs"] : [])]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe("cordon: gate names 2 hooks here; say which: hooks/gate.ts, more/gate.ts\n");
  },
);

test("check and run suggest the right name for an event that no agent sends", async () => {
  writeFiles(folder, { "gate.ts": 'export default (pi: any) => { pi.on("tool_cal", () => {}); };' });
  const meant = "hears tool_cal, which no agent sends; did you mean tool_call?";
  expect((await run(["check", "gate.ts"])).stdout).toContain(meant);
  expect((await run(["run", "--no-discover", "--hook", "gate.ts"], CALL)).stderr).toContain(meant);
  const { stderr } = await run(["run", "--no-discover"], '{"type":"tool_cal"}\n');
  expect(stderr).toContain('no event "tool_cal"; did you mean tool_call?');
});

test("the known names of events are those that Cordon carries", () => {
  for (const type of EVENT_NAMES) expect(eventProblem({ type })?.message ?? "").not.toContain("no event");
  expect(eventProblem({ type: "tool_calls" })?.message).toContain("no event");
});

test.each(["/proc", "/proc/x", "/proc/self/fd"])("CORDON_HOME=%s is refused in one line", async (value) => {
  const { code, stdout, stderr } = await run(["list"], "", { CORDON_HOME: value });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    /^cordon: Cordon's home is \/proc\S*, and nothing can be kept in \/proc; set CORDON_HOME to .*\(BAD_GRANT\)\n$/,
  );
});

test.each(["relative", "./relative", "../x", "~/cordon"])("CORDON_HOME=%s is refused in one line", async (value) => {
  const { code, stdout, stderr } = await run(["list"], "", { CORDON_HOME: value });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    /^cordon: CORDON_HOME=\S+ is not an absolute path; set it to one, such as \/\S+ \(BAD_GRANT\)\n$/,
  );
});

test.each(["", ".", "relative"])("HOME=%s makes no folder the person's own", async (value) => {
  const at = temporaryFolder();
  writeFiles(at, { ".cordon/hooks/gate.ts": onToolCall('return { block: true, reason: "ran" };') });
  const env = { HOME: value, CORDON_HOME: "", PI_CODING_AGENT_DIR: "" };
  const { code, stdout, stderr } = await cordon(["list"], { cwd: at, home: "", env });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toBe(
    `cordon: HOME=${value} is not an absolute path; set it to your own folder, or leave it out (BAD_GRANT)\n`,
  );
});

test.each([
  ["HOME", { HOME: "", CORDON_HOME: "" }],
  ["CORDON_HOME", { CORDON_HOME: "relative" }],
])("a call that an agent asks about is blocked where %s leads nowhere", async (_name, env) => {
  const args = ["hook", "claude-code", "--event", "PreToolUse"];
  const input = JSON.stringify({ session_id: "s", cwd: folder, tool_name: "Bash", tool_input: { command: "ls" } });
  expect(await cordon(args, { cwd: folder, home: "", env, input })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/HOME=\S* is not an absolute path; .*; run: cordon doctor\n$/),
  });
});

test("doctor says that a file is not there", async () => {
  const { stdout } = await run(["doctor"]);
  expect(stdout).toMatch(/^ok {3}grants: none: .*grants\.json is not there/m);
  writeFiles(home, { "grants.json": '{"version":1,"hooks":{}}' });
  expect((await run(["doctor"])).stdout).toMatch(/^ok {3}grants: .*grants\.json$/m);
});

test("the error for a full disk names a remedy", needs(process.platform !== "linux" && "Linux"), () => {
  let thrown: unknown;
  try {
    writeFileSync("/dev/full", "x");
  } catch (error) {
    thrown = error;
  }
  expect(messageOf(thrown)).toMatch(/^ENOSPC.*; the disk is full: free some space and run it again$/);
});

test.each([
  ["EACCES", `ls -ld ${tmpdir()} whose`],
  ["EPERM", `ls -ld ${tmpdir()} whose`],
  ["EROFS", `what holds ${tmpdir()} is read-only`],
  ["EDQUOT", "free some space"],
  ["EMFILE", "ulimit -n"],
])("%s names a remedy if the system raised it, and none if a hook did", (code, remedy) => {
  // What is not there cannot be looked at.
  const path = join(tmpdir(), "cordon-is-not-here", "b");
  const message = `${code}: it does not go, open '${path}'`;
  const system = Object.assign(new Error(message), { code, syscall: "open", path });
  expect(messageOf(system)).toContain(remedy);
  expect(messageOf(Object.assign(new Error(message), { code }))).toBe(message);
});

test("list shows all active hooks: their source, their powers, and their last act", async () => {
  writeFiles(home, {
    "agent/hooks/own.ts": GATE,
    "agent/settings.json": JSON.stringify({ hooks: [join(folder, "set.ts")] }),
  });
  writeFiles(folder, {
    "set.ts": "export default () => {};",
    ".pi/hooks/theirs.ts": GATE,
    "pkg/package.json": manifest({}),
    "pkg/index.ts": GATE,
  });
  expect((await run(["add", "./pkg", "--grant", "none"])).code).toBe(0);
  await served(["rm"], { cwd: folder, home });
  const { hooks } = JSON.parse((await run(["list", "--json"])).stdout) as { hooks: { name: string }[] };
  expect(new Map(hooks.map((hook) => [hook.name, hook]))).toEqual(
    new Map(
      Object.entries({
        own: expect.objectContaining({
          origin: "own folder",
          state: "active",
          powers: ["events", "ui"],
          lastUse: expect.any(String),
          lastBlock: { time: expect.any(String), what: "bash: no" },
        }),
        theirs: expect.objectContaining({ origin: "project", state: "pending", powers: [] }),
        set: expect.objectContaining({ origin: "settings", state: "active" }),
        "pkg-gate": expect.anything(),
      }).map(([name, row]) => [
        name === "pkg-gate" ? "gate" : name,
        name === "pkg-gate" ? expect.objectContaining({ origin: "installed", version: "1.0.0", state: "active" }) : row,
      ]),
    ),
  );
  const { stdout } = await run(["list"]);
  expect(stdout).toMatch(/^own +own folder, from/m);
  expect(stdout).toMatch(/^ +blocked last on \d{4}-\d\d-\d\d: bash: no$/m);
});

test("a spec after --grant is a power of it, which the error says", async () => {
  expect(await run(["add", "--grant", "none", "./pkg"])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /missing required argument 'spec'\nname it first, as in cordon add \.\/gate\.ts --grant ui;/,
    ),
  });
});

test("what git says is told, without the password of the address", async () => {
  const gone = join(folder, "gone");
  const { code, stderr } = await run(["add", `git+file://${gone}`, "--grant", "none"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/could not be fetched: '?\S*gone'? does not appear to be a git repository \(LOAD_FAILED\)/);
  const secret = await run(["add", "git+https://name:secret@127.0.0.1:9/a.git", "--grant", "none"]);
  expect(secret.stderr).toContain("unable to access 'https://127.0.0.1:9/a.git/'");
});

const TYPO = 'export default (pi: any) => pi.on("tool-call", () => undefined);';

test("an event that no agent sends is named as a hook is added, and by doctor", async () => {
  writeFiles(folder, { "typo.ts": TYPO });
  const said = "hears tool-call, which no agent sends; did you mean tool_call?";
  expect((await run(["add", "./typo.ts", "--grant", "none"])).stdout).toMatch(
    new RegExp(`^careful +it ${said.replace("?", "\\?")}`, "m"),
  );
  expect((await run(["doctor"])).stdout).toContain(`note hook typo: ${said}`);
});

test.each([
  ["exports nothing that is a hook", "export const gate = () => {};", "Hook must export a default function"],
  ["throws", 'throw new Error("broken");', "broken"],
])("a hook that %s is not installed, whatever it is granted", async (_how, source, why) => {
  writeFiles(folder, { "dead.ts": source });
  const { code, stdout, stderr } = await run(["add", "./dead.ts", "--grant", "none"]);
  expect(code).toBe(1);
  expect(stdout).toContain("trouble    does not load");
  expect(stdout).not.toMatch(/^blocked/m);
  expect(stderr).toMatch(/dead does not load, whatever it is granted \(.*\); nothing was installed \(LOAD_FAILED\)/);
  expect(stderr).toContain(why);
  expect((await run(["list"])).stdout).not.toContain("dead");
});

test("of a package, the hooks that load are installed, and the others are named", async () => {
  const files = { "good.ts": GATE, "dead.ts": "export {};" };
  writeFiles(join(folder, "pkg"), { "package.json": manifest({ hooks: ["good.ts", "dead.ts"] }), ...files });
  const { code, stdout, stderr } = await run(["add", "./pkg", "--grant", "none"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^installed \S+#good\.ts without powers/m);
  expect(stdout).toMatch(/^left out \S+#dead\.ts$/m);
  expect(stderr).toMatch(/^note: \S+#dead\.ts does not load, whatever it is granted/m);
});

test("a name that is also a file here is said to be one", async () => {
  writeFiles(folder, { ".npmrc": "registry=http://127.0.0.1:9\n", "gate.py": "" });
  const { code, stderr } = await run(["add", "gate.py", "--grant", "none"]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("note: gate.py is also here; to add that: cordon add ./gate.py\n"),
  ]);
  expect((await run(["add", "npm:gate.py", "--grant", "none"])).stderr).not.toContain("is also here");
});
