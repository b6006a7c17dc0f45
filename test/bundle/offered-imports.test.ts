import { readdirSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { build, type OnResolveArgs, type OnResolveResult } from "esbuild";
import { expect, test } from "vitest";
import { built } from "../../src/base/package-root.ts";
import { offeredImport } from "../../src/bundle/offered-imports.ts";
import { isTypebox, offeredFolders, offeredModule, unenv } from "../../src/bundle/offered-modules.ts";
import { isInside } from "../../src/runtime/find-program.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const asked = (importer: string, path: string): OnResolveArgs => ({
  ...{ importer, path, kind: "import-statement", namespace: "file", resolveDir: "", pluginData: undefined, with: {} },
});
const never = (): never => expect.fail("esbuild was asked");

/** Every file of Cordon's own modules, and the modules of unenv that hooks get. */
const ENTRIES = [
  ...readdirSync(built("modules")).flatMap((name) => (name.endsWith(".js") ? join(built("modules"), name) : [])),
  ...["path", "url", "events", "assert", "querystring", "punycode", "buffer"].map((name) => unenv(name) as string),
  ...["typebox", "typebox/value", "@sinclair/typebox", "string_decoder"].map((name) => offeredModule(name) as string),
];

test("each import between Cordon's files leads where esbuild finds it", async () => {
  const folders = offeredFolders();
  const differences: string[] = [];
  let [compared, byPlace] = [0, 0];
  await build({
    entryPoints: ENTRIES,
    outdir: temporaryFolder(),
    write: false,
    bundle: true,
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["module", "node"],
    logLevel: "silent",
    plugins: [
      {
        name: "compare",
        setup({ onResolve, resolve }) {
          onResolve({ filter: /.*/ }, async (args): Promise<OnResolveResult | undefined> => {
            if (args.pluginData === "asked" || args.kind === "entry-point") return undefined;
            if (isBuiltin(args.path) || isTypebox(args.path)) return { path: args.path, external: true };
            const { kind, importer, resolveDir } = args;
            const theirs = await resolve(args.path, { kind, importer, resolveDir, pluginData: "asked" });
            byPlace++;
            const ours = await offeredImport(args, folders, async () => {
              byPlace--;
              return { path: theirs.path, sideEffects: theirs.sideEffects };
            });
            compared++;
            const mayDiffer = isInside(theirs.path, built("modules"));
            if (ours.path !== theirs.path || (!mayDiffer && ours.sideEffects !== theirs.sideEffects))
              differences.push(`${importer}: ${args.path}: ${ours.path} ${ours.sideEffects}`);
            return { path: theirs.path };
          });
        },
      },
    ],
  });
  expect(differences).toEqual([]);
  expect(byPlace).toBeGreaterThan(300);
  // Those by name: of unenv, pathe and `safe-buffer`.
  expect(compared - byPlace).toBeLessThan(60);
});

test("a file that is named by its place costs no question", async () => {
  const [modules] = offeredFolders() as [string];
  const found = await offeredImport(asked(join(modules, "fs.js"), "./chunk-1.js"), offeredFolders(), never);
  expect(found).toEqual({ path: join(modules, "chunk-1.js"), sideEffects: false });
});

// biome-ignore format: a table
const QUESTIONS: [claim: string, path: string, description: object | undefined, found: OnResolveResult | undefined][] = [
  ["a package that says nothing", "./b.js", {}, { path: "b.js", sideEffects: true }],
  ["a package that has none", "./b.js", { sideEffects: false }, { path: "b.js", sideEffects: false }],
  ["a folder without a description", "./b.js", undefined, { path: "b.js", sideEffects: true }],
  ["a package that says it of each file", "./b.js", { sideEffects: ["./b.js"] }, undefined],
  ["a name without its end", "./b", { sideEffects: false }, undefined],
  ["a folder", "./b/", { sideEffects: false }, undefined],
  ["a package by its name", "b", { sideEffects: false }, undefined],
  ["a file outside", "../b.js", { sideEffects: false }, undefined],
];

test.each(QUESTIONS)(
  "esbuild is asked where it alone knows, and once: %s",
  async (_claim, path, description, found) => {
    const folder = join(temporaryFolder(), "package");
    writeFiles(folder, { "a.js": "", ...(description ? { "package.json": JSON.stringify(description) } : {}) });
    let questions = 0;
    const ask = async (): Promise<OnResolveResult> => ({ path: `answer ${++questions}` });
    const args = asked(join(folder, "a.js"), path);
    const both = [await offeredImport(args, [folder], ask), await offeredImport(args, [folder], ask)];
    const wanted = found ? { ...found, path: join(folder, found.path as string) } : { path: "answer 1" };
    expect(both).toEqual([wanted, wanted]);
    expect(questions).toBe(found ? 0 : 1);
  },
);
