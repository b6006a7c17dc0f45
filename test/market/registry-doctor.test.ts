import {
  chmodSync,
  existsSync,
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
import { Terminal } from "./journey-terminal.ts";
import { asks, GATE, NOTHING, World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

interface Finding {
  what: string;
  ok: boolean;
  note?: boolean;
  detail: string;
}

/** What it says beside problems where no hook is found. */
const NONE = {
  what: "hooks",
  ok: true,
  note: true,
  detail: expect.stringMatching(/^none found, so nothing is judged yet; /),
};

let world: World;
beforeEach(async () => {
  world = await World.make();
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks() });
});

/** The problems that are found with hooks and grants. */
async function findings(code = 0): Promise<Finding[]> {
  const all = await world.json<{ findings: Finding[] }>(["doctor"], code);
  return all.findings.filter(
    ({ what, ok, note }) => (!ok || note) && /^(hook|hooks|grant|grants|link|power) /.test(`${what} `),
  );
}
const changeGrants = (change: (hooks: Record<string, Record<string, unknown>>) => void): void => {
  const path = join(world.home, "grants.json");
  const value = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { version: 1, hooks: {} };
  change(value.hooks);
  mkdirSync(world.home, { recursive: true });
  writeFileSync(path, JSON.stringify(value));
};

test("without problems it finds nothing", async () => {
  await world.install("gate", "env", "fs");
  await world.verdicts("ls");
  expect(await findings()).toEqual([]);
});

test("dangling links to a gate", async () => {
  const hooks = join(world.work, ".pi", "hooks");
  mkdirSync(hooks, { recursive: true });
  symlinkSync("/nowhere/gate.ts", join(hooks, "gate.ts"));
  mkdirSync(join(world.home, "agent", "hooks"), { recursive: true });
  symlinkSync("/nowhere/own.ts", join(world.home, "agent", "hooks", "own.ts"));
  const found = await findings(1);
  for (const path of [join(hooks, "gate.ts"), join(world.home, "agent", "hooks", "own.ts")])
    expect(found).toContainEqual({ what: `link ${path}`, ok: false, detail: "it leads to nothing: no hook is there" });
});

test("grants of missing files and projects, and of ids without a hook", async () => {
  changeGrants((hooks) => {
    hooks["/nowhere/gate.ts"] = {};
    hooks["/nowhere/project/.cordon/gate"] = {};
    hooks.forgotten = {};
  });
  expect(await findings(1)).toEqual([
    { what: "grant /nowhere/gate.ts", ok: false, detail: "its file is gone; run: cordon remove /nowhere/gate.ts" },
    {
      what: "grant /nowhere/project/.cordon/gate",
      ok: false,
      detail: "its project is gone; run: cordon remove /nowhere/project/.cordon/gate",
    },
    NONE,
    {
      what: "grant forgotten",
      ok: true,
      note: true,
      detail: "no hook found here has this id; if no hook should have it, run: cordon remove forgotten",
    },
  ]);
});

test("a package whose files are missing", async () => {
  await world.install("gate");
  const folder = join(world.home, "installed");
  for (const name of readdirSync(folder)) {
    chmodSync(join(folder, name), 0o755);
    rmSync(join(folder, name), { recursive: true });
  }
  expect(await findings(1)).toEqual([
    {
      what: "hook gate",
      ok: false,
      detail: "changed: it is gone: it goes on as it was accepted; run: cordon remove gate and add it again",
    },
  ]);
});

test("a hook that crashed too often in a session that is over, until it is used again", async () => {
  const crash = GATE.replace("const command", 'if (event.input.command === "loop") for (;;) {}\n    const command');
  world.registry.publish({ name: "loops", version: "1.0.0", files: { "index.ts": crash }, json: asks({}) });
  await world.install("loops");
  await world.served(["loop", "loop", "loop", "loop"]);
  const stopped = {
    what: "hook loops",
    ok: true,
    note: true,
    standing: true,
    detail: "crashed too often in its last session, which is over: the next one starts it afresh",
  };
  // doctor and list do not count as use.
  for (let time = 0; time < 2; time++) {
    expect(await findings()).toEqual([stopped]);
    expect((await world.json<{ hooks: object[] }>(["list"])).hooks).toMatchObject([{ state: "active", crashes: 3 }]);
  }
  await world.served(["ls"]);
  expect(await findings()).toEqual([]);
  expect((await world.json<{ hooks: object[] }>(["list"])).hooks).toMatchObject([{ state: "active", crashes: 3 }]);
});

describe("powers that were granted long ago", () => {
  const old = new Date(Date.now() - 31 * 24 * 3600 * 1000).toISOString();
  test("and never used by a hook that is in use: each is named, with the command to revoke it", async () => {
    await world.install("gate", "env", "fs");
    changeGrants(({ gate = {} }) => (gate.grantedAt = old));
    expect(await findings()).toEqual([]);
    await world.served(["ls", "word"]);
    expect(await findings()).toEqual([
      {
        what: "power fs of gate",
        ok: true,
        note: true,
        detail: `was granted on ${old.slice(0, 10)} and not used since; run: cordon revoke gate fs`,
      },
    ]);
    await world.served(["notes"]);
    expect(await findings()).toEqual([]);
  });

  test("less than a month ago is not long", async () => {
    await world.install("gate", "env", "fs");
    changeGrants(({ gate = {} }) => {
      gate.grantedAt = new Date(Date.now() - 29 * 24 * 3600 * 1000).toISOString();
    });
    await world.served(["ls"]);
    expect(await findings()).toEqual([]);
  });
});

test("a project's lock that is damaged", async () => {
  writeFiles(world.work, { ".cordon/hooks.lock": "{" });
  expect(await findings(1)).toEqual([
    NONE,
    { what: "hooks", ok: false, detail: expect.stringMatching(/hooks\.lock: not JSON .*proposes no hooks$/) },
  ]);
});

test("remove leaves only the audit: no bundle, no cache, no request for a restart", async () => {
  await world.install("gate", "env");
  await world.verdicts("rm x");
  await world.run(["restart", "gate"]);
  const terminal = await Terminal.open(world);
  await terminal.run("cordon remove gate", async () => {
    await terminal.shows("Remove gate");
    terminal.press("y");
  });
  expect(world.disk()).toEqual(NOTHING);
  const left = readdirSync(world.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(world.home.length + 1));
  expect(left.filter((path) => !path.startsWith("audit/")).sort()).toEqual(["grants.json", "hooks.lock"]);
  expect((await world.verdicts("rm x")).said).toEqual(["passed"]);
});
