import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { putBack, readAdopted, takeOut } from "../../src/agents/setup/adopted.ts";
import type { Entry } from "../../src/agents/setup/setup.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const TAKEN = { agent: "pi", hooks: ["gate"] };

/** A home of Cordon's, and an agent's folder with settings. */
function person(settings?: string) {
  const folder = temporaryFolder();
  const [home, agent] = [join(folder, "home"), join(folder, "agent")];
  for (const one of [home, agent]) mkdirSync(one);
  const file = join(agent, "settings.json");
  if (settings !== undefined) writeFileSync(file, settings);
  const item = (value: unknown, at = 0): Extract<Entry, { kind: "item" }> => ({
    kind: "item",
    file,
    list: "packages",
    at,
    value,
  });
  const undo = (): void => {
    for (const one of readAdopted(home).reverse()) putBack(home, one);
  };
  return { folder, home, agent, file, item, undo, text: () => readFileSync(file, "utf8") };
}

const ONE = { source: "npm:one", skills: ["a"] };
const LISTS: Record<string, string> = {
  "on one line": `{"packages":["npm:a",${JSON.stringify(ONE)},"npm:b"],"z":1}`,
  "on several lines": `{\n  "z": 1,\n  "packages": [\n    "npm:a",\n    ${JSON.stringify(ONE)},\n    "npm:b"\n  ]\n}\n`,
  "with comments": `// mine\n{\n  "packages": [ "npm:a", /* this */ ${JSON.stringify(ONE)}, "npm:b" ], // these\n}\n`,
  "with tabs and ends of lines of Windows": `{\r\n\t"packages": [\r\n\t\t"npm:a",\r\n\t\t${JSON.stringify(ONE)},\r\n\t\t"npm:b"\r\n\t]\r\n}`,
};

describe.each(Object.entries(LISTS))("a list %s", (_what, settings) => {
  test.each([
    ["the first", "npm:a", 0],
    ["one in the middle", ONE, 1],
    ["the last", "npm:b", 2],
  ])("%s is taken out and put back, and all else stays", (_which, value, at) => {
    const { home, item, undo, text } = person(settings);
    takeOut(home, TAKEN, item(value, at));
    const rest = parse(settings).packages.toSpliced(at, 1);
    expect(parse(text())).toEqual({ ...parse(settings), packages: rest });
    expect(text().includes("// these")).toBe(settings.includes("// these"));
    undo();
    expect([text(), readAdopted(home)]).toEqual([settings, []]);
  });

  test("what changed since stays", () => {
    const { home, item, undo, text, file } = person(settings);
    takeOut(home, TAKEN, item(ONE, 1));
    writeFileSync(file, text().replace('"npm:b"', '"npm:c"'));
    undo();
    expect(parse(text())).toEqual({ ...parse(settings), packages: ["npm:a", ONE, "npm:c"] });
  });

  test("an item that another took the place of", () => {
    const { home, item, undo, text } = person(settings);
    takeOut(home, TAKEN, item(ONE, 1), { ...ONE, extensions: [] });
    expect(parse(text()).packages[1]).toEqual({ ...ONE, extensions: [] });
    undo();
    expect(text()).toBe(settings);
  });

  test("all, one after the other", () => {
    const { home, item, undo, text } = person(settings);
    for (const value of ["npm:a", ONE, "npm:b"]) takeOut(home, TAKEN, item(value));
    expect(parse(text()).packages).toEqual([]);
    undo();
    expect(text()).toBe(settings);
  });
});

test("an entry that is not there any more is not taken out, and the record does not say so", () => {
  const { home, item, agent, text } = person('{"packages":[]}');
  expect(() => takeOut(home, TAKEN, item("npm:a"))).toThrow(/changed meanwhile/);
  expect(() => takeOut(home, TAKEN, { kind: "file", file: join(agent, "x.ts") })).toThrow(/changed meanwhile/);
  expect([text(), readAdopted(home)]).toEqual(['{"packages":[]}', []]);
});

test("what a person put back themselves stays as it is", () => {
  const { home, item, undo, text, file } = person('{"packages":["npm:a"]}');
  takeOut(home, TAKEN, item("npm:a"));
  writeFileSync(file, '{"packages": ["npm:b", "npm:a"]}');
  undo();
  expect([text(), readAdopted(home)]).toEqual(['{"packages": ["npm:b", "npm:a"]}', []]);
});

test("files and links are moved as they are, those of one name apart, and never over another file", () => {
  const { home, agent, undo } = person();
  writeFiles(agent, { "a/x.ts": "a", "b/x.ts": "b", "target.ts": "c" });
  mkdirSync(join(agent, "c"));
  symlinkSync("../target.ts", join(agent, "c/x.ts"));
  for (const folder of ["a", "b", "c"]) takeOut(home, TAKEN, { kind: "file", file: join(agent, folder, "x.ts") });
  expect(["a", "b", "c"].flatMap((folder) => readdirSync(join(agent, folder)))).toEqual([]);
  writeFiles(agent, { "b/x.ts": "another one" });
  expect(undo).toThrow(/b\/x\.ts is there; move it away first/);
  expect(readFileSync(join(agent, "c/x.ts"), "utf8")).toBe("c");
  writeFiles(agent, { "b/x.ts": "another one" });
  expect(readFileSync(join(agent, "b/x.ts"), "utf8")).toBe("another one");
  expect(readAdopted(home)).toHaveLength(2);
});

test("a record that somebody broke is refused", () => {
  const { home } = person();
  for (const text of ["{", '{"version":1,"adopted":[{"agent":"pi"}]}', '{"version":1,"adopted":[],"more":1}']) {
    writeFiles(home, { "adopted.json": text });
    expect(() => readAdopted(home)).toThrow(/adopted\.json/);
  }
});

describe("killed at each write", () => {
  const PRELOAD = new URL("../market/power-loss-preload.ts", import.meta.url).href;
  const PROGRAM = fileURLToPath(new URL("./adopted-program.ts", import.meta.url));

  test.each(["item", "file"])("an %s is in the agent, or can be put back there", { timeout: 120_000 }, (kind) => {
    const settings = '{ "packages": ["npm:a", "npm:b"] }\n';
    const moments: string[] = [];
    for (let at = 1; ; at++) {
      const { home, agent, item, undo, text } = person(settings);
      const file = join(agent, "x.ts");
      writeFiles(agent, { "x.ts": "code" });
      const entry: Entry = kind === "item" ? item("npm:a") : { kind: "file", file };
      const env = { ...process.env, CORDON_HOME: home, POWER_LOSS_PROJECT: agent, POWER_LOSS_AT: String(at) };
      let stderr = "";
      try {
        execFileSync(process.execPath, ["--import", PRELOAD, PROGRAM, home, JSON.stringify(entry)], {
          env,
          stdio: "pipe",
        });
      } catch (error) {
        stderr = String((error as { stderr: Buffer }).stderr);
      }
      const moment = /power loss before: (.*)/.exec(stderr)?.[1];
      const isIn = kind === "item" ? text() === settings : existsSync(file);
      if (!isIn) expect(readAdopted(home)).toHaveLength(1);
      undo();
      expect([text(), readFileSync(file, "utf8")]).toEqual([settings, "code"]);
      if (moment === undefined) {
        expect(isIn).toBe(false);
        break;
      }
      moments.push(moment);
    }
    expect(moments).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/renameSync adopted\.json$/),
        expect.stringMatching(kind === "item" ? /renameSync settings\.json$/ : /renameSync adopted\/1\/x\.ts$/),
      ]),
    );
  });
});

test("settings that are not UTF-8 keep their bytes: nothing is taken out", () => {
  const { home, file, item } = person();
  const bytes = Buffer.concat([Buffer.from('{"packages": ["npm:a"], "b": "'), Buffer.from([0xe9]), Buffer.from('"}')]);
  writeFileSync(file, bytes);
  expect(() => takeOut(home, TAKEN, item("npm:a"))).toThrow(/settings\.json: it is not UTF-8/);
  expect([readFileSync(file), readAdopted(home)]).toEqual([bytes, []]);
});
