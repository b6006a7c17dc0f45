import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { writeFiles } from "../support/session.ts";
import { asks, GATE, NOTHING, POWERS, World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

let world: World;
beforeEach(async () => {
  world = await World.make();
});

test("a package is fetched, shown, granted one of two powers, and guards with only that power", async () => {
  world.registry.publish({
    name: "gate",
    version: "1.0.0",
    files: { "index.ts": GATE },
    dependencies: { colour: "^2.0.0" },
    json: asks(POWERS, { why: { fs: "reads the notes" } }),
  });
  world.registry.publish({ name: "colour", version: "2.1.0", files: { "index.js": "" }, dependencies: { shade: "1" } });
  world.registry.publish({ name: "shade", version: "1.0.0", files: { "index.js": "" } });

  const screen = await world.install("gate", "env");
  expect(screen).toMatch(/^package +gate 1\.0\.0$/m);
  const from = `npm:gate at ${world.registry.url.replace(/\/?$/, "/")}`;
  expect(/^from +(.*)$/m.exec(screen)?.[1]).toBe(from);
  expect((await world.run(["list"])).stdout.replace(/\s+/g, " ")).toContain(`installed, from ${from}`);
  expect(screen).toMatch(/^publisher +ada$/m);
  expect(screen).toMatch(/^published +\d+ days ago$/m);
  expect(screen).toMatch(/^provenance +signed by the registry/m);
  expect(screen).toMatch(/^with +colour 2\.1\.0, shade 1\.0\.0$/m);
  expect(screen).toMatch(/^hears +tool_call$/m);
  expect(screen).toMatch(/^asks for +env: \["GATE_WORD"\]$/m);
  expect(screen).toMatch(/^asks for +fs: \{"read":\["\$CWD\/notes.txt"\]\}\n +"reads the notes"$/m);
  expect(screen).toMatch(/^rehearsed +\d+ ms and \d+\.\d MB, with sample events and without powers$/m);
  expect(screen).toMatch(/^blocked +bash: no rm$/m);
  expect(screen).toMatch(
    /\ninstalled gate with env: new sessions have it\nto grant what else it asks for: cordon grant gate fs\n$/,
  );

  const requested = world.registry.requests.map(({ path }) => path);
  expect(requested.toSorted()).toEqual([...new Set(requested)].sort());

  const { lock, grants, installed, left } = world.disk();
  expect(Object.keys(lock)).toEqual(["gate"]);
  expect(lock).toMatchObject({
    gate: {
      version: "1.0.0",
      source: "npm:gate",
      integrity: expect.stringMatching(/^sha512-/),
      digest: expect.stringMatching(/^sha256-/),
      requested: POWERS,
      provenance: "signed",
      package: "gate",
      file: "index.ts",
      publisher: "ada",
      dependencies: {
        "node_modules/colour": { name: "colour", version: "2.1.0", integrity: expect.stringMatching(/^sha512-/) },
        "node_modules/shade": { name: "shade", version: "1.0.0", integrity: expect.stringMatching(/^sha512-/) },
      },
    },
  });
  expect(grants.gate).toMatchObject({ digest: lock.gate?.digest, by: "user", grantedAt: expect.any(String) });
  expect(Object.keys(grants.gate?.capabilities ?? {}).sort()).toEqual(["env", "events"]);
  expect(installed).toEqual([
    "gate/index.ts",
    "gate/node_modules/colour/index.js",
    "gate/node_modules/colour/package.json",
    "gate/node_modules/shade/index.js",
    "gate/node_modules/shade/package.json",
    "gate/package.json",
  ]);
  expect(left).toEqual([]);

  expect(await world.verdicts("ls", "rm x", "word")).toEqual({ said: ["passed", "no rm", "word: sesame"], codes: [] });
  const refused = await world.verdicts("notes");
  expect(refused.said).not.toEqual(["passed"]);
  expect(refused.said.join()).not.toContain("milk");
  await world.served(["notes"]);
  expect(await world.json(["list"])).toEqual({
    hooks: [
      {
        name: "gate",
        id: "gate",
        origin: "installed",
        version: "1.0.0",
        source: "npm:gate",
        registry: world.registry.url.replace(/\/?$/, "/"),
        state: "active",
        powers: ["env"],
        lastUse: expect.any(String),
        lastBlock: { time: expect.any(String), what: expect.stringMatching(/^\w+: /) },
        crashes: 0,
        lastRefusal: expect.stringContaining("fs"),
        lastRefusedAt: expect.any(String),
      },
    ],
  });
});

test("without powers a hook may still block, and is refused the rest", async () => {
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks() });
  expect(await world.install("gate", "none")).toMatch(/\ninstalled gate without powers/);
  expect(Object.keys(world.disk().grants.gate?.capabilities ?? {})).toEqual(["events"]);
  // trace and check take the id of an installed hook.
  const least = { capabilities: { events: { see: ["tool_call"] } } };
  expect(await world.json(["trace", "gate", "--no-grants"])).toMatchObject(least);
  expect(await world.json(["check", "gate"])).toMatchObject({ path: expect.stringContaining("installed/gate-") });
  const { said, codes } = await world.verdicts("rm x", "word", "ls");
  expect(said).toEqual(["no rm", "word: undefined", "passed"]);
  expect(codes).toEqual(["NOT_GRANTED"]);
});

test("code of a dependency is part of the hook", async () => {
  const uses = 'import { WORD } from "word-list";\nimport { more } from "./more.ts";\n';
  const body = 'pi.on("tool_call", async () => ({ block: true, reason: `${WORD} ${more}` }));';
  world.registry.publish({
    name: "uses",
    version: "1.0.0",
    files: { "index.ts": `${uses}export default (pi: any) => { ${body} };`, "more.ts": 'export const more = "own";' },
    dependencies: { "word-list": "~1.0.0" },
    json: asks({}),
  });
  const nested = { name: "letters", files: { "index.js": 'exports.A = "a";' } };
  world.registry.publish({ ...nested, version: "1.0.0" });
  world.registry.publish({ ...nested, version: "2.0.0", files: { "index.js": 'exports.A = "two";' } });
  world.registry.publish({
    name: "word-list",
    version: "1.0.3",
    files: { "index.js": 'exports.WORD = "word " + require("letters").A;' },
    dependencies: { letters: "^1.0.0" },
  });
  world.registry.publish({ name: "word-list", version: "1.1.0", files: { "index.js": 'exports.WORD = "too new";' } });
  await world.install("uses");
  expect((await world.verdicts("ls")).said).toEqual(["word a own"]);
});

test("without a person and without --grant, one line names the powers, and nothing is installed", async () => {
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks() });
  const { code, stderr } = await world.run(["add", "gate"]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    "cordon: there is nobody to ask: name each power with --grant (it asks for: env fs), or --grant none\n",
  );
  expect(world.disk()).toEqual(NOTHING);
  expect((await world.verdicts("rm x")).said).toEqual(["passed"]);
});

const isNoPower = /^cordon: \S+ is no power; there is events, ui, .*\(BAD_GRANT\)\n$/;
const isNotAsked = /^cordon: gate does not ask for \w+; it asks for: env, fs\n$/;

test.each([
  ["all", isNoPower],
  ["*", isNoPower],
  ["exec", isNotAsked],
  ["events", isNotAsked],
])("--grant %j is refused, since the package does not request it, and nothing is installed", async (power, says) => {
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks() });
  const { code, stderr } = await world.run(["add", "gate", "--grant", "env", power]);
  expect(code).toBe(1);
  expect(stderr).toMatch(says);
  expect(world.disk()).toEqual(NOTHING);
});

test("what cannot be installed beside another hook is refused before a person reads about it", async () => {
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks() });
  await world.install("gate", "env");
  const elsewhere = await world.run(["add", world.registry.tarballUrl("gate", "1.0.0")]);
  expect(elsewhere).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "cordon: gate is installed from npm:gate: for another package, run first: cordon remove gate (BAD_GRANT)\n",
  });
  writeFiles(world.home, {
    "grants.json": JSON.stringify({ version: 1, hooks: { ...world.table("grants.json"), other: {} } }),
  });
  const granted = await world.run(["add", world.package("other")]);
  expect(granted).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "cordon: other is a hook of yours that has grants already; run: cordon remove other (BAD_GRANT)\n",
  });
});

test.each([["--yes"], ["--force"]])("there is no %s", async (flag) => {
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks() });
  const { code, stderr } = await world.run(["add", "gate", flag]);
  expect([code, stderr.includes("unknown option")]).toEqual([2, true]);
  expect(world.disk()).toEqual(NOTHING);
});

test("revoke, grant and --json print what they did, and sessions follow", async () => {
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks() });
  expect(await world.json(["add", "gate", "--grant", "env", "fs"])).toMatchObject({
    package: "gate",
    version: "1.0.0",
    hooks: [
      {
        id: "gate",
        installed: true,
        granted: ["env", "fs"],
        digest: expect.stringMatching(/^sha256-/),
        rehearsal: { state: "active", hears: ["tool_call"], blocks: ["bash: no rm"] },
      },
    ],
  });
  expect((await world.verdicts("word", "notes")).said).toEqual(["word: sesame", "notes: milk"]);
  expect(await world.json(["revoke", "gate", "env"])).toEqual({ id: "gate", revoked: "env" });
  expect(await world.verdicts("word", "notes")).toEqual({
    said: ["word: undefined", "notes: milk"],
    codes: ["NOT_GRANTED"],
  });
  expect(await world.json(["revoke", "gate"])).toMatchObject({ id: "gate", revoked: expect.stringContaining("fs") });
  expect(Object.keys(world.disk().grants.gate?.capabilities ?? {})).toEqual(["events"]);
  expect((await world.verdicts("rm x")).said).toEqual(["no rm"]);

  const again = await world.run(["grant", "gate", "env"]);
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining("this needs a terminal with a person at it, and nothing was changed; it asks: "),
  ]);
  const gone = await world.run(["remove", "gate"]);
  expect([gone.code, gone.stderr]).toEqual([
    1,
    expect.stringContaining("this needs a terminal with a person at it, and nothing was changed; it asks: "),
  ]);
  expect(Object.keys(world.disk().lock)).toEqual(["gate"]);
});

test("a name of one of Cordon's own hooks, which no registry has, leads to the file of that hook", async () => {
  const { code, stderr } = await world.run(["add", "command-safety-guard"]);
  const [, file = ""] = /; Cordon brings a hook of that name: cordon add (\S+) \(LOAD_FAILED\)\n$/.exec(stderr) ?? [];
  expect([code, file]).toEqual([1, join(PACKAGE_ROOT, "hooks", "command-safety-guard.ts")]);
  expect((await world.run(["add", file, "--grant", "none"])).code).toBe(0);
  expect((await world.run(["add", "hostile"])).stderr).not.toContain("Cordon brings");
});
