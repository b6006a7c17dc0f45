import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { idIn, projectKey, projectOf } from "../../src/store/hooks-lock.ts";
import { writeFiles } from "../support/session.ts";
import { HOOK, manifestOf } from "./hostile-tar.ts";
import { remove } from "./hostile-terminal.ts";
import { Machine } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

const KEYS: [project: string, id: string][] = [
  ["/", "gate"],
  ["/a", "gate"],
  ["/a", "@acme/gate"],
  ["/a", "gate#hooks/index.ts"],
  ["/a", "gate#.cordon/index.ts"],
  ["/a", "gate#x/.cordon/index.ts"],
  ["/a", "@acme/gate#x/.cordon/gate"],
  ["/a/.cordon/b", "gate"],
  ["/a/.cordon/b", "@acme/gate"],
  ["/a/.cordon", "gate"],
  ["/a/.cordon/.cordon", "gate"],
  ["/home/ada/.cordon/@x/y", "gate#a"],
  ["/a#b", "gate#c"],
  ["/a b\n", "gate"],
];

test.each(KEYS)("no other project has the name of the hook of project %j with the id %j", (project, id) => {
  const key = projectKey(project, id);
  expect(projectOf(key)).toBe(project);
  expect(idIn(key, project)).toBe(id);
  expect(idIn(key, undefined)).toBeUndefined();
  for (const [other] of KEYS) if (other !== project) expect(idIn(key, other)).toBeUndefined();
});

/** A hook in a project, which says its own name. */
function write(project: string, said: string): void {
  writeFiles(join(project, "tools", "gate"), {
    "package.json": manifestOf(),
    "index.ts": HOOK.replace("'no'", JSON.stringify(said)),
  });
}

/** A session's answer to `ls` there. */
async function session(machine: Machine, cwd: string): Promise<{ said: string; states: string[]; notices: string[] }> {
  const host = await HookHost.start({
    spare: false,
    cwd,
    home: machine.home,
    agentDir: join(machine.home, "agent"),
    log: () => {},
  });
  const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } } as const;
  const outcome = await host.emitToolCall(call);
  await host.close();
  const said = outcome && "reason" in outcome ? String(outcome.reason) : "passed";
  return { said, states: host.hooks.map(({ state }) => state), notices: [...host.notices] };
}

async function add(machine: Machine, project: string, said: string): Promise<void> {
  write(project, said);
  const done = await machine.run(["add", "./tools/gate", "--project", "--grant", "none"], { cwd: project });
  expect(done).toMatchObject({ code: 0, stderr: "" });
}

test("nested and linked projects each have their own hook with the same id", async () => {
  const machine = new Machine();
  const outer = machine.work;
  const inner = join(outer, "inner");
  const hidden = join(outer, ".cordon", "hidden");
  const link = join(machine.folder, "link");
  for (const folder of [inner, hidden]) mkdirSync(folder, { recursive: true });
  symlinkSync(inner, link);
  await add(machine, outer, "outer");
  await add(machine, link, "inner");
  await add(machine, hidden, "hidden");
  const own = { states: ["active"], notices: [] };
  expect(await session(machine, outer)).toEqual({ said: "outer", ...own });
  expect(await session(machine, inner)).toEqual({ said: "inner", ...own });
  expect(await session(machine, link)).toEqual({ said: "inner", ...own });
  expect(await session(machine, hidden)).toEqual({ said: "hidden", ...own });
  expect(machine.names().lock.toSorted()).toEqual(
    [hidden, outer, inner].map((one) => projectKey(one, "gate")).toSorted(),
  );
  expect(existsSync(join(machine.folder, ".cordon"))).toBe(false);

  // Each is removed alone, by its name, from any folder.
  expect((await remove(machine, projectKey(hidden, "gate"))).code).toBe(0);
  expect(existsSync(join(hidden, ".cordon"))).toBe(false);
  expect((await session(machine, hidden)).said).toBe("passed");
  expect((await session(machine, outer)).said).toBe("outer");
  expect((await remove(machine, projectKey(inner, "gate"))).code).toBe(0);
  expect((await session(machine, outer)).said).toBe("outer");
  expect(machine.names()).toMatchObject({ lock: [projectKey(outer, "gate")], installed: ["gate"], left: [] });
});

test("a moved project has no accepted hooks, and its earlier ones are named and can be removed", async () => {
  const machine = new Machine();
  const before = join(machine.folder, "before");
  const after = join(machine.folder, "after");
  mkdirSync(before);
  await add(machine, before, "gate");
  renameSync(before, after);
  expect(await session(machine, after)).toMatchObject({ said: "passed", states: ["pending"] });
  const key = projectKey(before, "gate");
  const doctor = await machine.run(["doctor"]);
  expect(doctor.stdout).toContain(`grant ${key}: its project is gone; run: cordon remove ${key}`);
  expect((await remove(machine, key)).code).toBe(0);
  expect(existsSync(before)).toBe(false);
  expect(machine.names()).toEqual({ lock: [], grants: [], installed: [], left: [] });
});

test("the folder above Cordon's own proposes nothing, and no hook can be added for it", async () => {
  const machine = new Machine();
  const user = join(machine.folder, "user");
  const env = { CORDON_HOME: join(user, ".cordon") };
  write(user, "mine");
  write(machine.work, "gate");
  const done = await machine.run(["add", "./tools/gate", "--project", "--grant", "none"], { cwd: user, env });
  expect(done).toMatchObject({ code: 1, stdout: "" });
  expect(done.stderr).toMatch(/is Cordon's own folder: add it without --project \(BAD_GRANT\)\n$/);
  expect(existsSync(join(env.CORDON_HOME, "hooks.lock"))).toBe(false);
  for (const [cwd, flag] of [
    [machine.work, "--project"],
    [user, "--json"],
  ] as const)
    expect((await machine.run(["add", "./tools/gate", flag, "--grant", "none"], { cwd, env })).code).toBe(0);
  const lock = readFileSync(join(env.CORDON_HOME, "hooks.lock"), "utf8");
  const listed = await machine.run(["list", "--json"], { cwd: user, env });
  expect(JSON.parse(listed.stdout)).toMatchObject({
    hooks: [{ id: "gate", state: "active" }],
    elsewhere: [projectKey(machine.work, "gate")],
  });
  const accepted = await machine.run(["accept"], { cwd: user, env });
  expect(accepted).toEqual({ code: 0, stdout: "no hook of this project waits for a decision\n", stderr: "" });
  expect(readFileSync(join(env.CORDON_HOME, "hooks.lock"), "utf8")).toBe(lock);
});

const DAMAGED: [name: string, text: string][] = [
  ["no JSON", "{"],
  ["of a later version", '{"version":2,"hooks":{}}'],
  ["too large", " ".repeat(1024 * 1024 + 1)],
];

test.each(DAMAGED)("a project's hook is fully removed, even if the project's lock is %s", async (_name, text) => {
  const machine = new Machine();
  await add(machine, machine.work, "gate");
  writeFileSync(join(machine.work, ".cordon", "hooks.lock"), text);
  const { code, shown } = await remove(machine, "gate");
  expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining("gate is removed") });
  expect(machine.names()).toEqual({ lock: [], grants: [], installed: [], left: [] });
});

test("a lock over the size that can be read is not written", async () => {
  const machine = new Machine();
  await add(machine, machine.work, "gate");
  const path = join(machine.work, ".cordon", "hooks.lock");
  const { gate } = JSON.parse(readFileSync(path, "utf8")).hooks;
  const hooks = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`gate-${at}`, gate]));
  writeFileSync(path, JSON.stringify({ version: 1, hooks }));
  const before = readFileSync(path, "utf8");
  const done = await machine.run(["add", "./tools/gate", "--project", "--grant", "none"]);
  expect(done).toMatchObject({ code: 1 });
  expect(done.stderr).toMatch(/hooks\.lock would be larger than a project's lock may be \(BAD_GRANT\)\n$/);
  expect(readFileSync(path, "utf8")).toBe(before);
  expect((await session(machine, machine.work)).said).toBe("gate");
});

test("a project's hook and a user's hook with the same id are named, revoked and removed separately", async () => {
  const machine = new Machine();
  const capabilities = { env: ["CORDON_TEST_KEY"] };
  const json = { cordon: { hooks: ["./index.ts"], capabilities } };
  const other = join(machine.folder, "other");
  for (const folder of [machine.work, other])
    writeFiles(join(folder, "tools", "gate"), { "package.json": manifestOf(json), "index.ts": HOOK });
  for (const cwd of [machine.work, other])
    expect((await machine.run(["add", "./tools/gate", "--project", "--grant", "env"], { cwd })).code).toBe(0);
  expect((await machine.add(machine.package("gate", json), "env")).code).toBe(1);
  const far = join(machine.folder, "far");
  mkdirSync(far);
  const own = await machine.run(["add", machine.package("gate", json), "--grant", "env"], { cwd: far });
  expect(own).toMatchObject({ code: 0, stderr: "" });
  const powers = () =>
    Object.fromEntries(
      Object.entries(machine.table("grants.json")).map(([key, { capabilities: all }]) => [
        key,
        Object.keys(all as object).includes("env"),
      ]),
    );
  const [here, there] = [projectKey(machine.work, "gate"), projectKey(other, "gate")];
  expect(powers()).toEqual({ gate: true, [here]: true, [there]: true });
  // If both are there, the user's own runs.
  expect((await machine.run(["revoke", "gate"], { cwd: machine.work })).code).toBe(0);
  expect(powers()).toEqual({ gate: false, [here]: true, [there]: true });
  expect((await machine.run(["revoke", there], { cwd: machine.work })).code).toBe(0);
  expect(powers()).toEqual({ gate: false, [here]: true, [there]: false });
  expect((await remove(machine, "gate")).code).toBe(0);
  expect(machine.names().lock).toEqual([there, here].toSorted());
  expect((await session(machine, machine.work)).said).toBe("no");
  expect(existsSync(join(machine.work, ".cordon", "hooks.lock"))).toBe(true);
});
