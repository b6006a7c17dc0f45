import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { HOOK } from "./hostile-tar.ts";
import { remove } from "./hostile-terminal.ts";
import { Machine, type Ran } from "./world.ts";

const PRELOAD = pathToFileURL(new URL("./power-loss-preload.ts", import.meta.url).pathname).href;

process.env.CORDON_TEST_KEY = "granted";

/** A package that says its own name and version, and its granted variable. */
function keyed(machine: Machine, name: string, version = "1.0.0"): string {
  const capabilities = { env: ["CORDON_TEST_KEY"] };
  const source = HOOK.replace("'no'", `\`${name} ${version} \${process.env.CORDON_TEST_KEY}\``);
  return machine.package(name, { version, cordon: { hooks: ["./index.ts"], capabilities } }, { "index.ts": source });
}

/** A command that pauses right before a certain write, and continues on request. */
class Waiting {
  readonly #machine: Machine;
  readonly #flag: string;
  readonly #ended: Promise<Ran>;

  constructor(machine: Machine, at: RegExp, args: readonly string[]) {
    this.#machine = machine;
    this.#flag = join(machine.folder, `go-${at.source.replace(/\W/g, "")}`);
    const env = { NODE_OPTIONS: `--import ${PRELOAD}`, WAIT_AT: at.source, WAIT_FOR: this.#flag };
    this.#ended = machine.run(args, { env });
  }

  /** Resolves when the command pauses; fails if it ends before. */
  async reached(): Promise<void> {
    const waits = `${this.#flag}.waits`;
    let ended: Ran | undefined;
    void this.#ended.then((done) => {
      ended = done;
    });
    while (!existsSync(waits)) {
      if (ended) throw new Error(`it did not wait: ${ended.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  goOn(): Promise<Ran> {
    writeFileSync(this.#flag, "");
    return this.#ended;
  }

  get folder(): string {
    return this.#machine.home;
  }
}

const adding = (path: string): string[] => ["add", path, "--grant", "env"];

async function expectWhole(machine: Machine, ids: string[]): Promise<void> {
  expect(machine.names()).toEqual({ lock: ids, grants: ids, installed: ids, left: [] });
  const { hooks, told } = await machine.host();
  expect({ told, hooks: hooks.map(({ id, state }) => [id, state]) }).toEqual({
    told: "",
    hooks: ids.map((id) => [id, "active"]),
  });
}

test("two packages added at once are both there", async () => {
  for (let round = 0; round < 3; round++) {
    const machine = new Machine();
    const names = ["a", "b", "c"];
    const done = await Promise.all(names.map((name) => machine.run(adding(keyed(machine, name)))));
    expect(done.map(({ code, stderr }) => ({ code, stderr }))).toEqual(names.map(() => ({ code: 0, stderr: "" })));
    await expectWhole(machine, names);
  }
});

test("all changes of concurrent processes are there in the end", async () => {
  const machine = new Machine();
  const program = fileURLToPath(new URL("./two-at-once-program.ts", import.meta.url));
  const names = ["a", "b", "c"];
  const ended = names.map((name) => {
    const child = spawn(process.execPath, [program, machine.home, name, "30"], { stdio: "inherit" });
    return new Promise((resolve) => child.on("close", resolve));
  });
  expect(await Promise.all(ended)).toEqual([0, 0, 0]);
  const ids = names.flatMap((name) => Array.from({ length: 30 }, (_, at) => `${name}-${at}`)).sort();
  expect(machine.names()).toEqual({ lock: ids, grants: ids, installed: [], left: [] });
});

test("a package that is added twice at once is installed once", async () => {
  const machine = new Machine();
  const path = keyed(machine, "gate");
  const done = await Promise.all([1, 2, 3].map(() => machine.run(adding(path))));
  expect(done.map(({ code, stderr }) => ({ code, stderr }))).toEqual([1, 2, 3].map(() => ({ code: 0, stderr: "" })));
  await expectWhole(machine, ["gate"]);
});

/** Moments of one command while another one starts and ends. */
const MOMENTS: [string, RegExp][] = [
  ["its package was rehearsed", /rmSync quarantine\/[^/]+$/],
  ["its package is in place, and no lock names it", /mkdirSync bundles$|renameSync bundles\/sha256/],
  ["its bundle is kept, and no lock names it", /renameSync bundles\/sources/],
];

/** Other commands wait while it moves its package to its folder. */
const PLACING: [string, RegExp] = ["its package is about to be moved to its folder", /renameSync installed\/a-/];

test.each([...MOMENTS, PLACING])(
  "while %s, another package is added: nothing of either is lost",
  async (_name, moment) => {
    const machine = new Machine();
    const slow = new Waiting(machine, moment, adding(keyed(machine, "a")));
    await slow.reached();
    const other = machine.run(adding(keyed(machine, "b")));
    if (moment === PLACING[1]) await new Promise((resolve) => setTimeout(resolve, 3000));
    else await other;
    expect(await slow.goOn()).toMatchObject({ code: 0, stderr: "" });
    expect(await other).toMatchObject({ code: 0, stderr: "" });
    await expectWhole(machine, ["a", "b"]);
  },
);

test.each([...MOMENTS, PLACING])(
  "while %s, another package is removed: the first is there, the other is gone",
  async (_name, moment) => {
    const machine = new Machine();
    expect((await machine.run(adding(keyed(machine, "b")))).code).toBe(0);
    const slow = new Waiting(machine, moment, adding(keyed(machine, "a")));
    await slow.reached();
    const other = remove(machine, "b");
    if (moment === PLACING[1]) await new Promise((resolve) => setTimeout(resolve, 3000));
    else await other;
    expect(await slow.goOn()).toMatchObject({ code: 0, stderr: "" });
    expect((await other).code).toBe(0);
    await expectWhole(machine, ["a"]);
  },
);

test("a package is removed while it is added again: the last command decides, and the package is complete or absent", async () => {
  const machine = new Machine();
  const path = keyed(machine, "a");
  expect((await machine.run(adding(path))).code).toBe(0);
  const slow = new Waiting(machine, /renameSync bundles\/sources/, adding(path));
  await slow.reached();
  expect((await remove(machine, "a")).code).toBe(0);
  const { code } = await slow.goOn();
  await expectWhole(machine, code === 0 ? ["a"] : []);
});

test("a package that is removed during its update does not return", async () => {
  const machine = new Machine();
  expect((await machine.run(adding(keyed(machine, "a")))).code).toBe(0);
  keyed(machine, "a", "2.0.0");
  const slow = new Waiting(machine, /renameSync bundles\/sources/, ["update"]);
  await slow.reached();
  expect((await remove(machine, "a")).code).toBe(0);
  const { code, stdout } = await slow.goOn();
  expect(code).toBe(1);
  expect(stdout).toMatch(/a: .*removed meanwhile/);
  await expectWhole(machine, []);
});

const COMMIT = [
  "renameSync install.journal$",
  "renameSync grants.json$",
  "renameSync hooks.lock$",
  "rmSync install.journal$",
];

test.each(COMMIT)(
  "a session that starts while an update pauses before %s has one version, with its power",
  async (moment) => {
    const machine = new Machine();
    expect((await machine.run(adding(keyed(machine, "gate")))).code).toBe(0);
    keyed(machine, "gate", "2.0.0");
    const slow = new Waiting(machine, new RegExp(moment.replaceAll(".", "\\.")), ["update"]);
    await slow.reached();
    const { said, told } = await machine.host();
    expect(["gate 1.0.0 granted", "gate 2.0.0 granted"]).toContain(said);
    expect(told).toBe("");
    expect(await slow.goOn()).toMatchObject({ code: 0 });
    expect((await machine.host()).said).toBe("gate 2.0.0 granted");
    await expectWhole(machine, ["gate"]);
  },
);

test("sessions that start while packages are added and updated have the state before or after", async () => {
  const machine = new Machine();
  expect((await machine.run(adding(keyed(machine, "gate")))).code).toBe(0);
  let running = true;
  const changing = (async () => {
    for (const version of ["2.0.0", "3.0.0"]) {
      keyed(machine, "gate", version);
      expect((await machine.run(["update"])).code).toBe(0);
      expect((await machine.run(adding(keyed(machine, `other-${version[0]}`)))).code).toBe(0);
    }
  })().finally(() => {
    running = false;
  });
  const seen = new Set<string>();
  while (running) {
    const { said = "nothing", told, hooks } = await machine.host();
    seen.add(said);
    // It has read which version there is, and that was updated before it began to load.
    const isBefore = told.startsWith("hook gate was updated since this session looked for it: it goes on");
    expect({ told, hooks }).toMatchObject({
      told: isBefore ? told : "",
      hooks: hooks.map(({ id }) => ({ state: isBefore && id === "gate" ? "changed" : "active" })),
    });
  }
  await changing;
  for (const said of seen) expect(said).toMatch(/^gate [123]\.0\.0 granted$/);
  await expectWhole(machine, ["gate", "other-2", "other-3"]);
});

test("grants that are changed while a package is added are not lost", async () => {
  const machine = new Machine();
  expect((await machine.run(adding(keyed(machine, "gate")))).code).toBe(0);
  const slow = new Waiting(machine, /renameSync bundles\/sources/, adding(keyed(machine, "a")));
  await slow.reached();
  expect((await machine.run(["revoke", "gate", "env"])).code).toBe(0);
  expect(await slow.goOn()).toMatchObject({ code: 0, stderr: "" });
  const grants = JSON.parse(readFileSync(join(machine.home, "grants.json"), "utf8")).hooks as Record<
    string,
    { capabilities: object }
  >;
  expect(Object.keys(grants.gate?.capabilities ?? {})).not.toContain("env");
  expect(Object.keys(grants.a?.capabilities ?? {})).toContain("env");
  expect(readdirSync(slow.folder).filter((name) => /\.(lock\.lock|json\.lock|tmp)$/.test(name))).toEqual([]);
});
