import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answering, hookFolder, startFolder } from "../bundle/hook-folder.ts";
import { temporaryFolder } from "../support/session.ts";

const gate = answering('"judged"');

/** A manifest with each key that there is. */
const whole = {
  dialect: "pi",
  capabilities: {
    events: {
      see: ["tool_call", "session"],
      block: true,
      guardResult: ["read"],
      rewriteInput: ["bash"],
      rewriteResult: ["*"],
      cancel: true,
      compact: false,
    },
    ui: ["notify", "select", "confirm", "input"],
    exec: [
      { program: "git", args: ["stash", "create"] },
      { program: "git", args: ["stash", "apply", { kind: "sha" }], timeoutMs: 10000 },
      { program: "npx", args: [{ rest: "text" }], fullAccess: true },
    ],
    fs: { read: ["$CWD/**"], write: ["$TMP/agent-trigger.txt"], watch: ["$TMP/agent-trigger.txt"] },
    net: { connect: ["api.example.com:443"], listen: ["127.0.0.1:3333"] },
    env: ["CI", "GITHUB_*"],
    send: { perMinute: 6 },
    session: ["entries"],
    model: ["anthropic"],
  },
  optional: {},
  why: { exec: "stashes the work tree at each turn" },
  priority: 0,
  failure: "closed",
  limits: { memoryMb: 64, cpuMs: 1000, jit: false, eval: false },
};

test.each([
  { name: "beside a file", files: { "index.hook.json": JSON.stringify(whole) } },
  {
    name: "in a package.json",
    files: {
      "package.json": JSON.stringify({ name: "gate", version: "1.0.0", cordon: { hooks: ["./index.ts"], ...whole } }),
    },
  },
  { name: "empty", files: { "index.hook.json": "{}" } },
  {
    name: "none, with an unrelated package.json",
    files: { "package.json": JSON.stringify({ name: "x", scripts: {} }) },
  },
])("a manifest is read: $name", async ({ files }) => {
  const { hook, reason } = await startFolder(hookFolder({ "index.ts": gate, ...(files as object) }));
  expect(hook()).toMatchObject({ state: "active", dialect: "pi" });
  expect(await reason()).toBe('"judged"');
});

// biome-ignore format: a table
const NESTED: [what: string, nested: object, above: object, loads: boolean][] = [
  ["one that says how files are read makes no package of its folder", { type: "module" }, { name: "a", pi: { extensions: ["./extensions/index.ts"] } }, true],
  ["below a manifest, too", { private: true }, { name: "a", cordon: { hooks: ["./extensions/index.ts"] } }, true],
  ["one with a name does", { name: "b", type: "module" }, { name: "a", pi: { extensions: ["./extensions/index.ts"] } }, false],
  ["one for pi does", { pi: {} }, { name: "a", pi: { extensions: ["./extensions/index.ts"] } }, false],
  ["a package above it that names no hooks is not the hook's package", { type: "module" }, { name: "a" }, false],
];
test.each(NESTED)("a package.json in a folder of a package: %s", async (_what, nested, above, loads) => {
  const folder = hookFolder({
    "package.json": JSON.stringify(above),
    "extensions/package.json": JSON.stringify(nested),
    "extensions/index.ts": `import { beside } from "../beside.ts"; ${gate}\nvoid beside;`,
    "beside.ts": "export const beside = 1;",
  });
  const { hook } = await startFolder(folder, "extensions/index.ts");
  expect([hook().state, hook().reason]).toEqual(
    loads ? ["active", undefined] : ["failed", expect.stringContaining("leads outside")],
  );
});

const bad: { name: string; manifest: unknown; says: string }[] = [
  { name: "an unknown key", manifest: { capabilites: {} }, says: 'unknown key "capabilites"' },
  {
    name: "an unknown capability",
    manifest: { capabilities: { shell: [] } },
    says: 'unknown key "shell" in capabilities',
  },
  {
    name: "an unknown optional capability",
    manifest: { optional: { shell: [] } },
    says: 'unknown key "shell" in optional',
  },
  {
    name: "an unknown right of events",
    manifest: { capabilities: { events: { see: ["*"], veto: 1 } } },
    says: 'unknown key "veto" in capabilities.events',
  },
  {
    name: "an unknown key of fs",
    manifest: { capabilities: { fs: { readAll: true } } },
    says: 'unknown key "readAll" in capabilities.fs',
  },
  {
    name: "an unknown key of net",
    manifest: { capabilities: { net: { proxy: [] } } },
    says: 'unknown key "proxy" in capabilities.net',
  },
  { name: "an unknown limit", manifest: { limits: { memory: 1 } }, says: 'unknown key "memory" in limits' },
  { name: "an unknown dialect", manifest: { dialect: "vim" }, says: "dialect" },
  { name: "a priority that is not an integer", manifest: { priority: 1.5 }, says: "priority" },
  { name: "an unknown failure policy", manifest: { failure: "ajar" }, says: "failure" },
  { name: "a why that is not a string", manifest: { why: { exec: 1 } }, says: "why" },
  { name: "an array", manifest: [], says: "index.hook.json" },
  {
    name: "exec that needs fullAccess",
    manifest: { capabilities: { exec: [{ program: "npx", args: ["x"] }] } },
    says: "fullAccess",
  },
  {
    name: "optional exec that needs fullAccess",
    manifest: { optional: { exec: [{ program: "sh", args: ["x"] }] } },
    says: "fullAccess",
  },
];

test.each(bad)("a bad manifest fails only its hook, naming file and key: $name", async ({ manifest, says }) => {
  const folder = hookFolder({
    "index.ts": gate,
    "index.hook.json": JSON.stringify(manifest),
    "good.ts": "export default () => {};",
  });
  const { host, errors, reason } = await startFolder(folder, "index.ts", {
    hooks: [join(folder, "hook/good.ts"), join(folder, "hook/index.ts")],
  });
  expect(host.hooks.map(({ state }) => state)).toEqual(["active", "failed"]);
  const failed = host.hooks[1]?.reason ?? "";
  expect(failed).toContain(says);
  expect(failed).toContain(join(folder, "hook/index.hook.json"));
  expect(failed).not.toContain("\n");
  expect(await reason()).toContain("BAD_MANIFEST");
  expect(errors).toEqual([]);
});

test.each(["{", "", "\u0000", "{ 'single': 1 }"])("a manifest that is not JSON is a BAD_MANIFEST: %j", async (text) => {
  const { reason } = await startFolder(hookFolder({ "index.ts": gate, "index.hook.json": text }));
  expect(await reason()).toMatch(/index\.hook\.json.*BAD_MANIFEST/);
});

test("a manifest's limits and priority can only narrow", async () => {
  const source = answering(
    "(() => { try { return new Function('return 1')(); } catch (e) { return (e as Error).name; } })()",
  );
  const { reason } = await startFolder(
    hookFolder({
      "index.ts": source,
      "index.hook.json": '{ "limits": { "eval": true, "jit": true, "memoryMb": 2048 } }',
    }),
  );
  expect(await reason()).toBe('"EvalError"');
});

test("failure: open in a manifest opens no gate", async () => {
  const source = 'export default (pi: any) => pi.on("tool_call", () => { throw new Error("broken"); });';
  const { reason } = await startFolder(hookFolder({ "index.ts": source, "index.hook.json": '{ "failure": "open" }' }));
  expect(await reason()).toBe("broken");
});

// In a process of its own: a reader that waits for a pipe, or reads an endless device, would hang this process.
const special = [
  { name: "a pipe", make: (path: string) => void execFileSync("mkfifo", [path]) },
  { name: "an endless device", make: (path: string) => symlinkSync("/dev/zero", path) },
];

test.each(
  special.flatMap(({ name, make }) => ["index.hook.json", "package.json"].map((file) => ({ name, make, file }))),
)("$name instead of $file does not hang the agent", async ({ make, file }) => {
  const folder = hookFolder({ "index.ts": gate });
  make(join(folder, "hook", file));
  const script = `import { findManifest } from ${JSON.stringify(new URL("../../src/grants/manifest.ts", import.meta.url).href)};
      try { findManifest(${JSON.stringify(join(folder, "hook/index.ts"))}); } catch (error) { console.log(error.code); }
      console.log("went on");`;
  const said = execFileSync(
    "/bin/sh",
    [
      "-c",
      'ulimit -v 8000000; exec "$@"',
      "sh",
      process.execPath,
      "--no-warnings",
      "--input-type=module",
      "-e",
      script,
    ],
    { encoding: "utf8", timeout: 10_000, killSignal: "SIGKILL", cwd: temporaryFolder() },
  );
  expect(said).toMatch(/went on/);
});

test("a manifest that is a link to a secret does not reveal it", async () => {
  const folder = hookFolder({ "index.ts": gate });
  writeFileSync(join(folder, "outside/secret"), "MARKED-secret");
  symlinkSync(join(folder, "outside/secret"), join(folder, "hook/index.hook.json"));
  const { hook, reason } = await startFolder(folder);
  expect(`${hook().reason} ${await reason()}`).not.toContain("MARKED");
});
