import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { writeFiles } from "../support/session.ts";
import { Terminal } from "./journey-terminal.ts";
import { asks, calls, GATE, NOTHING, World } from "./world.ts";

vi.setConfig({ testTimeout: 600_000 });

let world: World;
let lock: string;
const key = (): string => `${world.work}/.cordon/gate`;
const powers = (name = key()): string[] => Object.keys(world.disk().grants[name]?.capabilities ?? {}).sort();
const publish = (version: string, reason: string, dependency = "1"): void =>
  world.registry.publish({
    name: "gate",
    version,
    files: { "index.ts": `import { WORD } from "word";\n${GATE.replace('"no rm"', `\`${reason} \${WORD}\``)}` },
    dependencies: { word: dependency },
    json: asks(),
  });

/** One person adds a hook for the project. Another person has the project, but none of the first one's files. */
beforeEach(async () => {
  world = await World.make();
  lock = join(world.work, ".cordon", "hooks.lock");
  world.registry.publish({ name: "word", version: "1.0.0", files: { "index.js": 'exports.WORD = "first";' } });
  publish("1.0.0", "no rm");
  const done = await world.run(["add", "gate", "--project", "--grant", "none"]);
  expect([done.code, done.stderr]).toEqual([0, ""]);
  rmSync(world.home, { recursive: true });
});

test("accept shows a project's hook like add, and installs the version of the lock, even if there is a newer one", async () => {
  world.registry.publish({ name: "word", version: "1.0.1", files: { "index.js": 'exports.WORD = "second";' } });
  publish("1.1.0", "newer");
  const terminal = await Terminal.open(world);
  const accepted = await terminal.run("cordon accept", async () => {
    await terminal.shows("Accept gate?");
    const read = terminal.read();
    expect(read).toMatch(/^package +gate 1\.0\.0$/m);
    expect(read).toMatch(/^publisher +ada$/m);
    expect(read).toMatch(/^with +word 1\.0\.0$/m);
    expect(read).toMatch(/^asks for +env: /m);
    expect(read).toMatch(/^rehearsed +\d+ ms/m);
    expect(read).toMatch(/^blocked +bash: no rm first$/m);
    expect(read).toMatch(/● +No: leave it inactive$/m);
    terminal.press("Down", "Down", "Enter");
    await terminal.shows("Which? Whatever you choose, it may hear and block");
    terminal.press("Down", "Space", "Enter");
  });
  expect(accepted).not.toContain("cordon:");
  expect(powers()).toEqual(["env", "events"]);
  expect((await world.verdicts("rm x", "word")).said).toEqual(["no rm first", "word: sesame"]);
  expect(world.disk().left).toEqual([".cordon/hooks.lock"]);
  expect(await terminal.run("cordon accept")).toContain("no hook of this project waits for a decision");

  // One person updates it to a newer version, and everyone is asked again.
  const colleague = { env: { CORDON_HOME: join(world.folder, "colleague") } };
  rmSync(lock);
  expect((await world.run(["add", "gate", "--project", "--grant", "none"], colleague)).code).toBe(0);
  expect((await world.verdicts("rm x")).said).toEqual(["no rm first"]);
  await terminal.run("cordon accept", async () => {
    await terminal.shows("Accept gate?");
    const read = terminal.read();
    expect(read).toMatch(/^changes +1\.0\.0 → 1\.1\.0$/m);
    expect(read).toMatch(/^files +~ index\.ts$/m);
    expect(read).toMatch(/^packages +~ word 1\.0\.0 → 1\.0\.1$/m);
    expect(read).toMatch(/● +No: keep the version accepted before$/m);
    terminal.press("Down", "Enter");
  });
  expect((await world.verdicts("rm x", "word")).said).toEqual(["newer second", "word: undefined"]);

  // And removes it: it guards until the person here agrees.
  rmSync(lock);
  expect((await world.verdicts("rm x")).said).toEqual(["newer second"]);
  await terminal.run("cordon accept", async () => {
    await terminal.shows("gate is gone; the version accepted before still guards");
    terminal.press("Down", "Enter");
  });
  expect((await world.verdicts("rm x")).said).toEqual(["passed"]);
  expect(world.disk()).toEqual(NOTHING);
});

test("accept warns like add about a name like an installed one, and about bytes that an index does not vouch for", async () => {
  world.registry.publish({ name: "gaet", version: "1.0.0", files: { "index.ts": GATE }, json: asks({}) });
  await world.install("gaet");
  const terminal = await Terminal.open(world);
  await terminal.run("cordon accept", async () => {
    await terminal.shows("Accept gate?");
    expect(terminal.read().replace(/\n +/g, " ")).toMatch(
      /^careful +this package gate is nearly named like gaet, which is installed$/m,
    );
    terminal.press("Enter");
  });
  const other = `sha512-${Buffer.alloc(64).toString("base64")}`;
  const hooks = { gate: { spec: "npm:gate", integrity: other } };
  writeFiles(world.folder, { "list.json": JSON.stringify({ version: 1, name: "team", hooks }) });
  await world.json(["index", "key", "../team.key"]);
  await world.json(["index", "build", "../list.json", "--key", "../team.key", "--out", "../team.json"]);
  await world.json(["search", "gate", "--index", "../team.json"]);
  const refused = await terminal.run("cordon accept; echo code $?");
  expect(refused.replace(/\n/g, "")).toMatch(/gate 1\.0\.0 is not what the index team vouches for.*code 1$/);
  expect(Object.keys(world.disk().lock)).toEqual(["gaet"]);
});

test("No leaves it inactive, and leaves no files of it", async () => {
  const terminal = await Terminal.open(world);
  await terminal.run("cordon accept", async () => {
    await terminal.shows("Accept gate?");
    terminal.press("Enter");
  });
  expect(world.disk()).toEqual({ ...NOTHING, left: [".cordon/hooks.lock"] });
  expect((await world.verdicts("rm x")).said).toEqual(["passed"]);
});

type Entry = Record<string, unknown> & { dependencies: Record<string, object> };
const LIES: [name: string, lie: (gate: Entry) => void, says: RegExp][] = [
  [
    "another digest",
    (gate) => (gate.digest = `sha256-${"0".repeat(64)}`),
    /gate: what npm:gate has is not what this project's lock names/,
  ],
  [
    "another integrity",
    (gate) => (gate.integrity = `sha512-${Buffer.alloc(64).toString("base64")}`),
    /could not be fetched/,
  ],
  ["a missing version", (gate) => (gate.version = "9.9.9"), /could not be fetched/],
  ["another package", (gate) => (gate.source = "npm:word"), /word/],
  ["a folder elsewhere", (gate) => (gate.source = "path:/etc"), /outside of this project|no such|no package/],
  ["a folder above", (gate) => (gate.source = "path:../user"), /may lead elsewhere than it says/],
  ["a repository on this disk", (gate) => (gate.source = "git:git+file:///etc"), /lies outside of this project/],
  ["an invalid source", (gate) => (gate.source = "--upload-pack=x"), /may lead elsewhere than it says/],
  [
    "a dependency with other bytes",
    (gate) => Object.assign(gate.dependencies["node_modules/word"] ?? {}, { integrity: `sha512-${"A".repeat(86)}==` }),
    /could not be fetched/,
  ],
  [
    "another package instead of a dependency",
    (gate) => Object.assign(gate.dependencies["node_modules/word"] ?? {}, { name: "gate" }),
    /could not be fetched/,
  ],
  ["no dependencies", (gate) => (gate.dependencies = {}), /word/],
];

test("each lie of a lock is reported in one line, and nothing is installed", async () => {
  const whole = readFileSync(lock, "utf8");
  const terminal = await Terminal.open(world);
  for (const [name, lie, says] of LIES) {
    const { hooks } = JSON.parse(whole);
    lie(hooks.gate);
    writeFileSync(lock, JSON.stringify({ version: 1, hooks }));
    const said = (await terminal.run("cordon accept; echo code $?")).replace(/\n/g, "");
    expect(said, name).toMatch(/cordon: .*code 1$/);
    expect(said, name).toMatch(says);
    expect(world.disk(), name).toEqual({ ...NOTHING, left: [".cordon/hooks.lock"] });
  }
});

test("a dependency's path that points outside of the package makes the lock invalid", async () => {
  const { hooks } = JSON.parse(readFileSync(lock, "utf8"));
  for (const place of ["../../evil", "node_modules/../../evil", "/etc/evil", "node_modules/..", "evil"]) {
    hooks.gate.dependencies = { [place]: hooks.gate.dependencies["node_modules/word"] ?? {} };
    writeFileSync(lock, JSON.stringify({ version: 1, hooks }));
    const { code, stdout, stderr } = await world.run(["accept"]);
    expect([code, stdout]).toEqual([0, "no hook of this project waits for a decision\n"]);
    expect(stderr).toMatch(/^note: .*hooks\.lock: .*: this project proposes no hooks\n$/);
  }
});

test("a hook inside the project is accepted with the same screen", async () => {
  rmSync(lock);
  writeFiles(world.work, {
    ".pi/hooks/gate.ts": GATE,
    ".pi/hooks/gate.hook.json": JSON.stringify({ capabilities: { env: ["GATE_WORD"] }, why: { env: "asks a word" } }),
  });
  const file = join(world.work, ".pi", "hooks", "gate.ts");
  const terminal = await Terminal.open(world);
  const accept = async (keys: string[], reads: RegExp[]): Promise<void> => {
    await terminal.run("cordon accept", async () => {
      await terminal.shows("Accept ");
      for (const text of reads) expect(terminal.read()).toMatch(text);
      terminal.press(...keys);
    });
  };
  await accept(
    ["Down", "Down", "Down", "Enter"],
    [
      /^asks for +env: \["GATE_WORD"\]$/m,
      /^ +"asks a word"$/m,
      /^seems to +use fs, for which it does not ask$/m,
      /^rehearsed +\d+ ms/m,
      /^blocked +bash: no rm$/m,
    ],
  );
  expect(powers(file)).toEqual(["env", "events"]);
  expect((await world.verdicts("rm x", "word")).said).toEqual(["no rm", "word: sesame"]);
  writeFileSync(file, GATE.replace("no rm", "never rm"));
  expect((await world.verdicts("rm x")).said).toEqual(["no rm"]);
  await accept(
    ["Down", "Enter"],
    [/^changed +it is another one than when it was accepted$/m, /^blocked +bash: never rm$/m],
  );
  expect((await world.verdicts("rm x", "word")).said).toEqual(["never rm", "word: undefined"]);
});

test("a file that replaces a hook while a person reviews it is not accepted", async () => {
  rmSync(lock);
  writeFiles(world.work, { ".pi/hooks/gate.ts": GATE });
  const file = join(world.work, ".pi", "hooks", "gate.ts");
  const terminal = await Terminal.open(world);
  await terminal.run("cordon accept", async () => {
    await terminal.shows("Accept ");
    writeFileSync(file, GATE.replace("no rm", "something else"));
    terminal.press("Down", "Enter");
  });
  const { stdout, stderr } = await world.run(["run", "--json"], { input: calls("rm x") });
  expect(JSON.parse(stdout).result).toMatchObject({ block: true, reason: "no rm" });
  expect(stderr).toContain(
    "changed: it changed since it was accepted: it goes on as it was accepted; run: cordon accept",
  );
});
