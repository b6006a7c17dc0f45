/**
 * Bundles what runs in the host into `dist/src`: a few files instead of 900, since most of the time that it takes to load
 * Cordon went into finding and reading files. TypeBox is bundled, too; hooks that import it get that of `node_modules`.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { writeLicences } from "../sandbox/licences.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = here("..");
const { dependencies } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));
const BUNDLED = new Set(["typebox"]);

rmSync(here("../dist/src/chunks"), { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [
    "agents/ai/index.ts",
    "agents/langchain/index.ts",
    "agents/pi/adapter.ts",
    "agents/pi/hook-adapter.ts",
    "agents/strands/index.ts",
    "audit/export-worker.ts",
    "bundle/worker.ts",
    "cli/start.ts",
    "hook-api.ts",
    "index.ts",
    "testing.ts",
  ].map(here),
  absWorkingDir: root,
  outdir: here("../dist/src"),
  outbase: here("."),
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  metafile: true,
  platform: "node",
  format: "esm",
  target: "node22",
  // OpenTelemetry's SDK is the user's own, if they have one.
  external: [
    "@opentelemetry/*",
    ...Object.keys(dependencies).flatMap((name) => (BUNDLED.has(name) ? [] : [name, `${name}/*`])),
  ],
  // Its other form looks for its parts at run time.
  alias: { "jsonc-parser": resolve(root, "node_modules/jsonc-parser/lib/esm/main.js") },
  logLevel: "warning",
});
// pi hands out its own package only to files that its jiti translates. Of CommonJS these are the ones in which it finds words
// of ECMAScript modules, be it in a comment.
await build({
  entryPoints: [here("agents/pi/entry/index.ts")],
  outdir: here("../dist/src/agents/pi/entry"),
  platform: "node",
  format: "cjs",
  target: "node22",
  banner: { js: "// For pi's jiti: export default" },
  logLevel: "warning",
});
// Each is copied next to nothing else: it starts in a few ms, and is found at one path whatever becomes of the package.
await build({
  entryPoints: { shim: here("shim/index.ts"), opencode: here("shim/opencode/plugin.ts") },
  outdir: here("../dist/src"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  logLevel: "warning",
});
// OpenClaw's plugin is a package of its own, without any dependency. `cordon install openclaw` has a copy of it.
const plugin = here("../packages/openclaw-cordon");
await build({
  entryPoints: [here("shim/openclaw/plugin.ts")],
  outfile: resolve(plugin, "dist", "index.js"),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  logLevel: "warning",
});
for (const name of ["package.json", "openclaw.plugin.json", "dist/index.js"])
  cpSync(resolve(plugin, name), here(`../dist/src/openclaw-cordon/${name}`));
writeFileSync(here("../dist/src/agents/pi/entry/package.json"), '{ "type": "commonjs" }\n');
// The JSON Schemas of the files that people write, for their editors.
const schemas = here("../dist/schemas");
rmSync(schemas, { recursive: true, force: true });
const generator = resolve(schemas, "generate.mjs");
await build({
  entryPoints: [here("market/file-schemas.ts")],
  outfile: generator,
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  logLevel: "warning",
});
const { fileSchemas } = await import(pathToFileURL(generator).href);
for (const [name, schema] of Object.entries(fileSchemas()))
  writeFileSync(resolve(schemas, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
rmSync(generator);
writeLicences(
  here("../dist/src/LICENCES.md"),
  Object.keys(metafile.inputs).map((path) => resolve(root, path)),
);
