import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { writeFiles } from "../support/session.ts";
import { HOOK, manifestOf } from "./hostile-tar.ts";
import { atTerminal, remove } from "./hostile-terminal.ts";
import { Machine, type Ran } from "./world.ts";

const PRELOAD = pathToFileURL(new URL("./power-loss-preload.ts", import.meta.url).pathname).href;

process.env.CORDON_TEST_KEY = "granted";

const ADD = ["add", "./tools/gate", "--project", "--grant", "env"];
const DOWN = "\u001b[B";

const lockOf = (machine: Machine): string => join(machine.work, ".cordon", "hooks.lock");
const keyIn = (machine: Machine): string => `${machine.work}/.cordon/gate`;

/** A hook inside the project: it says its version, and its granted variable. */
function write(machine: Machine, version: string): void {
  const cordon = { hooks: ["./index.ts"], capabilities: { env: ["CORDON_TEST_KEY"] } };
  writeFiles(join(machine.work, "tools", "gate"), {
    "package.json": manifestOf({ version, cordon }),
    "index.ts": HOOK.replace("'no'", `\`${version} \${process.env.CORDON_TEST_KEY}\``),
  });
}

async function add(machine: Machine, version: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  write(machine, version);
  expect(await machine.run(ADD, { env })).toMatchObject({ code: 0, stderr: "" });
}

/** Another person of the project adds a version to its lock. */
async function propose(machine: Machine, version: string): Promise<void> {
  const home = join(machine.folder, `colleague-${version}`);
  rmSync(lockOf(machine), { force: true });
  await add(machine, version, { CORDON_HOME: home });
  rmSync(home, { recursive: true });
}

const accept = async (machine: Machine, env: NodeJS.ProcessEnv, question: RegExp, keys: string): Promise<Told> => {
  const { code, shown } = await atTerminal(machine, ["accept"], [[question, keys]], env);
  return { code, stderr: shown };
};

type Told = Pick<Ran, "code" | "stderr">;

interface Journey {
  prepare: (machine: Machine) => Promise<void>;
  /** The command that loses power. */
  command: (machine: Machine, env: NodeJS.ProcessEnv) => Promise<Told>;
  /** Allowed answers of a later session: nothing, while nothing is accepted, the earlier version, or the later one. */
  whole: (string | undefined)[];
  /** Moments at which it must have been cut off, so that the test is meaningful. */
  moments: RegExp[];
}

const COMMITTED = [
  /renameSync install\.journal$/,
  /renameSync grants\.json$/,
  /renameSync hooks\.lock$/,
  /rmSync install\.journal$/,
  /unlinkSync hooks\.lock\.lock$/,
];
const PROPOSED = [/renameSync \.cordon\/hooks\.lock$/, /unlinkSync \.cordon\/hooks\.lock\.lock$/];
const KEPT = [/renameSync installed\/gate-/, /renameSync bundles\/sha256-/];
const SWEPT = [/rmSync quarantine\//];

const JOURNEYS: Record<string, Journey> = {
  "add --project": {
    prepare: async (machine) => write(machine, "1.0.0"),
    command: (machine, env) => machine.run(ADD, { env }),
    whole: [undefined, "1.0.0 granted"],
    moments: [...COMMITTED, ...PROPOSED, ...KEPT],
  },
  "update of a project's hook": {
    prepare: async (machine) => {
      await add(machine, "1.0.0");
      write(machine, "2.0.0");
    },
    command: (machine, env) => machine.run(["update"], { env }),
    whole: ["1.0.0 granted", "2.0.0 granted"],
    moments: [...COMMITTED, ...PROPOSED, ...KEPT, ...SWEPT],
  },
  "remove of a project's hook": {
    prepare: (machine) => add(machine, "1.0.0"),
    command: async (machine, env) => {
      const { code, shown } = await remove(machine, "gate", env);
      return { code, stderr: shown };
    },
    whole: ["1.0.0 granted", undefined],
    moments: [...COMMITTED, /rmSync \.cordon\/hooks\.lock$/, /rmdirSync \.cordon$/, ...SWEPT],
  },
  accept: {
    prepare: (machine) => propose(machine, "1.0.0"),
    command: (machine, env) => accept(machine, env, /Accept gate\?/, `${DOWN}${DOWN}${DOWN}\r`),
    whole: [undefined, "1.0.0 granted"],
    moments: [...COMMITTED, ...KEPT],
  },
  "accept of a newer version": {
    prepare: async (machine) => {
      await add(machine, "1.0.0");
      await propose(machine, "2.0.0");
    },
    command: (machine, env) => accept(machine, env, /Accept gate\?/, `${DOWN}${DOWN}${DOWN}\r`),
    whole: ["1.0.0 granted", "2.0.0 granted"],
    moments: [...COMMITTED, ...KEPT, ...SWEPT],
  },
  "accept that it is gone": {
    prepare: async (machine) => {
      await add(machine, "1.0.0");
      rmSync(join(machine.work, ".cordon"), { recursive: true });
    },
    command: (machine, env) => accept(machine, env, /gate is gone/, `${DOWN}\r`),
    whole: ["1.0.0 granted", undefined],
    moments: [...COMMITTED, ...SWEPT],
  },
};

/** At once: each waits for other processes most of the time. */
const LANES = 3;

test.each(Object.entries(JOURNEYS))(
  "power loss at any moment of %s leaves accepted hooks intact",
  { timeout: 600_000 },
  async (_name, journey) => {
    const prepared = new Machine();
    await journey.prepare(prepared);
    const moments: string[] = [];
    let completed = false;
    const cutAt = async (at: number): Promise<void> => {
      const machine = copyOf(prepared);
      const { stderr } = await journey.command(machine, {
        NODE_OPTIONS: `--import ${PRELOAD}`,
        POWER_LOSS_AT: String(at),
        POWER_LOSS_PROJECT: machine.work,
      });
      const [, moment] = /power loss before: (.*?)\r?\n/.exec(stderr) ?? [];
      if (moment === undefined) {
        completed = true;
        return;
      }
      moments.push(moment);
      await expectWhole(machine, journey, moment);
    };
    for (let at = 1; !completed; at += LANES)
      await Promise.all(Array.from({ length: LANES }, (_, lane) => cutAt(at + lane)));
    for (const moment of journey.moments) expect(moments).toContainEqual(expect.stringMatching(moment));
  },
);

/** A machine with the same files. The copied home contains its own old path, and the project's. */
function copyOf(from: Machine): Machine {
  const to = new Machine();
  for (const name of ["home", "work"].filter((one) => existsSync(join(from.folder, one))))
    cpSync(join(from.folder, name), join(to.folder, name), { recursive: true });
  for (const name of ["hooks.lock", "grants.json"]) {
    const path = join(to.home, name);
    if (existsSync(path)) writeFileSync(path, readFileSync(path, "utf8").replaceAll(from.folder, to.folder));
  }
  rmSync(join(to.home, "bundles", "sources"), { recursive: true, force: true });
  return to;
}

type Entry = Record<string, unknown>;

async function expectWhole(machine: Machine, journey: Journey, moment: string): Promise<void> {
  const { said, hooks } = await machine.host();
  const { lock, grants } = machine.names();
  const accepted = machine.table("hooks.lock")[keyIn(machine)];
  const proposed = existsSync(lockOf(machine))
    ? (JSON.parse(readFileSync(lockOf(machine), "utf8")).hooks.gate as Entry | undefined)
    : undefined;
  // A session runs the accepted version, whatever the project's lock proposes.
  expect(journey.whole, moment).toContain(said);
  expect({ moment, lock, grants, version: accepted?.version }).toEqual({
    moment,
    lock: said === undefined ? [] : [keyIn(machine)],
    grants: lock,
    version: said?.replace(" granted", ""),
  });
  const state = proposed?.digest === accepted?.digest ? "active" : "changed";
  const states = accepted ? [state] : proposed ? ["pending"] : [];
  expect({ moment, states: hooks.map((hook) => hook.state) }).toEqual({ moment, states });
  // The next command works, and leaves nothing of the interrupted one.
  const again = await machine.run(ADD);
  expect({ moment, ...again }).toMatchObject({ moment, code: 0, stderr: "" });
  const key = keyIn(machine);
  expect({ moment, ...machine.names(), project: readdirSync(join(machine.work, ".cordon")) }).toEqual({
    moment,
    lock: [key],
    grants: [key],
    installed: ["gate"],
    left: [],
    project: ["hooks.lock"],
  });
  expect(JSON.parse(readFileSync(lockOf(machine), "utf8")).hooks).toEqual({
    gate: machine.table("hooks.lock")[key],
  });
}
