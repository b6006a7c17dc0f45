import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeFiles } from "../support/session.ts";
import { HOOK } from "./hostile-tar.ts";
import { remove } from "./hostile-terminal.ts";
import { Machine } from "./world.ts";

const OTHER = HOOK.replace("'no'", "'other bytes'");

/** A machine with `gate` installed from a folder. */
async function installed(): Promise<{ machine: Machine; path: string; file: string }> {
  const machine = new Machine();
  const path = machine.package("gate");
  expect(await machine.add(path)).toMatchObject({ code: 0, stderr: "" });
  const [name = ""] = readdirSync(join(machine.home, "installed"));
  const file = join(machine.home, "installed", name, "index.ts");
  expect((await machine.session()).said).toBe("no");
  return { machine, path, file };
}

type Entry = Record<string, unknown>;

function edit(machine: Machine, name: string, change: (gate: Entry, hooks: Record<string, Entry>) => void): void {
  const path = join(machine.home, name);
  const value = JSON.parse(readFileSync(path, "utf8"));
  change(value.hooks.gate, value.hooks);
  writeFileSync(path, JSON.stringify(value));
}

/** Makes a file and its folders writable again. */
function open(path: string): void {
  for (let at = dirname(path); at !== dirname(at) && at.includes("installed"); at = dirname(at)) chmodSync(at, 0o755);
  if (existsSync(path)) chmodSync(path, 0o644);
}

/** A removed and added hook works as before. In a terminal, since a program cannot remove a guard. */
async function expectRepair(machine: Machine, path: string): Promise<void> {
  const taken = await remove(machine, "gate");
  expect(taken).toMatchObject({ code: 0 });
  expect(machine.names()).toMatchObject({ lock: [], grants: [], installed: [], left: [] });
  expect(await machine.add(path)).toMatchObject({ code: 0, stderr: "" });
  expect(await machine.session()).toMatchObject({ said: "no", codes: [], stderr: "" });
}

const EDITS: [name: string, act: (file: string, machine: Machine) => void][] = [
  ["edited", (file) => writeFileSync(file, OTHER)],
  ["emptied", (file) => writeFileSync(file, "")],
  ["deleted", (file) => rmSync(file)],
  [
    "replaced by a folder",
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
  [
    "replaced by a link",
    (file, machine) => {
      rmSync(file);
      symlinkSync(machine.file("other.ts", OTHER), file);
    },
  ],
  [
    "replaced by a pipe",
    (file) => {
      rmSync(file);
      execFileSync("mkfifo", [file]);
    },
  ],
  ["deleted with its package", (file) => rmSync(dirname(file), { recursive: true })],
  [
    "moved away, and its package replaced by a link",
    (file, machine) => {
      const other = join(machine.folder, "other");
      renameSync(dirname(file), other);
      writeFileSync(join(other, "index.ts"), OTHER);
      symlinkSync(other, dirname(file));
    },
  ],
  [
    "the same, with a manifest that asks for more",
    (file) =>
      writeFileSync(
        join(dirname(file), "package.json"),
        readFileSync(join(dirname(file), "package.json"), "utf8").replace(
          '"cordon":{',
          '"cordon":{"limits":{"cpuMs":60000},',
        ),
      ),
  ],
];

describe("an installed hook's file", () => {
  test.each(EDITS)("%s: it runs from its accepted bytes, and says so", async (_name, act) => {
    const { machine, path, file } = await installed();
    open(join(dirname(file), "package.json"));
    open(file);
    act(file, machine);
    const { said, hooks, told } = await machine.host();
    expect(said).toBe("no");
    expect(hooks.map(({ id, state }) => [id, state])).toEqual([["gate", "changed"]]);
    expect(told).toMatch(/gate (changed since it was accepted|is gone): .*cordon remove gate and add it again/);
    await expectRepair(machine, path);
  });

  test("edited, with its accepted bytes deleted or edited too: it blocks, and names the remedy", async () => {
    for (const act of [
      (bundle: string) => rmSync(bundle),
      (bundle: string) => writeFileSync(bundle, readFileSync(bundle, "utf8").replaceAll("no", "on")),
    ]) {
      const { machine, path, file } = await installed();
      open(file);
      writeFileSync(file, OTHER);
      const bundles = join(machine.home, "bundles");
      for (const name of readdirSync(bundles)) if (name.startsWith("sha256-")) act(join(bundles, name));
      const { said } = await machine.session();
      expect(said).toMatch(
        /gate.*changed since it was accepted, and its accepted form is not kept.*cordon remove gate/s,
      );
      await expectRepair(machine, path);
    }
  });

  test("edited: adding the original again repairs it without removing it", async () => {
    const { machine, path, file } = await installed();
    open(file);
    writeFileSync(file, OTHER);
    expect(await machine.add(path)).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(file, "utf8")).toBe(HOOK);
    expect(await machine.session()).toMatchObject({ said: "no", stderr: "" });
  });

  test("planted before the installation: only the checked bytes run", async () => {
    const { machine, path, file } = await installed();
    expect((await remove(machine, "gate")).code).toBe(0);
    writeFiles(dirname(file), { "index.ts": OTHER, "package.json": readFileSync(join(path, "package.json"), "utf8") });
    expect(await machine.add(path)).toMatchObject({ code: 0, stderr: "" });
    expect(await machine.session()).toMatchObject({ said: "no", stderr: "" });
  });
});

/** Other bytes that must not run, under a name that a lock could contain. */
const planted = (machine: Machine): string => {
  const name = "planted.ts";
  writeFileSync(join(machine.home, "installed", name), OTHER);
  return name;
};

const WRONG: [name: string, act: (entry: Entry, machine: Machine) => void, says: RegExp][] = [
  [
    "a file above the package",
    (entry, machine) => void Object.assign(entry, { file: `../${planted(machine)}` }),
    /hooks\.lock: hooks\.gate\.file/,
  ],
  [
    "a file above the package, after a line break",
    (entry, machine) => void Object.assign(entry, { file: `a\n/../../${planted(machine)}` }),
    /hooks\.lock: hooks\.gate\.file/,
  ],
  [
    "an absolute file",
    (entry, machine) => void Object.assign(entry, { file: join(machine.home, "installed", planted(machine)) }),
    /hooks\.lock: hooks\.gate\.file/,
  ],
  [
    "a file with backslashes",
    (entry) => void Object.assign(entry, { file: "..\\planted.ts" }),
    /hooks\.lock: hooks\.gate\.file/,
  ],
  ["no digest", (entry) => delete entry.digest, /hooks\.lock: hooks\.gate/],
  [
    "an invalid digest",
    (entry) => void Object.assign(entry, { digest: "sha256-x" }),
    /hooks\.lock: hooks\.gate\.digest/,
  ],
  [
    "an invalid provenance",
    (entry) => void Object.assign(entry, { provenance: "trusted" }),
    /hooks\.lock: hooks\.gate\.provenance/,
  ],
  ["an unknown key", (entry) => void Object.assign(entry, { trust: "full" }), /unknown key "trust"/],
  [
    "requests with another shape",
    (entry) => void Object.assign(entry, { requested: { root: true } }),
    /unknown key "root"/,
  ],
  [
    "a version of a megabyte",
    (entry) => void Object.assign(entry, { version: "1".repeat(1e6) }),
    /hooks\.lock: hooks\.gate\.version/,
  ],
];

describe("a lock edited by hand", () => {
  test.each(WRONG)("%s: no session starts, and the file and the key are named", async (_name, act, says) => {
    const { machine } = await installed();
    const before = readFileSync(join(machine.home, "hooks.lock"));
    edit(machine, "hooks.lock", (entry) => act(entry, machine));
    for (const args of [["run"], ["list"], ["update"]]) {
      const { code, stdout, stderr } = await machine.run(args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^cordon: .*\n$/);
      expect(stderr).toMatch(says);
      expect(stderr.length).toBeLessThan(500);
    }
    writeFileSync(join(machine.home, "hooks.lock"), before);
    expect((await machine.session()).said).toBe("no");
  });

  const BLOCKS: [name: string, act: (entry: Entry, machine: Machine) => void][] = [
    ["another integrity", (entry) => (entry.integrity = "sha512-AAAA")],
    ["another package", (entry) => (entry.package = "../../..")],
    ["another file of the package", (entry) => (entry.file = "package.json")],
    ["a missing file", (entry) => (entry.file = "missing.ts")],
    [
      "another digest",
      (entry) => {
        entry.digest = `sha256-${"0".repeat(64)}`;
      },
    ],
  ];

  test.each(BLOCKS)("%s: the hook blocks or runs as accepted, and can be repaired", async (_name, act) => {
    const { machine, path } = await installed();
    edit(machine, "hooks.lock", (entry) => act(entry, machine));
    const { said, told } = await machine.host();
    expect(said).toMatch(/^no$|gate.*cordon remove gate/s);
    if (said === "no") expect(told).toMatch(/gate (changed|is gone).*cordon remove gate/);
    await expectRepair(machine, path);
  });

  test("an entry for a hook that is not installed is inert or blocks, and gets no grant of another hook", async () => {
    const { machine } = await installed();
    edit(machine, "hooks.lock", (gate, hooks) => {
      hooks.other = { ...gate, file: "package.json" };
    });
    const { said, hooks } = await machine.host();
    expect(said).toMatch(/^no$|hook other/);
    expect(hooks.find(({ id }) => id === "other")?.state).not.toBe("active");
    expect((await remove(machine, "other")).code).toBe(0);
    expect((await machine.session()).said).toBe("no");
  });
});

describe("a grants file edited by hand", () => {
  const LESS: [name: string, act: (gate: Entry, hooks: Record<string, Entry>) => void][] = [
    [
      "another digest",
      (gate) => {
        gate.digest = `sha256-${"0".repeat(64)}`;
      },
    ],
    ["no entry", (_gate, hooks) => delete hooks.gate],
  ];

  test.each(LESS)(
    "%s: the installed hook keeps guarding, without powers that were granted to other bytes",
    async (_name, act) => {
      const machine = new Machine();
      const source = HOOK.replace("'no'", "`key ${process.env.GATE_KEY}`");
      const json = { cordon: { hooks: ["./index.ts"], capabilities: { env: ["GATE_KEY"] } } };
      const path = machine.package("gate", json, { "index.ts": source });
      expect(await machine.add(path, "env")).toMatchObject({ code: 0 });
      process.env.GATE_KEY = "secret";
      expect((await machine.host()).said).toBe("key secret");
      edit(machine, "grants.json", act);
      expect((await machine.host()).said).toBe("key undefined");
      expect((await remove(machine, "gate")).code).toBe(0);
      expect(machine.names()).toMatchObject({ lock: [], grants: [], installed: [] });
      expect(await machine.add(path, "env")).toMatchObject({ code: 0 });
      expect((await machine.host()).said).toBe("key secret");
    },
  );

  test.each(["{", "[]", '{"version":2,"hooks":{}}', '{"version":1,"hooks":{"gate":{"root":true}}}', '{"version":1}'])(
    "%s: no session starts",
    async (text) => {
      const { machine } = await installed();
      writeFileSync(join(machine.home, "grants.json"), text);
      const { code, stdout, stderr } = await machine.run(["run"]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^cordon: .*grants\.json.*BAD_GRANT\)\n$/);
    },
  );
});
