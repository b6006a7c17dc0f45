import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { recordAgent } from "../../src/disk/open-agents.ts";
import { writeFiles } from "../support/session.ts";
import { asks, GATE, Machine, World } from "./world.ts";

let world: World;
const publish = (version: string, blocks: boolean, publisher = "ada", rest = {}): void =>
  world.registry.publish({
    name: "gate",
    version,
    publisher,
    files: { "index.ts": blocks ? GATE : "export default () => {};" },
    json: asks(),
    ...rest,
  });

beforeEach(async () => {
  world = await World.make();
  publish("1.1.0", true);
  await world.install("gate", "env");
});

test.each([
  ["other bytes under the same version", () => publish("1.1.0", false), /has other bytes than when it was installed/],
  [
    "a version whose predecessor vanished",
    () => {
      world.registry.unpublish("gate", "1.1.0");
      publish("1.2.0", false);
    },
    /its registry no longer has version 1\.1\.0/,
  ],
  ["another publisher", () => publish("1.2.0", false, "mallory"), /its publisher was ada and is now mallory/],
])("without a person, %s are not added over what is installed", async (_what, change, why) => {
  change();
  world.forgetAnswers();
  const before = world.disk();
  for (const flags of [
    ["--grant", "none"],
    ["--grant", "env"],
  ]) {
    const added = await world.run(["add", "gate", ...flags]);
    expect(added).toMatchObject({ code: 1, stderr: expect.stringMatching(why) });
  }
  expect(world.disk()).toEqual(before);
  expect((await world.verdicts("rm x")).said).toEqual(["no rm"]);
});

test("a newer version, and the same one, are added over what is installed", async () => {
  expect((await world.add("gate", "env")).code).toBe(0);
  publish("1.2.0", false);
  world.forgetAnswers();
  expect((await world.add("gate", "env")).code).toBe(0);
  expect(world.disk().lock.gate?.version).toBe("1.2.0");
});

test("a hook that is disabled stays so when it is added again, and its person hears of it", async () => {
  const grants = world.table<Record<string, unknown>>("grants.json");
  const text = { version: 1, hooks: { gate: { ...grants.gate, disabled: true } } };
  writeFiles(world.home, { "grants.json": JSON.stringify(text) });
  const added = await world.add("gate", "env");
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("gate stays disabled; to run it: cordon enable gate"),
  });
  expect(world.table<Record<string, unknown>>("grants.json").gate).toMatchObject({ disabled: true });
  expect((await world.verdicts("rm x")).said).toEqual(["passed"]);
});

test("an update shows what changed in modules that a package brings along", async () => {
  const machine = new Machine();
  const folder = join(machine.folder, "from", "package");
  const pack = (version: string, judge: string, capabilities: object): void => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFiles(folder, {
      "package.json": JSON.stringify({ name: "gate", version, ...asks(capabilities) }),
      "index.ts": `import { judge } from "lib"; export default (pi: any) => { pi.on("tool_call", (event: any) => judge(event)); };`,
      "node_modules/lib/package.json": '{"name":"lib","version":"1.0.0","main":"index.js"}',
      "node_modules/lib/index.js": `exports.judge = ${judge};`,
    });
    execFileSync("tar", ["-C", join(folder, ".."), "-czf", join(folder, "..", "gate.tgz"), "package"]);
  };
  pack("1.0.0", '() => ({ block: true, reason: "no" })', { env: ["A"] });
  await machine.install(join(folder, "..", "gate.tgz"), "env");
  pack("1.1.0", "() => undefined", { env: ["A", "B"] });
  const { stdout } = await machine.run(["update"]);
  expect(stdout).toContain("node_modules/lib/index.js");
});

test("an agent does not add again what is installed: it may guard its calls", async () => {
  // This process is one, as far as the home knows.
  recordAgent(world.home);
  const before = world.disk().grants;
  expect(await world.add("gate")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("adding gate again, which is installed, is for a person"),
  });
  expect(world.disk().grants).toEqual(before);
});

test("an update from a folder takes no older version", async () => {
  const machine = new Machine();
  const folder = join(machine.folder, "gate");
  const lay = (version: string): void =>
    writeFiles(folder, {
      "package.json": JSON.stringify({ name: "gate", version, cordon: { hooks: ["gate.ts"] } }),
      "gate.ts": `${GATE}\n// ${version}`,
    });
  lay("0.2.0");
  await machine.install(folder, "none");
  lay("0.1.0");
  const { code, stdout, stderr } = await machine.run(["update"]);
  expect([code, stdout + stderr]).toEqual([
    1,
    expect.stringContaining("its source has version 0.1.0, older than the installed 0.2.0"),
  ]);
});
