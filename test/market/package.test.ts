import { expect, test } from "vitest";
import { hooksIn } from "../../src/market/package.ts";
import { keepIds, type Staged, type StagedHook } from "../../src/market/stage.ts";
import type { LockEntry } from "../../src/store/hooks-lock.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const BUILT = { "dist/index.js": "", "dist/more.js": "" };
const SOURCES = { "index.ts": "", "more.ts": "" };

/** What a package says, what it has, and the files of its hooks; or why there are none. */
const rows: [what: string, json: object, files: Record<string, string>, found: string[] | string][] = [
  ["pi's extensions", { pi: { extensions: ["./index.ts"] } }, SOURCES, ["index.ts"]],
  ["OpenClaw's plugins", { openclaw: { extensions: ["./more.ts", "./index.ts"] } }, SOURCES, ["index.ts", "more.ts"]],
  [
    "OpenClaw's plugins as they were built, beside sources that it may lack",
    { openclaw: { extensions: ["./index.ts"], runtimeExtensions: ["./dist/index.js"] } },
    BUILT,
    ["dist/index.js"],
  ],
  [
    "an extension of pi that is a plugin, too",
    { pi: { extensions: ["./index.ts"] }, openclaw: { extensions: ["./more.ts"] } },
    SOURCES,
    ["index.ts"],
  ],
  [
    "what its own key names, whatever agents have",
    { cordon: { hooks: ["./more.ts"] }, openclaw: { extensions: ["./index.ts"] } },
    SOURCES,
    ["more.ts"],
  ],
  [
    "a plugin that is missing",
    { openclaw: { extensions: ["./gone.ts"] } },
    SOURCES,
    "names ./gone.ts, which is not there",
  ],
  [
    "a plugin outside",
    { openclaw: { extensions: ["../x.ts"] } },
    SOURCES,
    "names ../x.ts, which is outside of the package",
  ],
  ["its own folder, and a file in it", { cordon: { hooks: [".", "./index.ts", "index.ts"] } }, SOURCES, ["index.ts"]],
  ["its own folder without an index", { cordon: { hooks: ["./", "more.ts"] } }, { "more.ts": "" }, ["more.ts"]],
  ["no list of plugins", { openclaw: { extensions: "./index.ts" } }, SOURCES, "openclaw.extensions must be an array"],
  ["no plugin", { openclaw: {} }, SOURCES, "names no hooks"],
];

test.each(rows)("%s", (_what, json, files, found) => {
  const folder = temporaryFolder();
  writeFiles(folder, { ...files, "package.json": JSON.stringify({ name: "some", version: "1.0.0", ...json }) });
  if (typeof found === "string") expect(() => hooksIn(folder, "some")).toThrow(found);
  else expect(hooksIn(folder, "some").hooks.map(({ file }) => file)).toEqual(found);
});

test("folders of OpenClaw's internal hooks are listed as unsupported", () => {
  const folder = temporaryFolder();
  const openclaw = { extensions: ["./index.ts"], hooks: ["./hooks"] };
  writeFiles(folder, { ...SOURCES, "package.json": JSON.stringify({ name: "some", version: "1.0.0", openclaw }) });
  expect(hooksIn(folder, "some").unsupported).toEqual(["openclaw.hooks"]);
});

test("a hook that was installed as a file of the package's own folder keeps its id", () => {
  // As it was installed, and as the first update after that wrote it.
  for (const file of ["./gate.ts", "gate.ts"]) {
    const hook = { id: "some#gate.ts", file: "gate.ts" } as StagedHook;
    const staged = { hooks: [hook], fetched: { name: "some" } } as Staged;
    keepIds(staged, [["some#./gate.ts", { package: "some", file } as LockEntry]]);
    expect(hook.id).toBe("some#./gate.ts");
  }
});
