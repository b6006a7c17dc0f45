import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { writeFiles } from "../support/session.ts";
import { atTerminal } from "./hostile-terminal.ts";
import { asks, GATE, NOTHING, World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

let world: World;
const file = (name: string): string => join(world.work, name);
const text = (name: string): string => readFileSync(file(name), "utf8");

const HOOKS = {
  gate: { spec: "npm:gate@1.0.0", description: "Keeps files from being removed.", publisher: "ada", powers: ["env"] },
  notes: { spec: "npm:notes", description: "Takes notes." },
};

const NOBODYS = `sha512-${Buffer.alloc(64).toString("base64")}`;

/** Builds and signs an index in the working directory. */
async function build(hooks: object = HOOKS, { key = "team.key", out = "team.json" } = {}): Promise<string> {
  writeFiles(world.work, { "list.json": JSON.stringify({ version: 1, name: "team", hooks }) });
  if (!readdirSync(world.work).includes(key)) await world.json(["index", "key", key]);
  await world.json(["index", "build", "list.json", "--key", key, "--out", out]);
  return file(out);
}

beforeEach(async () => {
  world = await World.make();
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks() });
});

test("an index with a new key is taken again once a person forgot the old one", async () => {
  const index = await build();
  expect((await world.run(["search", "FILES", "--index", index])).code).toBe(0);
  await build(HOOKS, { key: "other.key" });
  const refused = await world.run(["search", "FILES", "--index", index]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`run: cordon index forget ${index} (INTEGRITY`),
  ]);
  const alone = await world.run(["index", "forget", "team.json"]);
  expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining("this needs a terminal with a person at it")]);
  expect((await world.json<{ indexes: string[] }>(["index", "list"])).indexes).toEqual([index]);
  const { code, shown } = await atTerminal(world, ["index", "forget", "team.json"], [[/Forget the index/, "y"]]);
  expect(code, shown).toBe(0);
  expect((await world.json<{ indexes: string[] }>(["index", "list"])).indexes).toEqual([]);
  expect((await world.run(["search", "FILES", "--index", index])).stdout).toMatch(/^gate +team/m);
  const never = await world.run(["index", "forget", "never.json"]);
  expect(never.stderr).toContain(`no index is remembered from ${file("never.json")}`);
});

test.each([
  ["team.key", "is the key"],
  ["list.json", "is the list itself"],
  ["package.json", "is there already, and is no signed index"],
])("an index is not written over %s", async (out, says) => {
  await build();
  writeFiles(world.work, { "package.json": "{}" });
  const before = text(out);
  const { code, stderr } = await world.run(["index", "build", "list.json", "--key", "team.key", "--out", out]);
  expect([code, stderr, text(out)]).toEqual([1, expect.stringContaining(says), before]);
});

describe("a list of hooks", () => {
  test("is signed with a private key that only its owner can read, and is searchable", async () => {
    const made = await world.run(["index", "key", "team.key"]);
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining("whoever has it signs for you")]);
    expect(statSync(file("team.key")).mode & 0o777).toBe(0o600);
    const again = await world.run(["index", "key", "team.key"]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is there already")]);

    await build();
    const found = await world.run(["search", "FILES", "--index", "team.json"]);
    expect([found.code, found.stderr]).toEqual([0, ""]);
    expect(found.stdout).toMatch(/^gate +team +Keeps files from being removed\.$/m);
    expect(found.stdout).not.toContain("notes");
    // It is remembered.
    const info = await world.run(["info", "gate"]);
    expect(info.stdout).toMatch(/^publisher +ada$/m);
    expect(info.stdout).toMatch(/^powers +env$/m);
    expect(info.stdout).toMatch(/^add it +cordon add npm:gate@1\.0\.0$/m);
    expect((await world.json<{ hooks: object[] }>(["info", "notes"])).hooks).toEqual([
      { name: "notes", from: "team", ...HOOKS.notes },
    ]);
    const none = await world.run(["info", "nothing"]);
    expect([none.code, none.stderr]).toEqual([1, "cordon: no index and no registry knows nothing\n"]);
    expect((await world.run(["search", "zebra"])).stdout).toBe("nothing found for zebra\n");
  });

  test("results of the registry's own search are shown, too; a registry that does not answer is named and skipped", async () => {
    world.registry.publish({
      name: "pi-files",
      version: "1.0.0",
      json: { description: "watches files", keywords: ["pi-package"] },
    });
    await build();
    const found = await world.run(["search", "files", "--index", "team.json"]);
    expect(found.stdout).toMatch(/^gate +team +/m);
    expect(found.stdout).toMatch(/^pi-files +npm +watches files$/m);
    world.useRegistry("http://127.0.0.1:9/");
    const alone = await world.run(["search", "files"]);
    expect(alone.code).toBe(0);
    expect(alone.stdout).toMatch(/^gate +team +/m);
    expect(alone.stderr).toMatch(/^note: the registry was not searched: /);
  });

  test.each([
    ["no JSON", "{", /list\.json: not JSON/],
    ["an unknown key", '{"version":1,"name":"t","hooks":{},"extra":1}', /list\.json: unknown key "extra"/],
    ["a hook without a spec", '{"version":1,"name":"t","hooks":{"a":{}}}', /list\.json: .*spec/],
    [
      "a hook with an unknown key",
      '{"version":1,"name":"t","hooks":{"a":{"spec":"a","url":"b"}}}',
      /unknown key "url"/,
    ],
    ["an invalid name", '{"version":1,"name":"t","hooks":{"A b":{"spec":"a"}}}', /list\.json: /],
    ["the registry's name", '{"version":1,"name":"npm","hooks":{}}', /name: npm is what npm's registry is called/],
    [
      "a name shown as it",
      '{"version":1,"name":" NPM\\u200b","hooks":{}}',
      /name: npm is what npm's registry is called/,
    ],
  ])("with %s is not signed: one line names the error", async (_name, list, says) => {
    await world.json(["index", "key", "team.key"]);
    writeFiles(world.work, { "list.json": list });
    const { code, stdout, stderr } = await world.run([
      "index",
      "build",
      "list.json",
      "--key",
      "team.key",
      "--out",
      "o",
    ]);
    expect([code, stdout, stderr.trim().split("\n").length]).toEqual([1, "", 1]);
    expect(stderr).toMatch(says);
    expect(readdirSync(world.work)).not.toContain("o");
  });
});

describe("an index that changed", () => {
  const CASES: [name: string, change: () => Promise<void> | void, says: RegExp][] = [
    [
      "one of its specs is changed",
      () => writeFileSync(file("team.json"), text("team.json").replace("npm:gate@1.0.0", "npm:evil@1.0.0")),
      /its signature is wrong \(INTEGRITY_MISMATCH\)$/,
    ],
    [
      "it is signed with another key",
      async () => void (await build(HOOKS, { key: "other.key" })),
      /is signed with another key than when it was first read; if .*\(INTEGRITY_MISMATCH\)$/,
    ],
    [
      "its key is changed",
      async () => {
        await build(HOOKS, { key: "other.key", out: "other.json" });
        const { key } = JSON.parse(text("other.json"));
        writeFileSync(file("team.json"), JSON.stringify({ ...JSON.parse(text("team.json")), key }));
      },
      /another key/,
    ],
    [
      "it is not an index",
      () => writeFileSync(file("team.json"), "{}"),
      /not a signed index; create one with: cordon index build/,
    ],
    ["it is not JSON", () => writeFileSync(file("team.json"), "<html>"), /not JSON/],
    [
      "it is one that was signed earlier",
      async () => {
        const before = text("team.json");
        await build({ gate: { ...HOOKS.gate, integrity: NOBODYS } });
        await world.json(["search", "files", "--index", "team.json"]);
        writeFileSync(file("team.json"), before);
      },
      /is older than when it was last read: it was signed 2\d{3}-.*, and the last one 2.*cordon index forget .*\(INTEGRITY_MISMATCH\)$/,
    ],
    ["it is too large", () => writeFileSync(file("team.json"), " ".repeat(5 * 1024 * 1024 + 1)), /team\.json/],
  ];
  test.each(CASES)("%s: the last copy counts, for what it vouches for, too", async (_name, change, says) => {
    await build({ gate: { ...HOOKS.gate, integrity: NOBODYS } });
    expect((await world.run(["search", "files", "--index", "team.json"])).code).toBe(0);
    await change();
    const named = await world.run(["search", "files", "--index", "team.json"]);
    expect([named.code, named.stdout]).toEqual([1, ""]);
    expect(named.stderr.trim()).toMatch(says);
    const remembered = await world.run(["search", "files"]);
    expect(remembered.stdout).toMatch(/^gate +team +Keeps files from being removed\.$/m);
    expect(remembered.stdout).not.toContain("evil");
    expect(remembered.stderr).toMatch(/^note: .*: using the copy that was read last$/m);
    const added = await world.run(["add", "gate@1.0.0", "--grant", "none"]);
    expect([added.code, added.stderr]).toEqual([1, expect.stringContaining("is not what the index team vouches for")]);
  });

  test("an unreachable index keeps its last content: an attacker who blocks it changes nothing", async () => {
    await build({ gate: { ...HOOKS.gate, integrity: NOBODYS } });
    const served = { body: text("team.json") };
    const server = createServer((_request, response) => response.end(served.body));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/team.json`;
    expect((await world.run(["search", "files", "--index", url])).stdout).toMatch(/^gate +team/m);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const offline = await world.run(["search", "files"]);
    expect(offline.stdout).toMatch(/^gate +team/m);
    expect(offline.stderr).toContain("using the copy that was read last");
    const added = await world.run(["add", "gate@1.0.0", "--grant", "none"]);
    expect([added.code, added.stderr]).toEqual([
      1,
      expect.stringMatching(/gate 1\.0\.0 is not what the index team vouches for \(INTEGRITY_MISMATCH\)\n$/),
    ]);
  });
});

describe("a package that an index vouches for", () => {
  test("is added only with these bytes", async () => {
    const { integrity } = await world.json<{ integrity: string }>(["add", "npm:gate@1.0.0", "--grant", "none"]);
    rmSync(world.home, { recursive: true });
    await build({ gate: { ...HOOKS.gate, integrity } });
    await world.json(["search", "gate", "--index", "team.json"]);
    expect((await world.run(["add", "gate@1.0.0", "--grant", "none"])).code).toBe(0);
    rmSync(join(world.home, "hooks.lock"));
    rmSync(join(world.home, "grants.json"));

    world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": `${GATE}//` }, json: asks() });
    const other = await world.run(["add", "gate@1.0.0", "--grant", "none"]);
    expect([other.code, other.stderr]).toEqual([
      1,
      "cordon: gate 1.0.0 is not what the index team vouches for (INTEGRITY_MISMATCH)\n",
    ]);
    expect(world.disk()).toMatchObject({ lock: {}, grants: {} });
  });

  // biome-ignore format: a table
  test.each<[vouched: string, version: string, adds: string, isTaken: boolean]>([
    ["npm:gate", "1.1.0", "gate", false],
    ["npm:gate", "1.1.0", "gate@latest", false],
    ["npm:gate", "1.1.0", "npm:gate@^1", false],
    ["npm:gate", "1.1.0", "gate@1.1.0", false],
    ["npm:gate@1.0.0", "1.0.0", "gate", false],
    ["npm:gate@1.0.0", "1.0.0", "gate@1", false],
    ["npm:gate@1.0.0", "1.1.0", "gate@1.1.0", true],
    ["npm:gate@v1.0.0", "1.0.0", "gate", false],
    ["npm:gate@latest", "1.1.0", "gate", false],
    ["npm:gate@^1", "1.1.0", "gate", false],
    ["npm:gate@^1", "2.0.0", "gate", true],
    ["npm:gate@beta", "1.1.0", "gate", true],
  ])("is meant in any spelling: the index has %s, the registry other bytes as %s, and a person adds %s", async (spec, version, adds, isTaken) => {
    const { integrity } = await world.json<{ integrity: string }>(["add", "npm:gate@1.0.0", "--grant", "none"]);
    rmSync(world.home, { recursive: true });
    await build({ gate: { ...HOOKS.gate, spec, integrity } });
    await world.json(["search", "gate", "--index", "team.json"]);
    world.registry.publish({ name: "gate", version, files: { "index.ts": `${GATE}//` }, json: asks() });
    const other = await world.run(["add", adds, "--grant", "none"]);
    const says = isTaken ? "" : `cordon: gate ${version} is not what the index team vouches for (INTEGRITY_MISMATCH)\n`;
    expect([other.code, other.stderr]).toEqual([isTaken ? 0 : 1, says]);
  });
});

describe("suspicious names", () => {
  test("like an installed one, also of a dependency", async () => {
    await world.install("gate");
    world.registry.publish({ name: "gaet", version: "1.0.0", files: { "index.js": "" } });
    world.registry.publish({
      name: "gate-js",
      version: "1.0.0",
      files: { "index.ts": GATE },
      dependencies: { gaet: "1" },
      json: asks(),
    });
    const near = await world.run(["add", "gate-js"]);
    const read = near.stdout.replace(/\n +/g, " ");
    expect(read).toMatch(/^careful +this package gate-js is nearly named like gate, which is installed$/m);
    expect(read).toMatch(/^careful +its dependency gaet is nearly named like gate, which is installed$/m);
    const told = await world.json<{ warnings: string[] }>(["add", "gate-js", "--grant", "none"]);
    expect(told.warnings).toHaveLength(2);
  });

  test("equal to a name of a team's index: the public registry's package is a different one", async () => {
    await build({ "house-rules": { spec: "git+ssh://git@git.example.com/house-rules.git" } });
    await world.json(["search", "house", "--index", "team.json"]);
    world.registry.publish({ name: "house-rules", version: "9.9.9", files: { "index.ts": GATE }, json: asks() });
    const { stdout } = await world.run(["add", "house-rules"]);
    expect(stdout.replace(/\n +/g, " ")).toMatch(
      /^careful +this package house-rules is from npm:house-rules; house-rules which the index team offers is from git:/m,
    );
    expect(world.disk()).toMatchObject({ ...NOTHING, left: expect.anything() });
  });
});

test("--grant none allows no other value, and powers that a package does not request are refused before it runs", async () => {
  const both = await world.run(["add", "gate", "--grant", "none", "env"]);
  expect([both.code, both.stderr]).toEqual([2, "cordon: --grant none cannot be combined with powers\n"]);
  expect(world.registry.requests).toEqual([]);
  world.registry.publish({
    name: "loud",
    version: "1.0.0",
    files: { "index.ts": "for (;;) {}" },
    json: asks(),
  });
  const started = await world.run(["add", "loud", "--grant", "net"]);
  expect([started.code, started.stdout, started.stderr]).toEqual([
    1,
    "",
    "cordon: loud does not ask for net; it asks for: env, fs\n",
  ]);
});
