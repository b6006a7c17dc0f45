import { beforeEach, expect, test, vi } from "vitest";
import { writeFiles } from "../support/session.ts";
import { joined, Terminal } from "./journey-terminal.ts";
import { asks, calls, GATE, NOTHING, POWERS, World } from "./world.ts";

vi.setConfig({ testTimeout: 600_000 });

const WIDTH = 80;

let world: World;
beforeEach(async () => {
  world = await World.make();
  world.registry.publish({
    name: "gate",
    version: "1.0.0",
    files: { "index.ts": GATE },
    dependencies: { colour: "^2.0.0" },
    json: asks(POWERS, { why: { fs: "reads the notes, so that what you wrote there is kept in mind at each call" } }),
  });
  world.registry.publish({ name: "colour", version: "2.1.0", files: { "index.js": "" } });
});

const powers = (): string[] => Object.keys(world.disk().grants.gate?.capabilities ?? {}).sort();

test("a newcomer adds a hook, reads, grants one of two powers, sees a refusal, revokes, and removes the hook", async () => {
  writeFiles(world.folder, { events: calls("ls", "rm x", "word", "notes") });
  const terminal = await Terminal.open(world);

  const added = await terminal.run("cordon add gate", async () => {
    await terminal.shows("Install gate?");
    const read = terminal.read();
    expect(read).toMatch(/^package +gate 1\.0\.0$/m);
    expect(read).toMatch(/^publisher +ada$/m);
    expect(read).toMatch(/^provenance +signed/m);
    expect(read).toMatch(/^asks for +fs:/m);
    expect(read).toContain('"reads the notes');
    expect(read).toMatch(/^blocked +bash: no rm$/m);
    // The first answer is the harmless one.
    expect(read).toMatch(/● +No$/m);
    expect(powers()).toEqual([]);
    terminal.press("Down", "Down", "Enter");
    await terminal.shows("Which? Whatever you choose, it may hear and block");
    // The more dangerous power is first.
    terminal.press("Down", "Space", "Enter");
  });
  expect(added).toContain("installed gate with env: new sessions have it");
  expect(powers()).toEqual(["env", "events"]);

  const deny = async (): Promise<void> => {
    await terminal.shows("Cordon asks: hook gate wants to use fs");
    // The first answer is to deny.
    terminal.press("Enter");
  };
  const guarded = await terminal.run("cordon run ../events", deny);
  expect(guarded).toMatch(/tool_call bash {2}passed/);
  expect(guarded).toMatch(/blocked by gate: no rm/);
  expect(guarded).toMatch(/blocked by gate: word: sesame/);
  expect(joined(guarded)).toMatch(/was not granted fs.*run: cordon grant gate fs/);
  expect(guarded).not.toContain("milk");

  // The command in the refusal works.
  await terminal.run("cordon grant gate fs", async () => {
    await terminal.shows("Grant gate this:");
    terminal.press("y");
  });
  expect(await terminal.run("cordon run ../events")).toContain("notes: milk");

  expect(await terminal.run("cordon revoke gate fs")).toContain("revoked fs from gate");
  expect(powers()).toEqual(["env", "events"]);
  expect(await terminal.run("cordon run ../events", deny)).not.toContain("milk");
  expect(await terminal.run("cordon list")).toMatch(/gate +1\.0\.0 +active/);

  const removed = await terminal.run("cordon remove gate", async () => {
    await terminal.shows("Remove gate");
    terminal.press("y");
  });
  expect(removed).toContain("gate is removed");
  expect(world.disk()).toEqual(NOTHING);
  expect(await terminal.run("cordon list")).toContain("no hook is active here");
  expect(await terminal.run("cordon audit")).toContain("gate");

  // Verdicts and audit lines are one line each, so that they can be searched; all other text fits the width.
  const screens = terminal.shown.filter(({ command }) => !/cordon (run|audit)/.test(command));
  const lines = screens.flatMap(({ text }) => text.split("\n"));
  expect(lines.filter((line) => [...line].length > WIDTH)).toEqual([]);
  expect(terminal.bytes().match(/\u001b\[[\d;]*m/g) ?? []).toEqual([]);
});

test.each([
  { name: "No", keys: ["Enter"] },
  { name: "Ctrl-C", keys: ["C-c"] },
  { name: "Escape", keys: ["Escape"] },
])("$name installs nothing", async ({ keys }) => {
  const terminal = await Terminal.open(world);
  const said = await terminal.run("cordon add gate; echo code $?", async () => {
    await terminal.shows("Install gate?");
    terminal.press(...keys);
  });
  expect(said).toContain("cordon: nothing was installed");
  expect(said).toContain("code 1");
  expect(world.disk()).toEqual(NOTHING);
});

test("an update that requests more shows the difference, and gives no new power without a grant", async () => {
  await world.install("gate", "env");
  world.registry.publish({
    name: "gate",
    version: "2.0.0",
    files: { "index.ts": `${GATE}// newer\n` },
    json: asks({ ...POWERS, net: { connect: ["example.com:443"] } }, { why: { net: "asks whether notes are stale" } }),
  });
  const terminal = await Terminal.open(world);
  const left = await terminal.run("cordon update gate; echo code $?", async () => {
    await terminal.shows("Take the newer version?");
    expect(terminal.read()).toContain('asks also for net: {"connect":["example.com:443"]}');
    // Beside it what stands on the screen of add: what it could do with what it asks for, and what its author says.
    expect(joined(terminal.read())).toMatch(
      /! it can send files \(\$CWD\/notes\.txt\), the variables GATE_WORD to example\.com:443\s+"asks whether notes are stale"/,
    );
    terminal.press("Enter");
  });
  expect(left).toContain("code 1");
  expect(left).toContain("gate: stays at 1.0.0; cordon update gate asks you again");
  expect(left).not.toContain("waits for a person");
  expect(world.disk().lock.gate?.version).toBe("1.0.0");

  const taken = await terminal.run("cordon update gate", async () => {
    await terminal.shows("Take the newer version?");
    terminal.press("y");
  });
  expect(taken).toContain("gate was not granted what is new of net; to grant it: cordon grant gate net");
  expect(world.disk().lock.gate?.version).toBe("2.0.0");
  expect(powers()).toEqual(["env", "events"]);
});

test("limits are granted like powers: on the screen of add, and by a command that says what is lost", async () => {
  world.registry.publish({
    name: "parser",
    version: "1.0.0",
    files: { "index.ts": GATE },
    json: asks({}, { limits: { wasm: true } }),
  });
  const limits = (): unknown => world.disk().grants.parser;
  const terminal = await Terminal.open(world);
  await terminal.run("cordon add parser", async () => {
    await terminal.shows("Install parser?");
    expect(terminal.read()).toMatch(/^asks for +limits: \{"wasm":true\}$/m);
    expect(terminal.read()).toContain("! it runs WebAssembly");
    terminal.press("Down", "Down", "Down", "Enter");
  });
  expect(limits()).toMatchObject({ limits: { wasm: true } });
  expect(await terminal.run("cordon revoke parser limits")).toContain("revoked limits from parser");
  expect(limits()).not.toHaveProperty("limits");
  await terminal.run(`cordon grant parser limits '{"wasm":true,"memoryMb":128}'`, async () => {
    await terminal.shows("Grant parser this:");
    expect(terminal.read().replace(/[\s│]+/g, " ")).toContain("it may use 128 MB of memory");
    terminal.press("y");
  });
  expect(limits()).toMatchObject({ limits: { wasm: true, memoryMb: 128 } });
  expect(await terminal.run("cordon list")).toMatch(/parser .*limits/);
});
