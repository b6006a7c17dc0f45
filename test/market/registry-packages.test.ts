import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { Terminal } from "./journey-terminal.ts";
import { asks, GATE, NOTHING, POWERS, World } from "./world.ts";

vi.setConfig({ testTimeout: 600_000 });

const blocking = (command: string): string =>
  `export default (pi: any) => { pi.on("tool_call", async (event: any) => {
  if (event.input.command === "${command}") return { block: true, reason: "no ${command}" };
}); };\n`;

let world: World;
/** `shown`: the shortest name, which questions to a person use. */
async function remove(id: string, shown = id): Promise<void> {
  const terminal = await Terminal.open(world);
  await terminal.run(`cordon remove '${id}'`, async () => {
    await terminal.shows(`Remove ${shown},`);
    terminal.press("y");
  });
}

beforeEach(async () => {
  world = await World.make();
});

/** A hook of two files. */
const HELPED = {
  "index.ts":
    'import { help } from "./src/help.ts";\nexport default (pi: any) => { pi.on("tool_call", () => help()); };\n',
  "src/help.ts": "export const help = () => undefined;\n",
};

test("each hook of a package has an id, a grant and a lifetime of its own", async () => {
  const json = { cordon: { hooks: ["./a.ts", "./b/gate.ts", "./more"], capabilities: POWERS } };
  const more = { "more/one/index.ts": blocking("one"), "more/types.d.ts": "", "more/notes.md": "" };
  const files = { "a.ts": blocking("a"), "b/gate.ts": GATE, "b/help.ts": "", ...more };
  world.registry.publish({ name: "many", version: "1.0.0", files, json });
  await world.install("many", "env");
  const { lock, grants } = world.disk();
  const ids = ["many#a.ts", "many#b/gate.ts", "many#more/one/index.ts"];
  expect([Object.keys(lock), Object.keys(grants).sort()]).toEqual([ids, ids]);
  expect((await world.verdicts("a", "one", "rm", "word")).said).toEqual(["no a", "no one", "no rm", "word: sesame"]);

  await world.json(["revoke", "many#b/gate.ts", "env"]);
  expect(world.disk().grants["many#a.ts"]?.capabilities).toHaveProperty("env");
  expect((await world.verdicts("word")).said).toEqual(["word: undefined"]);

  await remove("many#a.ts", "a");
  expect(Object.keys(world.disk().lock)).toEqual(ids.filter((id) => id !== "many#a.ts"));
  expect((await world.verdicts("a", "one")).said).toEqual(["passed", "no one"]);
  world.registry.publish({ name: "many", version: "1.1.0", files: { ...files, "c.ts": "" }, json });
  const { hooks } = await world.json<{ hooks: { id: string }[] }>(["update"]);
  expect(hooks.map(({ id }) => id)).toEqual(ids.filter((id) => id !== "many#a.ts"));
  expect(Object.values(world.disk().lock).map(({ version }) => version)).toEqual(hooks.map(() => "1.1.0"));
});

test("a folder with an index is one hook, and the files beside the index are its parts", async () => {
  const files = { "ext/index.ts": `import "./help.ts";\n${GATE}`, "ext/help.ts": "export const help = 1;\n" };
  world.registry.publish({ name: "whole", version: "1.0.0", files, json: { pi: { extensions: ["./ext"] } } });
  await world.install("whole");
  expect(Object.keys(world.disk().lock)).toEqual(["whole"]);
  expect((await world.verdicts("ls", "rm x")).said).toEqual(["passed", "no rm"]);
});

test("pi packages are recognised by their key or their keyword, and parts that are not hooks are named", async () => {
  const pi = { extensions: ["./extensions"], skills: ["./skills"], themes: ["./themes"] };
  world.registry.publish({
    name: "pi-keyed",
    version: "1.0.0",
    files: { "extensions/keyed.ts": blocking("keyed"), "skills/x.md": "", "themes/y.json": "{}" },
    json: { pi },
  });
  const keywords = ["pi-package"];
  const files = { "main.ts": blocking("word") };
  world.registry.publish({ name: "pi-word", version: "1.0.0", files, json: { keywords, main: "./main.ts" } });
  world.registry.publish({ name: "no-hook", version: "1.0.0", files, json: { main: "./main.ts" } });
  expect(await world.install("pi-keyed")).toMatch(
    /^left out +skills, themes: parts of the package that are no hooks$/m,
  );
  expect(await world.install("pi-word")).not.toContain("left out");
  expect((await world.verdicts("keyed", "word")).said).toEqual(["no keyed", "no word"]);
  const { code, stderr } = await world.run(["add", "no-hook", "--grant", "none"]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^cordon: no-hook names no hooks.*\(BAD_MANIFEST\)\n$/)]);
  expect(Object.keys(world.disk().lock)).toEqual(["pi-keyed", "pi-word"]);
});

test("remove leaves the audit and caches, and no power: a hook that is added again starts without powers", async () => {
  world.registry.publish({
    name: "gate",
    version: "1.0.0",
    files: { "index.ts": GATE },
    dependencies: { colour: "2" },
    json: asks(),
  });
  world.registry.publish({ name: "colour", version: "2.0.0", files: { "index.js": "" } });
  await world.install("gate", "env", "fs");
  expect((await world.verdicts("rm x")).said).toEqual(["no rm"]);
  await remove("gate");
  expect(world.disk()).toEqual(NOTHING);
  expect(existsSync(join(world.home, "install.journal"))).toBe(false);
  expect(readdirSync(join(world.home, "audit"))).toHaveLength(1);
  expect((await world.run(["audit", "--verify"])).code).toBe(0);
  expect(await world.json(["list"])).toEqual({ hooks: [] });
  expect((await world.verdicts("rm x", "word")).said).toEqual(["passed", "passed"]);
  await world.install("gate");
  expect((await world.verdicts("word")).said).toEqual(["word: undefined"]);
});

test("a hook is not replaced by one with the same name from another source, which leaves nothing", async () => {
  const gate = { name: "gate", files: { "index.ts": GATE }, json: asks() };
  world.registry.publish({ ...gate, version: "1.0.0" });
  world.registry.publish({ ...gate, version: "2.0.0", files: { "index.ts": `${GATE}// two\n` } });
  await world.install("gate@^1", "env");
  const before = world.disk();
  const { code, stderr } = await world.run(["add", world.registry.tarballUrl("gate", "2.0.0"), "--grant", "env", "fs"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^cordon: gate is installed from npm:gate@\^1; run: cordon remove gate \(BAD_GRANT\)\n$/);
  expect(world.disk()).toEqual(before);
});

test.each([
  [
    "other bytes than its registry's hash",
    { tamper: (packed: Buffer) => Buffer.concat([packed, Buffer.from("x")]) },
    /INTEGRITY_MISMATCH/,
  ],
  ["no tarball", { tamper: () => Buffer.from("<html>") }, /INTEGRITY_MISMATCH/],
  ["a missing version", { version: "2.0.0" }, /LOAD_FAILED/],
])("a dependency with %s: nothing is installed", async (_name, dependency, says) => {
  world.registry.publish({ name: "word", version: "1.0.0", files: { "index.js": "exports.WORD = 1;" }, ...dependency });
  world.registry.publish({
    name: "gate",
    version: "1.0.0",
    files: { "index.ts": `import "word";\n${GATE}` },
    dependencies: { word: "^1.0.0" },
    json: asks({}),
  });
  const { code, stdout, stderr } = await world.run(["add", "gate", "--grant", "none"]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr.trim().split("\n")).toEqual([expect.stringMatching(says)]);
  expect(world.disk()).toEqual(NOTHING);
});

test("a hook that is added again after a dependency's release works, with the powers named now", async () => {
  const uses = 'import { WORD } from "words";\n';
  const files = { "index.ts": `${uses}${GATE.replace('"no rm"', "WORD")}` };
  world.registry.publish({ name: "gate", version: "1.0.0", files, dependencies: { words: "^1.0.0" }, json: asks() });
  world.registry.publish({ name: "words", version: "1.0.0", files: { "index.js": 'exports.WORD = "one";' } });
  await world.install("gate", "env");
  world.registry.publish({ name: "words", version: "1.0.1", files: { "index.js": 'exports.WORD = "two";' } });
  world.forgetAnswers();
  await world.install("gate", "fs");
  expect((await world.verdicts("rm x", "notes")).said).toEqual(["two", "notes: milk"]);
  expect(world.disk().left).toEqual([]);
});

test("update does not treat a dependency's release as changed bytes of the hook", async () => {
  const uses = 'import { WORD } from "words";\n';
  const files = { "index.ts": `${uses}${GATE.replace('"no rm"', "WORD")}` };
  world.registry.publish({ name: "gate", version: "1.0.0", files, dependencies: { words: "^1.0.0" }, json: asks() });
  world.registry.publish({ name: "words", version: "1.0.0", files: { "index.js": 'exports.WORD = "one";' } });
  await world.install("gate");
  world.registry.publish({ name: "words", version: "1.0.1", files: { "index.js": 'exports.WORD = "two";' } });
  world.forgetAnswers();
  const { code, stdout } = await world.run(["update"]);
  expect(stdout).not.toContain("other bytes");
  expect(code).toBe(0);
});

test("edited installed files do not run, and adding the hook again repairs them", async () => {
  world.registry.publish({ name: "gate", version: "1.0.0", files: { "index.ts": GATE }, json: asks() });
  await world.install("gate", "env");
  const [folder = ""] = readdirSync(join(world.home, "installed"));
  const file = join(world.home, "installed", folder, "index.ts");
  chmodSync(file, 0o644);
  writeFileSync(file, blocking("nothing"));
  const state = async () => (await world.json<{ hooks: { state: string }[] }>(["list"])).hooks[0]?.state;
  expect([await state(), (await world.verdicts("rm x", "word")).said]).toEqual(["changed", ["no rm", "word: sesame"]]);
  await world.install("gate", "env");
  expect([await state(), (await world.verdicts("rm x", "word")).said]).toEqual(["active", ["no rm", "word: sesame"]]);
  expect(world.disk().left).toEqual([]);
});

test.each<[what: string, spec: () => string, says: string]>([
  [
    "a folder",
    () => world.package("some", { files: ["index.ts"] }, HELPED),
    'see "files" in its package.json, and cordon check',
  ],
  [
    "a registry",
    () => {
      world.registry.publish({
        name: "some",
        version: "1.0.0",
        files: { "index.ts": HELPED["index.ts"] },
        json: asks({}),
      });
      return "some";
    },
    "; its author published no such file",
  ],
  [
    "a file",
    () => world.file("some.ts", HELPED["index.ts"]),
    "; a file is added alone: add its folder, with a package.json",
  ],
])("a module of its own that %s lacks is explained", async (_what, spec, says) => {
  const { code, stderr } = await world.run(["add", spec(), "--grant", "none"]);
  expect([code, stderr.trim().split("\n").length]).toEqual([1, 1]);
  expect(stderr).toContain('Could not resolve "./src/help.ts"');
  expect(stderr).toContain(says);
});
