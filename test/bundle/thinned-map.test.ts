import { join } from "node:path";
import { encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import { describe, expect, test } from "vitest";
import { buildHook } from "../../src/bundle/build.ts";
import { MAX_PLACES, thinned } from "../../src/bundle/thinned-map.ts";
import { hookFolder, startFolder } from "./hook-folder.ts";

/** Code with many places in each of its rows, which loads within a hook's CPU time. */
const crowded = (rows: number): string =>
  `const a = 0;\nexport const list = () => [\n${`  [${"a,".repeat(100)}],\n`.repeat(rows)}];\n`;

/** Throws in its third line. */
const throwing = (from: string): string =>
  `import { list } from "${from}";\nexport default (pi: any) => pi.on("agent_start", () => {\n  const kind = typeof list; throw new Error(kind);\n});\n`;

const dependency = (code: string): Record<string, string> => ({
  "node_modules/dep/package.json": '{ "name": "dep", "main": "dep.js" }',
  "node_modules/dep/dep.js": `${code}export function fail() {\n  throw new Error("from the dependency");\n}\n`,
});

const placesIn = (map: string): number => JSON.parse(map).mappings.split(/[,;]/).filter(Boolean).length;

interface Case {
  name: string;
  files: Record<string, string>;
  /** The place that its error's stack begins with. */
  place: string;
}

const cases: Case[] = [
  {
    name: "a package with many places takes none of the hook's own",
    files: { "index.ts": throwing("dep"), ...dependency(crowded(4000)) },
    place: "index.ts:3:35",
  },
  {
    name: "an error in a package with many places has its file, and its line in the bundle",
    files: {
      "index.ts": `import { list, fail } from "dep";\nexport default (pi: any) => pi.on("agent_start", () => { fail(); return list; });`,
      ...dependency(crowded(4000)),
    },
    place: "node_modules/dep/dep.js:4005:3",
  },
  {
    name: "a file of the hook's own with many places has those where lines of the bundle begin",
    files: { "index.ts": throwing("./list"), "list.ts": crowded(4000) },
    place: "index.ts:3:29",
  },
];

describe("a source map that is too large loses places", () => {
  test.each(cases)("$name", async ({ files, place }) => {
    const folder = hookFolder(files);
    const { map } = await buildHook(process.execPath, { root: join(folder, "hook"), entry: "index.ts" });
    expect(placesIn(map)).toBeLessThanOrEqual(MAX_PLACES);
    const { host, hook, errors } = await startFolder(folder);
    expect(hook().state, hook().reason).toBe("active");
    await host.emit({ type: "agent_start" });
    expect(errors[0]?.stack?.split("\n")[1]).toContain(place);
  });
});

/** Lines of so many places, each with its own, in files that take turns. */
const mapOf = (lines: number, each: number, fileOf: (line: number) => number): string => {
  const row = (line: number): SourceMapSegment[] =>
    Array.from({ length: each }, (_, at) => [at, fileOf(line), line, at]);
  const mappings = encode(Array.from({ length: lines }, (_, line) => row(line)));
  return JSON.stringify({ version: 3, sources: ["own.ts", "other.ts"], names: [], mappings });
};

test("so many places stay as they are, and one more does not", () => {
  const isOwn = (file: string): boolean => file === "own.ts";
  const full = mapOf(500, MAX_PLACES / 500, (line) => line % 2);
  expect(JSON.parse(thinned(full, isOwn))).toEqual(JSON.parse(full));
  const more = JSON.parse(full);
  more.mappings += ";AAAA";
  expect(placesIn(thinned(JSON.stringify(more), isOwn))).toBe(MAX_PLACES / 2 + 251);
  expect(
    placesIn(
      thinned(
        mapOf(500, 1000, (line) => line % 2),
        isOwn,
      ),
    ),
  ).toBe(500);
  expect(
    placesIn(
      thinned(
        mapOf(60_000, 2, () => 0),
        isOwn,
      ),
    ),
  ).toBe(1);
  expect(
    placesIn(
      thinned(
        mapOf(60_000, 2, (line) => line % 2),
        isOwn,
      ),
    ),
  ).toBe(0);
});
