import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { asks, GATE, POWERS, World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

interface Outcome {
  id: string;
  outcome: string;
  code?: string;
  error?: string;
  change?: { from: string; to: string; wider: string[]; narrower: string[]; files: string[] };
}

/** Reports the version that runs. */
const version = (number: string): string =>
  GATE.replace("export default", `const VERSION = "${number}";\nexport default`).replace(
    '"no rm"',
    "`no rm ${VERSION}`",
  );

let world: World;
const publish = (number: string, capabilities: object = POWERS, rest: { publisher?: string } = {}): void =>
  world.registry.publish({
    name: "gate",
    version: number,
    files: { "index.ts": version(number) },
    json: asks(capabilities),
    ...rest,
  });
const update = async (code = 0): Promise<Outcome | undefined> =>
  (await world.json<{ hooks: Outcome[] }>(["update", "gate"], code)).hooks[0];
const powers = (): string[] => Object.keys(world.disk().grants.gate?.capabilities ?? {}).sort();

beforeEach(async () => {
  world = await World.make();
  publish("1.0.0");
  await world.install("gate", "env", "fs");
});

test("an update without a newer version changes nothing", async () => {
  const before = world.disk();
  expect(await update()).toEqual({ id: "gate", outcome: "current" });
  expect(world.disk()).toEqual(before);
});

test("a version with the same requests keeps its grants, and the old files are removed", async () => {
  const before = world.disk();
  publish("1.1.0");
  const told = await world.run(["update"]);
  expect([told.code, told.stdout]).toEqual([0, "gate: 1.0.0 → 1.1.0: new sessions have it\n"]);
  const after = world.disk();
  expect(after.lock.gate).toMatchObject({ version: "1.1.0", requested: POWERS });
  expect(after.lock.gate?.digest).not.toBe(before.lock.gate?.digest);
  expect(after.grants.gate).toEqual({ ...before.grants.gate, digest: after.lock.gate?.digest });
  expect([after.installed, after.left]).toEqual([["gate/index.ts", "gate/package.json"], []]);
  expect((await world.verdicts("rm x", "word", "notes")).said).toEqual(["no rm 1.1.0", "word: sesame", "notes: milk"]);
});

test("a version with fewer requests loses the powers that it no longer requests", async () => {
  publish("1.1.0", { env: POWERS.env });
  expect(await update()).toMatchObject({
    outcome: "updated",
    change: { from: "1.0.0", to: "1.1.0", wider: [], narrower: ['fs: {"read":["$CWD/notes.txt"]}'] },
  });
  expect(powers()).toEqual(["env", "events"]);
  const { said } = await world.verdicts("rm x", "word", "notes");
  expect(said.slice(0, 2)).toEqual(["no rm 1.1.0", "word: sesame"]);
  expect(said.join()).not.toContain("milk");
});

test("a version with more requests waits with a readable difference, and the old one keeps running", async () => {
  const before = world.disk();
  publish("2.0.0", { ...POWERS, env: ["GATE_WORD", "HOME"], net: { connect: ["evil.example:443"] } });
  const told = await world.run(["update"]);
  expect(told.code).toBe(1);
  expect(told.stdout).toBe(
    [
      "gate 1.0.0 → 2.0.0",
      '  asks also for net: {"connect":["evil.example:443"]}',
      "    ! it can send files ($CWD/notes.txt), the variables GATE_WORD, HOME to evil.example:443",
      '  asks also for env: ["HOME"]',
      "    ! it can send the variables GATE_WORD, HOME to evil.example:443",
      "  ~ index.ts",
      "  ~ package.json",
      "gate: waits for a person: run cordon update gate on a terminal",
      "",
    ].join("\n"),
  );
  expect(told.stderr).toBe("cordon: gate: the installed version goes on\n");
  expect(await update(1)).toMatchObject({
    outcome: "pending",
    change: { wider: [expect.any(String), expect.any(String)] },
  });
  const { lock, ...rest } = world.disk();
  const pending = { version: "2.0.0", wider: ['net: {"connect":["evil.example:443"]}', 'env: ["HOME"]'] };
  expect({ ...rest, lock }).toEqual({ ...before, lock: { gate: { ...before.lock.gate, pending } } });
  expect((await world.verdicts("rm x")).said).toEqual(["no rm 1.0.0"]);
  const listed = await world.run(["list"]);
  expect(listed.stdout).toMatch(/^gate +1\.0\.0, 2\.0\.0 waits +active/m);
  expect(listed.stdout).toContain("gate 2.0.0 asks also for net:");

  // The version is withdrawn: nothing waits.
  world.registry.unpublish("gate", "2.0.0");
  expect(await update()).toEqual({ id: "gate", outcome: "current" });
  expect(world.disk()).toEqual(before);
});

// biome-ignore format: a table
test.each<[what: string, before: object, now: object, lost: string]>([
  ["blocks no more", { see: ["tool_call"], block: true }, { see: ["tool_call"], block: false }, '{"block":true}'],
  ["no longer hears calls", { see: ["tool_call", "session"], block: true }, { see: ["session"], block: true }, '{"see":["tool_call"]}'],
  ["withholds fewer results", { see: ["tool_result"], block: false, guardResult: ["read", "bash"] }, { see: ["tool_result"], block: false, guardResult: ["read"] }, '{"guardResult":["bash"]}'],
  ["takes nothing out of results", { see: ["tool_result"], block: false, rewriteResult: ["read"] }, { see: ["tool_result"], block: false }, '{"rewriteResult":["read"]}'],
  ["cancels no more", { see: ["session"], block: false, cancel: true }, { see: ["session"], block: false }, '{"cancel":true}'],
])("a version that %s waits for a person", async (_what, before, now, lost) => {
  publish("1.1.0", { ...POWERS, events: before });
  await world.install("gate", "events");
  const { lock } = world.disk();
  publish("1.2.0", { ...POWERS, events: now });
  const told = await world.run(["update"]);
  expect(told.code).toBe(1);
  expect(told.stdout).toContain("gate 1.1.0 → 1.2.0\n  no longer guards events: ");
  expect(await update(1)).toMatchObject({ outcome: "pending", change: { wider: [], unguarded: [`events: ${lost}`] } });
  expect(world.disk().lock.gate).toEqual({ ...lock.gate, pending: { version: "1.2.0", wider: [] } });
  expect((await world.run(["list"])).stdout).toContain("gate 1.2.0 guards less; run: cordon update gate");
});

// biome-ignore format: a table
test.each<[what: string, before: object, now: object]>([
  ["observes less, and guards as before", { see: ["tool_call", "turn_end", "session"], block: true }, { see: ["tool_call"], block: true }],
  ["names what it guards", { see: ["*"], block: true }, { see: ["tool_call", "tool_result"], block: true }],
  ["observes nothing any more", { see: ["tool_call", "turn_end"], block: false }, { see: [], block: false }],
])("a version that %s is taken", async (_what, before, now) => {
  publish("1.1.0", { ...POWERS, events: before });
  await world.install("gate", "events");
  publish("1.2.0", { ...POWERS, events: now });
  expect(await update()).toMatchObject({ outcome: "updated", change: { unguarded: [] } });
});

test("a version that names the events of a guard, which it did not, is no other guard", async () => {
  publish("1.1.0", { ...POWERS, events: { see: ["tool_call"], block: true } });
  expect(await update(1)).toMatchObject({ outcome: "pending", change: { unguarded: [] } });
});

test("a version without a manifest loses the powers that the one before asked for", async () => {
  world.registry.publish({
    ...{ name: "gate", version: "1.1.0", files: { "index.ts": version("1.1.0") } },
    json: { pi: { hooks: ["./index.ts"] } },
  });
  expect(await update()).toMatchObject({
    outcome: "updated",
    change: { narrower: [expect.stringMatching(/^fs/), expect.stringMatching(/^env/)] },
  });
  expect(powers()).toEqual(["events"]);
  const { said } = await world.verdicts("rm x", "word", "notes");
  expect(said[0]).toBe("no rm 1.1.0");
  expect(said.join()).not.toMatch(/sesame|milk/);
});

test("a version that an index does not vouch for is not taken", async () => {
  const { integrity } = world.disk().lock.gate as unknown as { integrity: string };
  const hooks = { gate: { spec: "npm:gate", integrity } };
  writeFileSync(join(world.work, "list.json"), JSON.stringify({ version: 1, name: "team", hooks }));
  await world.json(["index", "key", "k"]);
  await world.json(["index", "build", "list.json", "--key", "k", "--out", "team.json"]);
  await world.run(["search", "gate", "--index", "team.json"]);
  publish("1.1.0");
  expect(await update(1)).toMatchObject({
    ...{ outcome: "stopped", code: "INTEGRITY_MISMATCH" },
    error: "gate 1.1.0 is not what the index team vouches for",
  });
  expect(world.disk().lock.gate?.version).toBe("1.0.0");
});

test("an update does not restore a revoked power", async () => {
  await world.json(["revoke", "gate", "fs"]);
  publish("1.1.0");
  expect(await update()).toMatchObject({ outcome: "updated" });
  expect(powers()).toEqual(["env", "events"]);
  expect((await world.verdicts("notes")).said.join()).not.toContain("milk");
});

describe("a grant that a person narrowed by hand stays narrow after an update with the same requests", () => {
  test.each([
    ["fs", { read: ["$CWD/**"], write: ["$CWD/**"] }, { read: ["$CWD/other.txt"] }],
    ["env", ["GATE_WORD", "GATE_PATH"], ["GATE_PATH"]],
    ["net", { connect: ["docs.example.org:443", "example.org:443"] }, { connect: ["docs.example.org:443"] }],
    ["exec", [{ program: "wc", args: [{ rest: "relpath" }] }], [{ program: "wc", args: ["notes.txt"] }]],
    ["events", { see: ["*"], block: true, cancel: true }, { see: ["tool_call"], block: true }],
  ])("%s", async (power, asked, narrow) => {
    publish("1.1.0", { [power]: asked });
    await world.install("gate", power);
    const path = join(world.home, "grants.json");
    const file = JSON.parse(readFileSync(path, "utf8"));
    expect(file.hooks.gate.capabilities[power]).toEqual(asked);
    file.hooks.gate.capabilities[power] = narrow;
    writeFileSync(path, JSON.stringify(file));
    publish("1.2.0", { [power]: asked });
    expect(await update()).toMatchObject({ outcome: "updated", change: { from: "1.1.0", to: "1.2.0" } });
    expect(world.disk().grants.gate?.capabilities[power]).toEqual(narrow);
  });
});

describe("acts that no honest author does stop the update, and the old version keeps running", () => {
  const rows: { name: string; does: () => void; says: RegExp; code?: string }[] = [
    {
      name: "other bytes under the same version",
      does: () => world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": "" }, json: asks() }),
      says: /version 1\.0\.0 has other bytes than when it was installed/,
    },
    {
      name: "bytes that were not signed",
      does: () =>
        world.registry.publish({
          name: "gate",
          version: "1.1.0",
          files: { "index.ts": GATE },
          json: asks(),
          tamper: (packed) => Buffer.concat([packed, Buffer.from("x")]),
        }),
      says: /integrity|EINTEGRITY/i,
    },
    {
      name: "an older version",
      does: () => publish("0.9.0"),
      says: /has version 0\.9\.0, older than the installed 1\.0\.0/,
    },
    {
      name: "another publisher",
      does: () => publish("1.1.0", POWERS, { publisher: "mallory" }),
      says: /its publisher was ada and is now mallory/,
    },
    {
      name: "a version that vanished",
      does: () => {
        publish("0.9.0");
        world.registry.unpublish("gate", "1.0.0");
      },
      says: /its registry no longer has version 1\.0\.0/,
    },
    {
      name: "a version that vanished, replaced by a newer one",
      does: () => {
        publish("1.1.0");
        world.registry.unpublish("gate", "1.0.0");
      },
      says: /its registry no longer has version 1\.0\.0/,
    },
    {
      name: "a version without its signature",
      does: () =>
        world.registry.publish({
          name: "gate",
          version: "1.1.0",
          files: { "index.ts": GATE },
          json: asks(),
          signed: false,
        }),
      says: /the installed version is signed, and this one is not/,
    },
    {
      name: "a version that does not load",
      does: () =>
        world.registry.publish({
          name: "gate",
          version: "1.1.0",
          files: { "index.ts": 'throw new Error("not today");\nexport default () => {};' },
          json: asks(),
        }),
      says: /version 1\.1\.0 does not load \(.*not today/,
      code: "LOAD_FAILED",
    },
    {
      name: "a package that vanished",
      does: () => world.registry.unpublish("gate"),
      says: /404 Not Found/,
      code: "LOAD_FAILED",
    },
    {
      name: "a package that no longer is a hook",
      does: () => world.registry.publish({ name: "gate", version: "1.1.0", files: { "index.ts": GATE } }),
      says: /names no hooks/,
      code: "BAD_MANIFEST",
    },
    {
      name: "a hook that vanished",
      does: () =>
        world.registry.publish({
          name: "gate",
          version: "1.1.0",
          files: { "a.ts": GATE, "b.ts": GATE },
          json: { cordon: { hooks: ["./a.ts", "./b.ts"] } },
        }),
      says: /gate 1\.1\.0 no longer has this hook/,
    },
  ];
  test.each(rows)("$name", async ({ does, says, code = "INTEGRITY_MISMATCH" }) => {
    const before = world.disk();
    does();
    expect(await update(1)).toEqual({ id: "gate", outcome: "stopped", code, error: expect.stringMatching(says) });
    expect(world.disk()).toEqual(before);
    expect((await world.verdicts("rm x", "word")).said).toEqual(["no rm 1.0.0", "word: sesame"]);
  });
});

test("one stopped hook does not delay the others", async () => {
  world.registry.publish({ name: "other", version: "1.0.0", files: { "index.ts": GATE }, json: asks({}) });
  await world.install("other");
  world.registry.publish({ name: "other", version: "1.0.1", files: { "index.ts": version("1.0.1") }, json: asks({}) });
  publish("1.1.0", POWERS, { publisher: "mallory" });
  const { hooks } = await world.json<{ hooks: Outcome[] }>(["update"], 1);
  expect(hooks.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["gate", "stopped"],
    ["other", "updated"],
  ]);
});

test("an unknown id is an error that suggests the right one", async () => {
  const { code, stderr } = await world.run(["update", "gaet"]);
  expect([code, stderr]).toEqual([1, "cordon: no hook here is called gaet; did you mean gate?\n"]);
});
