import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { HOOK, manifestOf } from "./hostile-tar.ts";
import { remove } from "./hostile-terminal.ts";
import { Machine, type Ran } from "./world.ts";

const PRELOAD = new URL("./power-loss-preload.ts", import.meta.url);

/** Says its version, and its granted variable. */
const source = (version: string): string => HOOK.replace("'no'", `\`${version} \${process.env.CORDON_TEST_KEY}\``);

const json = (version: string): object => ({
  version,
  cordon: { hooks: ["./index.ts"], capabilities: { env: ["CORDON_TEST_KEY"] } },
});

process.env.CORDON_TEST_KEY = "granted";

interface Journey {
  /** Before the command. */
  prepare: (machine: Machine) => Promise<void>;
  /** The command that loses power. */
  command: (machine: Machine, env: NodeJS.ProcessEnv) => Promise<Pick<Ran, "code" | "stderr">>;
  /** Allowed answers of a later session: none without a hook, the earlier version, or the later one. */
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

const install = async (machine: Machine): Promise<void> => {
  expect(await machine.add(machine.package("gate", json("1.0.0"), { "index.ts": source("1") }), "env")).toMatchObject({
    code: 0,
  });
};

const JOURNEYS: Record<string, Journey> = {
  add: {
    prepare: async (machine) => void machine.package("gate", json("1.0.0"), { "index.ts": source("1") }),
    command: (machine, env) => machine.run(["add", join(machine.folder, "from", "gate"), "--grant", "env"], { env }),
    whole: [undefined, "1 granted"],
    moments: [...COMMITTED, /renameSync installed\/gate-/, /renameSync bundles\/sha256-/],
  },
  update: {
    prepare: async (machine) => {
      await install(machine);
      machine.package("gate", json("2.0.0"), { "index.ts": source("2") });
    },
    command: (machine, env) => machine.run(["update"], { env }),
    whole: ["1 granted", "2 granted"],
    moments: [...COMMITTED, /renameSync installed\/gate-/, /rmSync quarantine\//],
  },
  remove: {
    prepare: install,
    command: async (machine, env) => {
      const { code, shown } = await remove(machine, "gate", env);
      return { code, stderr: shown };
    },
    whole: ["1 granted", undefined],
    moments: [...COMMITTED, /rmSync quarantine\//],
  },
};

/** At once: each waits for other processes most of the time. */
const LANES = 3;

test.each(Object.entries(JOURNEYS))(
  "power loss at any moment of %s leaves the complete state before or after",
  { timeout: 240_000 },
  async (_name, journey) => {
    const prepared = new Machine();
    await journey.prepare(prepared);
    const moments: string[] = [];
    let completed = false;
    const cutAt = async (at: number): Promise<void> => {
      const machine = new Machine();
      for (const name of ["home", "from"].filter((one) => existsSync(join(prepared.folder, one))))
        cpSync(join(prepared.folder, name), join(machine.folder, name), { recursive: true });
      relocate(prepared, machine);
      const { stderr } = await journey.command(machine, {
        NODE_OPTIONS: `--import ${pathToFileURL(PRELOAD.pathname)}`,
        POWER_LOSS_AT: String(at),
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

/** A copied home contains its old path. */
function relocate(from: Machine, to: Machine): void {
  const path = join(to.home, "hooks.lock");
  if (existsSync(path)) writeFileSync(path, readFileSync(path, "utf8").replaceAll(from.folder, to.folder));
  rmSync(join(to.home, "bundles", "sources"), { recursive: true, force: true });
}

async function expectWhole(machine: Machine, journey: Journey, moment: string): Promise<void> {
  const { said, hooks, told } = await machine.host();
  const { lock, grants } = machine.names();
  expect({ moment, told, states: hooks.map(({ state }) => state), grants }).toEqual({
    moment,
    told: "",
    states: lock.map(() => "active"),
    grants: lock,
  });
  expect(journey.whole, moment).toContain(said);
  expect(lock).toEqual(said === undefined ? [] : ["gate"]);
  // The next command works, and leaves nothing of the interrupted one.
  const again = await machine.add(join(machine.folder, "from", "gate"), "env");
  expect({ moment, ...again }).toMatchObject({ moment, code: 0, stderr: "" });
  expect({ moment, ...machine.names() }).toEqual({
    moment,
    lock: ["gate"],
    grants: ["gate"],
    installed: ["gate"],
    left: [],
  });
}

test("a watched command that is not interrupted writes the same as without the watch", async () => {
  const machine = new Machine();
  const path = machine.package("gate", JSON.parse(manifestOf()));
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(PRELOAD.pathname)}`, POWER_LOSS_AT: "100000" };
  expect(await machine.run(["add", path, "--grant", "none"], { env })).toMatchObject({ code: 0, stderr: "" });
  expect((await machine.host()).said).toBe("no");
});
