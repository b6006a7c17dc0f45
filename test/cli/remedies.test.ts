import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atTerminal } from "../market/hostile-terminal.ts";
import { Machine } from "../market/world.ts";
import { writeFiles } from "../support/session.ts";

const HOOK = `import { readFileSync } from "node:fs";
export default (pi: any) => pi.on("tool_call", (event: any) => {
  if (event.input.command === "hang") for (;;);
  if (event.input.command === "read") readFileSync("notes.txt");
});`;

const PACKAGE = '{"name":"helper","cordon":{"hooks":["./index.ts"]}}';

/** A machine with a hook that only a command line names: it lies in a package, and so its id is that package's name. */
function named(): { machine: Machine; hook: string } {
  const machine = new Machine();
  writeFiles(machine.work, { "notes.txt": "", "own/package.json": PACKAGE, "own/index.ts": HOOK });
  return { machine, hook: join(realpathSync(machine.work), "own", "index.ts") };
}

/** The reason of the block of a command, if it is blocked. */
async function reasonOf(machine: Machine, command: string, args: string[], env = {}): Promise<string | undefined> {
  return (await machine.served([command], args, env))[0];
}

test("what a text says about a hook that a command line names can be done", async () => {
  const { machine, hook } = named();
  const run = ["--no-discover", "--hook", hook];
  const read = '{"read":["$CWD/notes.txt"]}';
  expect(await reasonOf(machine, "read", run)).toMatch(new RegExp(`; run: cordon grant ${hook} fs$`));
  const granted = await atTerminal(machine, ["grant", hook, "fs", read], [[/Grant/, "y"]]);
  expect([granted.code, await reasonOf(machine, "read", run)]).toEqual([0, undefined]);

  expect(await reasonOf(machine, "hang", run)).toMatch(
    new RegExp(`it runs, so try once more; without it: cordon disable ${hook}$`),
  );
  const [block] = (await machine.json<{ blocks: { remedies: string[] }[] }>(["why"])).blocks;
  expect(block?.remedies.join("\n")).toMatch(/^no command here finds this hook: its agent or a command line named it/);
  expect((await machine.run(["restart", hook])).code).toBe(0);
  const disabled = await atTerminal(machine, ["disable", hook], [[/Disable/, "y"]]);
  expect([disabled.code, await reasonOf(machine, "hang", run)]).toEqual([0, undefined]);
  expect((await machine.run(["remove", hook])).code).toBe(1);
});

test("a refusal says who took a power, and where it can be added", async () => {
  const { machine, hook } = named();
  const grants = machine.file("grants.json", JSON.stringify({ version: 1, hooks: { [hook]: { capabilities: {} } } }));
  const inFile = await reasonOf(machine, "read", ["--no-discover", "--hook", hook, "--grants", grants]);
  expect(inFile).toMatch(new RegExp(`; add it to its entry in ${grants}$`));

  const capabilities = { events: { see: ["*"] }, fs: { read: ["$CWD/**"] } };
  writeFileSync(grants, JSON.stringify({ version: 1, hooks: { [hook]: { capabilities } } }));
  const env = { CORDON_POLICY: machine.file("policy.json", '{"version":1,"maximum":{"ui":["notify"]}}') };
  const taken = await reasonOf(machine, "read", ["--no-discover", "--hook", hook, "--grants", grants], env);
  expect(taken).toMatch(/was not granted fs: read .*; your organisation's policy does not allow it$/);
});

test("a hook that a policy forbids is removed or disabled, and neither restarted nor accepted", async () => {
  const { machine } = named();
  await machine.install(machine.package("guard", { cordon: { hooks: ["./index.ts"] } }));
  const env = { CORDON_POLICY: machine.file("policy.json", '{"version":1,"sources":["npm:@acme/*"]}') };
  expect(await reasonOf(machine, "ls", [], env)).toMatch(
    /does not allow hooks from .*; to go on: cordon remove guard$/,
  );
  const [block] = (await machine.json<{ blocks: { remedies: string[] }[] }>(["why"])).blocks;
  expect(block?.remedies).toEqual([
    "cordon remove guard: your organisation's policy does not allow it",
    "cordon disable guard: goes on without this hook",
  ]);
});
