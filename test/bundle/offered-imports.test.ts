import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build, type OnResolveResult } from "esbuild";
import { expect, test } from "vitest";
import { built } from "../../src/base/package-root.ts";
import { offeredImport } from "../../src/bundle/offered-imports.ts";
import { offeredFolders, offeredModule } from "../../src/bundle/offered-modules.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** Every file of Cordon's own modules, and what hooks get of packages. */
const ENTRIES = [
  ...readdirSync(built("modules")).flatMap((name) => (name.endsWith(".js") ? join(built("modules"), name) : [])),
  ...["path/win32", "assert/strict", "punycode", "diagnostics_channel", "string_decoder"],
  ...["typebox", "typebox/compile", "typebox/value", "@sinclair/typebox", "@sinclair/typebox/compiler"],
].map((name) => offeredModule(name) ?? name);

test("each import between the files that hooks get leads to one of them, as esbuild finds it where it can", async () => {
  const folders = offeredFolders();
  const lost: string[] = [];
  let compared = 0;
  await build({
    entryPoints: ENTRIES,
    outdir: temporaryFolder(),
    write: false,
    bundle: true,
    platform: "neutral",
    logLevel: "silent",
    plugins: [
      {
        name: "compare",
        setup({ onResolve, resolve }) {
          onResolve({ filter: /.*/ }, async (args): Promise<OnResolveResult | undefined> => {
            if (args.pluginData === "asked" || args.kind === "entry-point") return undefined;
            const ours = offeredImport(args, folders);
            if (!ours?.path || !existsSync(ours.path)) {
              lost.push(`${args.importer}: ${args.path}`);
              return { path: args.path, external: true };
            }
            if (args.path.startsWith(".")) {
              const { kind, importer, resolveDir } = args;
              const theirs = await resolve(args.path, { kind, importer, resolveDir, pluginData: "asked" });
              compared++;
              if (ours.path !== theirs.path) lost.push(`${args.importer}: ${args.path}: ${ours.path}`);
            }
            return ours;
          });
        },
      },
    ],
  });
  expect(lost).toEqual([]);
  expect(compared).toBeGreaterThan(500);
});

// biome-ignore format: a table
const IMPORTS: [claim: string, path: string, description: object | undefined, found: OnResolveResult | undefined][] = [
  ["of a package that says nothing may do something", "./b.js", {}, { path: "b.js", sideEffects: true }],
  ["of a package that does nothing by it", "./b.mjs", { sideEffects: false }, { path: "b.mjs", sideEffects: false }],
  ["of a package that says it of each file may do something", "./b.js", { sideEffects: ["./c.js"] }, { path: "b.js", sideEffects: true }],
  ["of a folder without a description may do something", "./b.js", undefined, { path: "b.js", sideEffects: true }],
  ["from a folder inside", "./c/../b.js", {}, { path: "b.js", sideEffects: true }],
  ["without an extension is not offered", "./b", {}, undefined],
  ["of a folder is not offered", "./b/", {}, undefined],
  ["of a native addon is not offered", "./b.node", {}, undefined],
  ["of a file outside the folder is not offered", "../b.js", {}, undefined],
  ["of any other package is not offered", "b", {}, undefined],
  ["of a built-in module that starts programs is not offered", "node:child_process", {}, undefined],
];

test.each(IMPORTS)("an import %s", (_claim, path, description, found) => {
  const folder = join(temporaryFolder(), "package");
  writeFiles(folder, { "a.js": "", ...(description ? { "package.json": JSON.stringify(description) } : {}) });
  const import_ = { kind: "import-statement", path, importer: join(folder, "a.js") } as const;
  expect(offeredImport(import_, [folder])).toEqual(found && { ...found, path: join(folder, found.path as string) });
});
