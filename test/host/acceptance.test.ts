import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { writeFiles } from "../support/session.ts";
import { accept, blocking, discoverIn, idle, places } from "./places.ts";

const GATE = "project/.pi/hooks/gate.ts";

/** A project whose gate was accepted unchanged, in a session that has ended. */
async function acceptedProject(
  source = blocking("accepted"),
  files: Record<string, string> = {},
  entry: object = {},
): Promise<string> {
  const folder = places({ [GATE]: source, ...files });
  const first = await discoverIn(folder);
  await accept(folder, first.hook(GATE), entry);
  await first.host.close();
  return folder;
}

test("a project's hook is pending and inert, and one notice tells the user how to accept it", async () => {
  const folder = places({ [GATE]: `console.log("it ran"); ${blocking("project")}` });
  const { hook, log, errors, blocked, host } = await discoverIn(folder);
  expect(hook(GATE)).toMatchObject({
    id: join(folder, GATE),
    state: "pending",
    events: [],
    digest: undefined,
    reason: expect.stringContaining("cordon accept"),
  });
  expect(host.hasHandlers("tool_call")).toBe(false);
  expect(await blocked()).toBeUndefined();
  await host.emit({ type: "agent_start" });
  expect(log).toEqual([{ level: "warn", text: expect.stringMatching(/gate\.ts.*never accepted.*cordon accept/) }]);
  expect(errors).toEqual([]);
  expect(existsSync(join(folder, "home", "grants.json"))).toBe(false);
});

test("a session below a project whose hooks were accepted says that they do not judge there", async () => {
  const folder = await acceptedProject(blocking("accepted"), { "project/sub/deep/x": "", "other/x": "" });
  const above = async (cwd: string): Promise<string[]> => {
    const { host, log } = await discoverIn(folder, { cwd: join(folder, cwd) });
    await host.close();
    return log.map(({ text }) => text).filter((text) => text.includes("do not judge here"));
  };
  const said = `the hooks that you accepted in ${join(folder, "project")} do not judge here`;
  for (const cwd of ["project/sub", "project/sub/deep"])
    expect(await above(cwd)).toEqual([expect.stringContaining(said)]);
  for (const cwd of ["project", "other"]) expect(await above(cwd)).toEqual([]);
});

test("a pending hook that cannot be built blocks nothing", async () => {
  const folder = places({ [GATE]: 'import "fs"; export default (' });
  const { hook, blocked } = await discoverIn(folder);
  expect(hook(GATE)).toMatchObject({ state: "pending" });
  expect(await blocked()).toBeUndefined();
});

test("without a runtime, a pending hook blocks nothing, and an accepted one everything", async () => {
  const folder = await acceptedProject(blocking("accepted"), { "project/.pi/hooks/another.ts": blocking("another") });
  const another = places({ [GATE]: blocking("project") });
  vi.stubEnv("CORDON_RUNTIME", join(folder, "nowhere"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const pending = await discoverIn(another);
  expect(pending.hook(GATE)).toMatchObject({ state: "pending", reason: expect.stringContaining("cordon accept") });
  expect(await pending.blocked()).toBeUndefined();
  const accepted = await discoverIn(folder);
  expect(accepted.host.hooks.map(({ state }) => state)).toEqual(["pending", "failed"]);
  expect(await accepted.blocked()).toMatch(/gate\.ts.*no sandbox runtime|NO_RUNTIME/);
});

test("a hook that is accepted under its real path with its digest is active", async () => {
  const folder = await acceptedProject();
  const { hook, blocked, log } = await discoverIn(folder);
  expect(hook(GATE)).toMatchObject({ state: "active", events: ["tool_call"] });
  expect(await blocked()).toBe(`${GATE}: accepted`);
  expect(log).toEqual([]);
});

test("accepting one hook does not accept another", async () => {
  const folder = await acceptedProject(blocking("accepted"), { "project/.pi/hooks/another.ts": blocking("another") });
  const { host } = await discoverIn(folder);
  expect(host.hooks.map(({ state }) => state)).toEqual(["pending", "active"]);
});

test("a hook that changed after it was accepted runs from its accepted bytes and says so", async () => {
  const folder = await acceptedProject();
  writeFiles(folder, { [GATE]: idle });
  const { hook, blocked, log } = await discoverIn(folder);
  expect(hook(GATE)).toMatchObject({ state: "changed" });
  expect(await blocked()).toBe(`${GATE}: accepted`);
  expect(log).toMatchObject([
    { level: "warn", text: expect.stringMatching(/gate\.ts changed since it was accepted.*cordon accept/) },
  ]);
});

const changes: { name: string; change(folder: string): void }[] = [
  {
    name: "a second file of it changed",
    change: (folder) => writeFiles(folder, { "project/.pi/hooks/lib/word.ts": 'export const word = "other";' }),
  },
  { name: "a second file of it deleted", change: (folder) => rmSync(join(folder, "project/.pi/hooks/lib/word.ts")) },
  {
    name: "a manifest added beside it",
    change: (folder) => writeFiles(folder, { "project/.pi/hooks/gate.hook.json": '{ "failure": "open" }' }),
  },
  {
    name: "a bad manifest added beside it",
    change: (folder) => writeFiles(folder, { "project/.pi/hooks/gate.hook.json": "{" }),
  },
  {
    name: "a manifest with a wrong dialect added beside it",
    change: (folder) => writeFiles(folder, { "project/.pi/hooks/gate.hook.json": '{ "dialect": "strands" }' }),
  },
  { name: "a syntax error added to it", change: (folder) => writeFiles(folder, { [GATE]: "export default (" }) },
  { name: "a refused import added to it", change: (folder) => writeFiles(folder, { [GATE]: 'import "fs";' }) },
  { name: "emptied", change: (folder) => writeFiles(folder, { [GATE]: "" }) },
  { name: "deleted", change: (folder) => rmSync(join(folder, GATE)) },
  { name: "renamed", change: (folder) => renameSync(join(folder, GATE), join(folder, "project/.pi/hooks/moved.txt")) },
  { name: "its folder deleted", change: (folder) => rmSync(join(folder, "project/.pi"), { recursive: true }) },
  {
    name: "a folder in place of its file",
    change: (folder) => {
      rmSync(join(folder, GATE));
      mkdirSync(join(folder, GATE));
    },
  },
  {
    name: "a link to another file in place of its file",
    change: (folder) => {
      writeFiles(folder, { "project/other.ts": idle });
      rmSync(join(folder, GATE));
      symlinkSync(join(folder, "project/other.ts"), join(folder, GATE));
    },
  },
  {
    name: "its folder moved, with a link to it",
    change: (folder) => {
      renameSync(join(folder, "project/.pi"), join(folder, "project/moved"));
      writeFiles(folder, { "project/moved/hooks/gate.ts": idle });
      symlinkSync("moved", join(folder, "project/.pi"));
    },
  },
];

test.each(changes)("an agent that edits files cannot disable an accepted gate: $name", async ({ change }) => {
  const source =
    'import { word } from "./lib/word"; export default (pi: any) => pi.on("tool_call", () => ({ block: true, reason: word }));\n';
  const folder = await acceptedProject(source, { "project/.pi/hooks/lib/word.ts": 'export const word = "accepted";' });
  change(folder);
  const { blocked, host } = await discoverIn(folder);
  expect(host.hooks.map(({ state }) => state)).toContain("changed");
  expect(await blocked()).toMatch(/: accepted$/);
});

test("a hook that is changed back to its accepted bytes is active", async () => {
  const folder = await acceptedProject();
  writeFiles(folder, { [GATE]: idle });
  await (await discoverIn(folder)).host.close();
  writeFiles(folder, { [GATE]: blocking("accepted") });
  const { hook, blocked } = await discoverIn(folder);
  expect(hook(GATE)).toMatchObject({ state: "active" });
  expect(await blocked()).toBe(`${GATE}: accepted`);
});

test.each([
  { name: "changed", change: (folder: string) => writeFiles(folder, { [GATE]: idle }) },
  { name: "deleted", change: (folder: string) => rmSync(join(folder, GATE)) },
])("without its accepted bytes, a $name hook blocks with DIGEST_MISMATCH and the remedy", async ({ change }) => {
  const folder = await acceptedProject();
  change(folder);
  rmSync(join(folder, "home/bundles"), { recursive: true });
  const { hook, blocked } = await discoverIn(folder);
  expect(hook(GATE)).toMatchObject({ state: "failed" });
  expect(await blocked()).toMatch(/DIGEST_MISMATCH/);
  expect(await blocked()).toContain("cordon accept");
});

test("accepted bytes that were tampered with do not run", async () => {
  const folder = await acceptedProject();
  writeFiles(folder, { [GATE]: idle });
  await (await discoverIn(folder)).host.close();
  const { digest } = JSON.parse(readFileSync(join(folder, "home/grants.json"), "utf8")).hooks[join(folder, GATE)];
  const kept = readdirSync(join(folder, "home/bundles")).find((name) => name.startsWith(digest)) as string;
  const path = join(folder, "home/bundles", kept);
  writeFileSync(path, readFileSync(path, "utf8").replace("accepted", "tampered"));
  const { blocked } = await discoverIn(folder);
  expect(await blocked()).toContain("DIGEST_MISMATCH");
});

test("edits do not affect a running session", async () => {
  const folder = await acceptedProject();
  const { blocked } = await discoverIn(folder);
  writeFiles(folder, { [GATE]: idle, "home/grants.json": "{}" });
  expect(await blocked()).toBe(`${GATE}: accepted`);
});

const grantingItself: { name: string; files: Record<string, string> }[] = [
  {
    name: "a manifest that requests everything",
    files: {
      "project/.pi/hooks/gate.hook.json": JSON.stringify({
        capabilities: { exec: [{ program: "echo", args: ["x"] }], send: {} },
        limits: { eval: true, memoryMb: 2000 },
        failure: "open",
      }),
    },
  },
  {
    name: "a package.json in the project",
    files: {
      "project/package.json": JSON.stringify({
        name: "p",
        cordon: { hooks: ["./.pi/hooks/gate.ts"], limits: { eval: true } },
      }),
    },
  },
  {
    name: "grants files in the project",
    files: Object.fromEntries(
      [
        "project/.cordon/grants.json",
        "project/grants.json",
        "project/.pi/grants.json",
        "project/.pi/hooks/grants.json",
      ].map((path) => [path, JSON.stringify({ version: 1, hooks: { "./.pi/hooks/gate.ts": { capabilities: {} } } })]),
    ),
  },
  {
    name: "an environment file in the project",
    files: { "project/.env": "CORDON_HOME=./.cordon\nCORDON_RUNTIME=./x\n", "project/.cordon/grants.json": "{}" },
  },
];

test.each(grantingItself)("a repository cannot grant itself anything: $name", async ({ files }) => {
  const { host, blocked } = await discoverIn(places({ [GATE]: blocking("self-made"), ...files }));
  expect(host.hooks).toMatchObject([{ state: "pending" }]);
  expect(await blocked()).toBeUndefined();
});

test("the manifest of an accepted project's hook still gives no power, no limits and no open gate", async () => {
  const source = `export default (pi: any) => pi.on("tool_call", async (_event: any, ctx: any) => {
    const tried: string[] = [];
    try { await ctx.exec("echo", ["x"]); tried.push("ran"); } catch (e: any) { tried.push(e.code); }
    try { new Function("return 1")(); tried.push("eval"); } catch (e: any) { tried.push(e.name); }
    if (tried.length === 2) throw new Error(tried.join(" "));
  });`;
  const manifest = {
    capabilities: { exec: [{ program: "echo", args: ["x"] }] },
    limits: { eval: true, jit: true, cpuMs: 60000 },
    failure: "open",
  };
  const folder = await acceptedProject(source, { "project/.pi/hooks/gate.hook.json": JSON.stringify(manifest) });
  const { blocked, hook } = await discoverIn(folder);
  expect(hook(GATE)).toMatchObject({ state: "active" });
  expect(await blocked()).toBe(`${GATE}: NOT_GRANTED EvalError`);
});

test.each([
  { name: "without a digest", entry: { digest: undefined } },
  { name: "for another digest, whose bytes are not kept", entry: { digest: `sha256-${"0".repeat(64)}` } },
])("an entry $name does not accept a project's hook", async ({ entry }) => {
  const folder = await acceptedProject(blocking("project"), {}, entry);
  const { hook, blocked } = await discoverIn(folder);
  expect(hook(GATE).state).not.toBe("active");
  expect(await blocked()).not.toBe(`${GATE}: project`);
});
