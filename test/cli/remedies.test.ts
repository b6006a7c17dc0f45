import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ERROR_CODES } from "../../src/base/errors.ts";
import { onePower } from "../../src/grants/one-power.ts";
import { exampleOf } from "../../src/grants/power-example.ts";
import { AsksShape } from "../../src/grants/schema.ts";
import { HookHost } from "../../src/host/host.ts";
import { remediesFor } from "../../src/session/why.ts";
import { changeGrant } from "../../src/store/grants-file.ts";
import { atTerminal, remove } from "../market/hostile-terminal.ts";
import { calls, Machine } from "../market/world.ts";
import { onToolCall, scriptedUi, writeFiles } from "../support/session.ts";

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

/** The command at the end of a text. */
const lineIn = (text = ""): string => text.split("; run: ")[1] ?? "";

test("what a text says about a hook that a command line names can be done", async () => {
  const { machine, hook } = named();
  const run = ["--no-discover", "--hook", hook];
  const line = lineIn(await reasonOf(machine, "read", run));
  expect(line).toBe(`cordon grant ${hook} fs '{"read":["$CWD/notes.txt"]}'`);
  const granted = await atTerminal(machine, line, [[/Grant/, "y"]]);
  expect([granted.code, await reasonOf(machine, "read", run)]).toEqual([0, undefined]);

  expect(await reasonOf(machine, "hang", run)).toMatch(
    new RegExp(`it runs again: try once more; without it: cordon disable ${hook}$`),
  );
  const [block] = (await machine.json<{ blocks: { remedies: string[] }[] }>(["why"])).blocks;
  expect(block?.remedies).toEqual([
    "try that again: there is nothing to restart",
    `cordon disable ${hook}: goes on without this hook`,
  ]);
  expect((await machine.run(["restart", hook])).code).toBe(0);
  const disabled = await atTerminal(machine, ["disable", hook], [[/Disable/, "y"]]);
  expect([disabled.code, await reasonOf(machine, "hang", run)]).toEqual([0, undefined]);
  expect((await machine.run(["remove", hook])).code).toBe(1);
  const removed = await atTerminal(machine, ["remove", hook], [[/Remove what was granted/, "y"]]);
  expect(removed.shown).toContain("is gone: a host that names it runs it with the powers that a hook begins with");
  expect(lineIn(await reasonOf(machine, "read", run))).toBe(line);
});

test("what is decided on a named file holds beside grants of another hook of its package's name", async () => {
  const { machine, hook } = named();
  const run = ["--no-discover", "--hook", hook];
  const digest = `sha256-${"0".repeat(64)}`;
  const file = join(machine.home, "grants.json");
  mkdirSync(machine.home, { recursive: true });
  writeFileSync(file, JSON.stringify({ version: 1, hooks: { helper: { digest, capabilities: {} } } }));
  const granted = await atTerminal(machine, lineIn(await reasonOf(machine, "read", run)), [[/Grant/, "y"]]);
  expect([granted.code, await reasonOf(machine, "read", run)]).toEqual([0, undefined]);
  expect(await reasonOf(machine, "hang", run)).toContain(`cordon disable ${hook}`);
  const disabled = await atTerminal(machine, ["disable", hook], [[/Disable/, "y"]]);
  expect([disabled.code, await reasonOf(machine, "hang", run)]).toEqual([0, undefined]);
  expect(JSON.parse(readFileSync(file, "utf8")).hooks.helper).toEqual({ digest, capabilities: {} });
});

test("why speaks of the file that blocked, and not of another hook with its id", async () => {
  const { machine, hook } = named();
  await machine.install(machine.package("helper", { cordon: { hooks: ["./index.ts"], capabilities: {} } }), "none");
  changeGrant(join(machine.home, "grants.json"), "helper", (entry) => ({ ...entry, disabled: true }));
  expect(await reasonOf(machine, "hang", ["--no-discover", "--hook", hook])).toContain("cordon disable");
  const [block] = (await machine.json<{ blocks: { hook: string; remedies: string[] }[] }>(["why"])).blocks;
  expect(block).toMatchObject({ hook: "helper" });
  expect(block?.remedies.join("\n")).toContain(`cordon disable ${hook}: goes on without this hook`);
});

test("a refusal says who took a power, and where it can be added", async () => {
  const { machine, hook } = named();
  const grants = machine.file("grants.json", JSON.stringify({ version: 1, hooks: { [hook]: { capabilities: {} } } }));
  const inFile = await reasonOf(machine, "read", ["--no-discover", "--hook", hook, "--grants", grants]);
  expect(inFile).toContain(`; add "fs": {"read":["$CWD/notes.txt"]} to its entry in ${grants}`);

  const capabilities = { events: { see: ["*"] }, fs: { read: ["$CWD/**"] } };
  writeFileSync(grants, JSON.stringify({ version: 1, hooks: { [hook]: { capabilities } } }));
  const env = { CORDON_POLICY: machine.file("policy.json", '{"version":1,"maximum":{"ui":["notify"]}}') };
  const taken = await reasonOf(machine, "read", ["--no-discover", "--hook", hook, "--grants", grants], env);
  expect(taken).toMatch(/was not granted fs: read .*; your organisation's policy does not allow it$/);
  const { stdout } = await machine.run(["why"]);
  expect(stdout).toContain(`remedy: only who wrote the policy ${env.CORDON_POLICY} can allow it: a grant cannot`);
  expect(stdout).not.toContain("for cordon grant");
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

test("no text offers to go on without a hook that a policy requires", async () => {
  const machine = new Machine();
  const gate = join(machine.home, "hooks", "gate.ts");
  const hangs = 'if (event.input.command === "hang") for (;;);';
  writeFiles(machine.home, { "hooks/gate.ts": onToolCall(`${hangs} return { block: true, reason: "no" };`) });
  const env = { CORDON_POLICY: machine.file("policy.json", JSON.stringify({ version: 1, required: [gate] })) };
  const [hung] = await machine.served(["hang", "ls"], [], env);
  expect(hung).toMatch(/; it runs again: try once more$/);
  const { stdout } = await machine.run(["why", "--tail", "2"], { env });
  expect(stdout).not.toContain("cordon disable");
  expect(stdout).toMatch(/remedy: +your organisation's policy requires this hook/);
  expect((await machine.run(["why"])).stdout).toContain("cordon disable gate: goes on without this hook");
});

test.each([undefined, ...ERROR_CODES])(
  "after %s, what is offered about a required hook neither disables nor removes it",
  (code) => {
    for (const typed of ["cordon", "/cordon"] as const)
      for (const isFine of [true, false]) {
        const remediesOf = (isRequired: boolean): string[] =>
          remediesFor({ hook: "gate", ...(code ? { code } : {}) }, { named: "gate", typed, isFine, isRequired });
        expect(remediesOf(true).filter((remedy) => /cordon (disable|remove)/.test(remedy))).toEqual([]);
        expect(remediesOf(true)).not.toEqual([]);
      }
  },
);

/** What a hook tries, by the command that it is asked about. Each is refused for another reason. */
const USES: Readonly<Record<string, string>> = {
  read: `readFileSync("it's here.txt")`,
  list: `readdirSync("out")`,
  write: `writeFileSync("out/b.txt", "")`,
  exec: String.raw`await ctx.exec("git", ["log", "it's \u202e"])`,
  env: "process.env.SOME_WORD",
  net: `await fetch("http://127.0.0.1:9/").catch((error) => { if (error.code === "NOT_GRANTED") throw error; })`,
  send: `await pi.send("hello")`,
  rewrite: `event.input.command = "other"`,
  sqlite: `new DatabaseSync("out/a.db").close()`,
};

/** A file of any name, with a tool of its own. */
const USER = `import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
export default (pi: any) => {
  pi.on("tool_call", async (event: any, ctx: any) => {
    switch (event.input.command) { ${Object.entries(USES)
      .map(([name, use]) => `case "${name}": ${use}; break;`)
      .join("\n")} }
  });
};`;

test("the remedy of each refusal is a line that works when it is copied, in any order", async () => {
  const machine = new Machine();
  writeFiles(machine.work, { "out/a.txt": "", "it's here.txt": "", "own hooks/it's $(touch ran).ts": USER });
  const named = ["--no-discover", "--hook", "own hooks/it's $(touch ran).ts"];
  const run = async (): Promise<string[]> => {
    const { stdout } = await machine.run(["run", "--json", ...named], {
      input: calls(...Object.keys(USES)),
      env: { SOME_WORD: "x" },
    });
    const ran = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { errors: { code: string; error: string }[] });
    return ran.flatMap(({ errors }) => errors.filter(({ code }) => code === "NOT_GRANTED").map(({ error }) => error));
  };
  const told = await run();
  // A trial blocks nothing that a person would ask about.
  await machine.served(Object.keys(USES), named, { SOME_WORD: "x" });
  const { blocks } = await machine.json<{ blocks: { remedies: string[] }[] }>(["why", "--tail", "99"]);
  // What cordon why says is the same line, from the record.
  const again = blocks.map(({ remedies: [first = ""] }) => first.replace(/: gives it what it was refused$/, ""));
  expect(again.length).toBeGreaterThan(5);
  expect(again.filter((one) => !told.some((text) => lineIn(text) === one))).toEqual([]);
  expect(told).toHaveLength(Object.keys(USES).length);
  for (const text of told.reverse()) {
    const { code, shown } = await atTerminal(machine, lineIn(text), [[/Grant/, "y"]]);
    expect([text, code], shown).toEqual([text, 0]);
  }
  expect(await run()).toEqual([]);
  expect(existsSync(join(machine.work, "ran"))).toBe(false);
});

test("cordon grant without a value has an example of that power, which is a grant", async () => {
  for (const power of Object.keys(AsksShape.properties))
    expect(Object.keys(onePower(power, JSON.parse(exampleOf(power))))).toEqual([power]);
  const { machine, hook } = named();
  const { stderr } = await machine.run(["grant", hook, "send"]);
  expect(stderr).toContain(`as in cordon grant ${hook} send '{"perMinute":6}'; cordon trace ${hook} proposes it`);
  expect((await machine.run(["grant", hook, "sned"])).stderr).toContain("sned is no power; did you mean send?");
});

test("the command for a hook that a program names by an id works, before and after something was granted by that id", async () => {
  const machine = new Machine();
  writeFiles(machine.work, { "guard.ts": onToolCall('await ctx.exec("git", [event.input.command]);') });
  const judged = async (command: string, options = {}) => {
    const host = await HookHost.start({
      ...{ cwd: machine.work, home: machine.home, agentDir: machine.work, discover: false, log: () => {} },
      hooks: [{ path: join(machine.work, "guard.ts"), id: "guard" }],
      ...options,
    });
    const verdict = await host.emitToolCall({
      type: "tool_call",
      toolName: "bash",
      toolCallId: "1",
      input: { command },
    });
    await host.close();
    return verdict as { reason: string } | undefined;
  };
  const granted = async (command: string): Promise<void> => {
    const line = lineIn((await judged(command))?.reason ?? "");
    const { code, shown } = await atTerminal(machine, line, [[/Grant/, "y"]]);
    expect(code, `${line}: ${shown}`).toBe(0);
    expect((await judged(command))?.reason ?? "").not.toContain("not granted");
  };
  await granted("version");
  await remove(machine, join(machine.work, "guard.ts"));
  const always = { ui: scriptedUi(), consent: () => "always" as const };
  expect((await judged("status", always))?.reason ?? "").not.toContain("not granted");
  const { hooks } = JSON.parse(readFileSync(join(machine.home, "grants.json"), "utf8"));
  expect(Object.keys(hooks)).toContain("guard");
  await granted("log");
});

test("why, restart and the report join a hook that a program names by an id with its file", async () => {
  const machine = new Machine();
  const file = join(realpathSync(machine.work), "guard.ts");
  writeFiles(machine.work, { "guard.ts": onToolCall('await ctx.exec("git", ["status"]);') });
  const start = () =>
    HookHost.start({
      ...{ cwd: machine.work, home: machine.home, agentDir: machine.work, discover: false, log: () => {} },
      hooks: [{ path: file, id: "guard" }],
    });
  const judge = (host: HookHost) =>
    host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } });
  const remedies = async () =>
    (await machine.json<{ blocks: { remedies: string[] }[] }>(["why"])).blocks[0]?.remedies ?? [];
  const host = await start();
  await judge(host);
  await host.close();
  const [first = ""] = await remedies();
  expect(first).toMatch(`cordon grant ${file} exec `);
  expect((await atTerminal(machine, first.split(": gives")[0] ?? "", [[/Grant/, "y"]])).code).toBe(0);
  expect((await remedies())[0]).toBe("it is granted that now: sessions that start now have it");

  // A session that began before goes on without it, and why does not ask for it once more.
  changeGrant(join(machine.home, "grants.json"), file, () => undefined);
  const before = await start();
  expect(await judge(before)).toMatchObject({ reason: expect.stringContaining("run: cordon grant") });
  const [again = ""] = await remedies();
  expect((await atTerminal(machine, again.split(": gives")[0] ?? "", [[/Grant/, "y"]])).code).toBe(0);
  expect(await judge(before)).toMatchObject({ reason: expect.stringContaining("it was granted since") });
  expect((await remedies())[0]).toBe("it is granted that now: sessions that start now have it");
  await before.close();

  // One hook in the report: what it did, and what was decided about its file.
  type Shown = { id: string; key?: string; state: string; counts: Record<string, number>; decisions: object[] };
  const { hooks } = await machine.json<{ hooks: Shown[] }>(["report"]);
  expect(hooks).toMatchObject([
    {
      ...{ id: "guard", key: file, state: "granted", counts: { blocked: 3, decided: 3 } },
      decisions: [{ outcome: "granted", power: "exec" }, { outcome: "removed" }, { outcome: "granted", power: "exec" }],
    },
  ]);

  writeFiles(machine.work, { "guard.ts": "export default (pi) => { throw new Error('not now'); };" });
  const broken = await start();
  expect(await judge(broken)).toMatchObject({ block: true, reason: expect.stringContaining("not now") });
  writeFiles(machine.work, { "guard.ts": onToolCall("") });
  expect(await judge(broken)).toMatchObject({ block: true });
  expect((await remedies()).join("\n")).toContain(`cordon restart ${file}`);
  expect((await machine.run(["restart", file])).code).toBe(0);
  expect(await judge(broken)).toBe(undefined);
  await broken.close();
});

test("a grant of files that a wildcard never covers says so", async () => {
  const { machine, hook } = named();
  const grant = { read: ["$HOME/.ssh/**", "$CWD/docs/**"] };
  const { shown } = await atTerminal(machine, ["grant", hook, "fs", JSON.stringify(grant)], [[/Grant/, "y"]]);
  expect(shown.replace(/\s+/g, " ")).toContain("note: $HOME/.ssh/** covers no file: what leads to secrets");
  expect(shown).not.toContain("docs/** covers no file");
});
