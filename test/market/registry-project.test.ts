import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { writeFiles } from "../support/session.ts";
import { asks, calls, GATE, POWERS, World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

let world: World;
let lock: string;
const key = (id: string): string => `${world.work}/.cordon/${id}`;
type Hooks = Record<string, Record<string, unknown>>;
const proposed = (): Hooks => JSON.parse(readFileSync(lock, "utf8")).hooks;
const propose = (hooks: Hooks): void =>
  writeFiles(world.work, { ".cordon/hooks.lock": JSON.stringify({ version: 1, hooks }) });

/** The answer of a session of this project to `rm x`, and its notices. */
async function session(...flags: string[]): Promise<{ said: string; stderr: string }> {
  const { stdout, stderr } = await world.run(["run", "--json", ...flags], { input: calls("rm x") });
  return { said: JSON.parse(stdout).result?.reason ?? "passed", stderr };
}

beforeEach(async () => {
  world = await World.make();
  lock = join(world.work, ".cordon", "hooks.lock");
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks() });
});

describe("for a project", () => {
  beforeEach(async () => {
    const done = await world.run(["add", "gate", "--project", "--grant", "env"]);
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(done.stdout).toMatch(/\ninstalled gate with env: new sessions in this project have it\n$/);
  });

  test("the project's lock names it, the user's own lock records what was accepted, and it guards only there", async () => {
    const { lock: own, grants, left } = world.disk();
    expect(Object.keys(proposed())).toEqual(["gate"]);
    expect(proposed()).toEqual({ gate: own[key("gate")] });
    expect(Object.keys(own)).toEqual([key("gate")]);
    expect(Object.keys(grants)).toEqual([key("gate")]);
    expect(left).toEqual([".cordon/hooks.lock"]);
    expect((await world.verdicts("rm x", "word", "notes")).said).toEqual([
      "no rm",
      "word: sesame",
      expect.not.stringContaining("milk"),
    ]);
    expect((await world.json<{ hooks: object[] }>(["list"])).hooks).toMatchObject([
      { id: "gate", state: "active", project: world.work, powers: ["env"] },
    ]);
    mkdirSync(join(world.folder, "other"));
    const elsewhere = await world.run(["run", "--json", "--cwd", join(world.folder, "other")], {
      input: calls("rm x"),
    });
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({ result: null });
    expect(await world.json(["list", "--cwd", join(world.folder, "other")])).toEqual({
      hooks: [],
      elsewhere: [key("gate")],
    });
  });

  test("revoke finds it by its id; so do grant and remove, which need a person", async () => {
    expect(await world.json(["revoke", "gate", "env"])).toEqual({ id: key("gate"), revoked: "env" });
    expect((await world.verdicts("word")).said).toEqual(["word: undefined"]);
    for (const command of [
      ["grant", "gate", "fs"],
      ["remove", "gate"],
    ]) {
      const done = await world.run(command);
      expect([done.code, done.stderr]).toEqual([
        1,
        expect.stringContaining("this needs a terminal with a person at it, and nothing was changed; it asks: "),
      ]);
    }
  });

  test("update writes a newer version to the project's lock", async () => {
    world.registry.publish({
      name: "gate",
      version: "1.1.0",
      files: { "index.ts": GATE.replace("no rm", "no rm at all") },
      json: asks(),
    });
    expect((await world.run(["update"])).stdout).toBe("gate: 1.0.0 → 1.1.0: new sessions have it\n");
    expect(proposed()).toEqual({ gate: world.disk().lock[key("gate")] });
    expect(proposed().gate?.version).toBe("1.1.0");
    expect((await session()).said).toBe("no rm at all");
  });

  test("it cannot be installed for the user as well, nor vice versa", async () => {
    const twice = await world.run(["add", "gate", "--grant", "none"]);
    expect([twice.code, twice.stderr]).toEqual([
      1,
      "cordon: gate is installed for this project already; run: cordon remove gate (BAD_GRANT)\n",
    ]);
    expect(Object.keys(world.disk().lock)).toEqual([key("gate")]);
    mkdirSync(join(world.folder, "other"));
    const settings = { cwd: join(world.folder, "other") };
    expect((await world.run(["add", "gate", "--grant", "none"], settings)).code).toBe(0);
    const third = await world.run(["add", "gate", "--project", "--grant", "none"], settings);
    expect(third.stderr).toBe("cordon: gate is installed for you already; run: cordon remove gate (BAD_GRANT)\n");
    // The user's own takes precedence over the project's, and is the same here.
    expect(await session()).toEqual({ said: "no rm", stderr: "" });
    expect((await world.json<{ hooks: { state: string }[] }>(["list"])).hooks.map(({ state }) => state)).toEqual([
      "active",
      "left out",
    ]);
  });

  const CHANGES: [name: string, change: () => void, notice: RegExp][] = [
    ["is gone", () => rmSync(lock), /gate: changed: it is gone from this project's lock: .*run: cordon accept/],
    ["names nothing", () => propose({}), /gate: changed: it is gone from this project's lock/],
    ["is not JSON", () => writeFileSync(lock, "{"), /hooks\.lock: not JSON .*: this project proposes no hooks/],
    ["is of a later version", () => writeFileSync(lock, '{"version":2,"hooks":{}}'), /this project proposes no hooks/],
    [
      "names other bytes",
      () => propose({ gate: { ...proposed().gate, digest: `sha256-${"0".repeat(64)}` } }),
      /gate: changed: it is another one in this project's lock now: it goes on as it was accepted; run: cordon accept/,
    ],
    [
      "is a folder",
      () => {
        rmSync(lock);
        mkdirSync(lock);
      },
      /this project proposes no hooks/,
    ],
    [
      "is a pipe without a writer",
      () => {
        rmSync(lock);
        execFileSync("mkfifo", [lock]);
      },
      /this project proposes no hooks/,
    ],
    [
      "is a link to an endless device",
      () => {
        rmSync(lock);
        symlinkSync("/dev/zero", lock);
      },
      /this project proposes no hooks/,
    ],
    ["is too large", () => writeFileSync(lock, " ".repeat(1024 * 1024 + 1)), /this project proposes no hooks/],
    [
      "names too many hooks",
      () => propose(Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`gate-${at}`, proposed().gate ?? {}]))),
      /more than 100 hooks: this project proposes no hooks/,
    ],
    [
      "is behind a link",
      () => {
        rmSync(join(world.work, ".cordon"), { recursive: true });
        symlinkSync(join(world.folder, "user"), join(world.work, ".cordon"));
      },
      /gate: changed: it is gone from this project's lock/,
    ],
  ];
  test.each(CHANGES)("a lock that %s disables no gate, and gives it nothing", async (_name, change, notice) => {
    const before = world.disk();
    change();
    const { said, stderr } = await session();
    expect(said).toBe("no rm");
    expect(stderr).toMatch(notice);
    const { lock: own, grants } = world.disk();
    expect({ own, grants }).toEqual({ own: before.lock, grants: before.grants });
  });
});

describe("a repository gains nothing by its files", () => {
  /** The powers of the person who added it for the project. */
  async function shipped(): Promise<Record<string, unknown>> {
    await world.run(["add", "gate", "--project", "--grant", "env", "fs"]);
    const { gate = {} } = proposed();
    rmSync(world.home, { recursive: true });
    return gate;
  }

  test("a hook of its lock is announced, and does nothing until it is accepted", async () => {
    await shipped();
    const { said, stderr } = await session();
    expect(said).toBe("passed");
    expect(stderr).toContain("cordon: gate: pending: it is this project's and was never accepted; run: cordon accept");
    expect(world.disk()).toMatchObject({ lock: {}, grants: {}, installed: [] });
    expect((await world.json<{ hooks: object[] }>(["list"])).hooks).toMatchObject([{ id: "gate", state: "pending" }]);
    const accepted = await world.run(["accept"]);
    expect([accepted.code, accepted.stderr]).toEqual([
      1,
      "cordon: 1 hook waits for a decision (gate): accepting needs a terminal with a person at it\n",
    ]);
    const granted = await world.run(["grant", "gate", "env"]);
    expect([granted.code, granted.stderr]).toEqual([
      1,
      "cordon: gate is this project's and was never accepted; run: cordon accept\n",
    ]);
  });

  test("an entry of a grants file under its name does not apply to it", async () => {
    const { digest } = await shipped();
    const entry = { digest, capabilities: { env: ["GATE_WORD"] } };
    writeFiles(world.home, {
      "grants.json": JSON.stringify({ version: 1, hooks: { gate: entry, [key("gate")]: entry } }),
    });
    expect((await session()).said).toBe("passed");
  });

  test("an id of a user's own hook prevents no start, and replaces nothing", async () => {
    const gate = await shipped();
    const own = join(world.folder, "mine");
    writeFiles(own, {
      "package.json": JSON.stringify({ name: "gate", version: "1.0.0", ...asks({}) }),
      "index.ts": GATE.replace("no rm", "mine says no"),
    });
    propose({ gate });
    const { said, stderr } = await session("--hook", join(own, "index.ts"));
    expect(said).toBe("mine says no");
    expect(stderr).toContain("the hook gate of this project's lock is left out: another one has its id");
  });

  test.each([["/etc/x"], ["../gate"], ["a\u0000b"], ["GATE"], ["__proto__"]])(
    "the id %j reaches no other file",
    async (id) => {
      const gate = await shipped();
      writeFiles(world.work, {
        ".cordon/hooks.lock": `{"version":1,"hooks":{${JSON.stringify(id)}:${JSON.stringify(gate)}}}`,
      });
      const { said } = await session();
      expect(said).toBe("passed");
      expect(world.disk()).toMatchObject({ lock: {}, grants: {}, installed: [] });
    },
  );
});

describe("sources of a project's hooks", () => {
  const HOOK = (name: string) => ({
    [`${name}/package.json`]: JSON.stringify({ name: "near", version: "1.0.0", ...asks({}) }),
    [`${name}/index.ts`]: GATE,
  });

  test("a folder of the project is allowed, which its lock names by its path in the project", async () => {
    writeFiles(world.work, HOOK("tools/near"));
    expect((await world.run(["add", "./tools/near", "--project", "--grant", "none"])).code).toBe(0);
    expect(proposed().near?.source).toBe("path:./tools/near");
    expect((await world.run(["update"])).stdout).toBe("near: nothing newer\n");
  });

  test.each(["folder", "link", "repository"])("a %s elsewhere on this machine is refused", async (kind) => {
    const place = join(world.folder, "far");
    writeFiles(world.folder, HOOK("far"));
    symlinkSync(place, join(world.work, "link"));
    const spec = { folder: "../far", link: "./link", repository: `git+file://${place}` }[kind] as string;
    const { code, stderr } = await world.run(["add", spec, "--project", "--grant", "none"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/lies outside of this project: others who work on it do not have it \(LOAD_FAILED\)\n$/);
    expect(existsSync(join(world.work, ".cordon"))).toBe(false);
    expect(world.disk()).toMatchObject({ lock: {}, grants: {} });
  });

  test.each(["link", "file"])("nothing is written if .cordon is a %s", async (kind) => {
    const elsewhere = join(world.folder, "elsewhere");
    mkdirSync(elsewhere);
    if (kind === "link") symlinkSync(elsewhere, join(world.work, ".cordon"));
    else writeFileSync(join(world.work, ".cordon"), "");
    const { code, stderr } = await world.run(["add", "gate", "--project", "--grant", "none"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/\.cordon is not a folder: nothing is written there \(BAD_GRANT\)\n$/);
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(lstatSync(join(world.work, ".cordon")).isDirectory()).toBe(false);
    expect(world.disk()).toMatchObject({ lock: {}, grants: {}, installed: [] });
  });
});

test("an entry for other bytes, or for none, grants an installed hook nothing", async () => {
  await world.install("gate");
  const { lock: own } = world.disk();
  for (const digest of [undefined, `sha256-${"0".repeat(64)}`]) {
    const capabilities = { env: ["GATE_WORD"], events: { see: ["*"], block: true } };
    writeFiles(world.home, {
      "grants.json": JSON.stringify({ version: 1, hooks: { gate: { digest, capabilities } } }),
    });
    expect((await world.verdicts("rm x", "word")).said).toEqual(["no rm", "word: undefined"]);
  }
  const granted = { digest: own.gate?.digest, capabilities: { env: POWERS.env } };
  writeFiles(world.home, { "grants.json": JSON.stringify({ version: 1, hooks: { gate: granted } }) });
  expect((await world.verdicts("word")).said).toEqual(["word: sesame"]);
});

test("an organisation's policy overrides a project's accepted hooks and its proposals", async () => {
  await world.run(["add", "gate", "--project", "--grant", "env"]);
  const under = async (policy: object, command: string) => {
    writeFiles(world.folder, { "policy.json": JSON.stringify({ version: 1, ...policy }) });
    const env = { CORDON_POLICY: join(world.folder, "policy.json") };
    const { stdout } = await world.run(["run", "--json"], { input: calls(command), env });
    return { reason: JSON.parse(stdout).result?.reason as string | undefined, env };
  };
  expect((await under({}, "word")).reason).toBe("word: sesame");
  expect((await under({ maximum: { ui: ["notify"] } }, "word")).reason).toBe("word: undefined");
  const { reason, env } = await under({ sources: ["npm:@acme/*"] }, "ls");
  expect(reason).toContain("your organisation's policy does not allow hooks from npm:gate");
  const before = [readFileSync(lock, "utf8"), world.disk().grants];
  const added = await world.run(["add", "gate", "--project", "--grant", "fs"], { env });
  expect([added.code, added.stderr]).toEqual([1, expect.stringContaining("policy does not allow hooks from npm:gate")]);
  expect([readFileSync(lock, "utf8"), world.disk().grants]).toEqual(before);
});
