/**
 * Bundles what runs in the host into `dist/src`, with the libraries that it uses: who installs Cordon gets few packages, and few
 * files are read when it starts. TypeBox is bundled, too, and hooks that import it get a copy: its package is there for types alone.
 */
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, transform } from "esbuild";
import { rolldown } from "rolldown";
import { addLicences } from "../sandbox/licences.mjs";
import { chunkLayers } from "./chunk-layers.mjs";
import { leaveOutOfPackage } from "./left-out.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = here("..");
/** Packages that stay packages: a program for each platform, and what compiles a trusted hook. */
const INSTALLED = ["esbuild", "jiti"];
const TARGET = "node22";
/** Parts of npm's libraries that Cordon never calls: they convert old encodings. Their users catch that they are missing. */
const LEFT_OUT = /^iconv-lite$/;

const leftOut = {
  name: "left-out",
  resolveId: (source) => (LEFT_OUT.test(source) ? `\0${source}` : undefined),
  load: (id) =>
    LEFT_OUT.test(id.slice(1))
      ? `throw new Error(${JSON.stringify(`${id.slice(1)} is not part of Cordon`)});`
      : undefined,
};

/**
 * Libraries that come bundled themselves: their sources in place of that, in the form that npm's libraries require. Their own
 * dependencies are then there once, and are listed with their licences.
 */
const unbundled = {
  name: "unbundled",
  async resolveId(source, importer, options) {
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    const { dir, file } =
      /^(?<dir>.*)\/dist\/(?:esm|commonjs)\/(?<file>[\w/]+)\.min\.js$/.exec(found?.id)?.groups ?? {};
    return dir === undefined ? found : `${dir}/dist/commonjs/${file}.js`;
  },
};

/**
 * What libraries import of Node, in place of the whole: an import of a module reads everything it has, and so loads what Node has for
 * terminals and threads. That takes up to 5 ms of each command.
 */
const PARTS = {
  "node:process": "export default process;",
  "node:child_process":
    'export default { spawn: (...given) => process.getBuiltinModule("node:child_process").spawn(...given) };',
  "node:util":
    'export const stripVTControlCharacters = (text) => process.getBuiltinModule("node:util").stripVTControlCharacters(text);',
};
const OF_COMMANDS = /[\\/]node_modules[\\/]commander[\\/]/;

const partsOfNode = {
  name: "parts-of-node",
  resolveId: (source, importer = "") =>
    OF_COMMANDS.test(importer) && Object.hasOwn(PARTS, source) ? `\0${source}` : undefined,
  load: (id) => PARTS[id.slice(1)],
};

/** Without comments and indentation. Names stay, and lines are short enough that a stack trace says where. */
const shortened = { minifyWhitespace: true, minifySyntax: true, lineLimit: 120, legalComments: "none" };

/**
 * One character beyond ASCII, and V8 keeps two bytes for each of a file's. esbuild leaves those of expressions and tagged templates.
 */
const inAscii = (code) =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const shortening = (more) => ({
  name: "shortening",
  renderChunk: async (text) => inAscii((await transform(text, { ...shortened, ...more, target: TARGET })).code),
});

rmSync(here("../dist/src/chunks"), { recursive: true, force: true });
const ENTRIES = [
  "agents/ai/index.ts",
  "agents/langchain/index.ts",
  "agents/pi/adapter.ts",
  "agents/pi/hook-adapter.ts",
  "agents/strands/index.ts",
  "audit/export-worker.ts",
  "cli/start.ts",
  "hook-api.ts",
  "index.ts",
  "market/listing.ts",
  "testing.ts",
];
/**
 * What these entries import is bundled with them, but for what is imported late and what `split` lays into files of its own.
 * `shorter`: what shortens their code further.
 */
async function writeForHost(entries, split, shorter = {}) {
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((path) => [path.replace(/\.ts$/, ""), here(path)])),
    cwd: root,
    platform: "node",
    // Which the layers need. No entry has more names than its source: what it shares with others lies in files of their own.
    preserveEntrySignatures: "allow-extension",
    // OpenTelemetry's SDK is the user's own, if they have one.
    external: [/^@opentelemetry\//, ...INSTALLED],
    // Its other form looks for its parts at run time.
    resolve: { alias: { "jsonc-parser": resolve(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
    transform: {
      target: TARGET,
      define: {
        // No addon that lies beside Cordon is loaded into the host.
        "process.env.WS_NO_BUFFER_UTIL": '"1"',
        "process.env.WS_NO_UTF_8_VALIDATE": '"1"',
        // What CommonJS has.
        __dirname: "import.meta.dirname",
        __filename: "import.meta.filename",
      },
    },
    plugins: [partsOfNode, leftOut, unbundled, shortening(shorter)],
    logLevel: "warn",
  });
  const { output } = await bundled.write({
    dir: here("../dist/src"),
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    codeSplitting: split,
    // By default it would write anew what it was given.
    minify: false,
  });
  await bundled.close();
  return output;
}

const output = [
  ...(await writeForHost(ENTRIES, chunkLayers(here))),
  // A process of its own: files that it shared with the host would have more than it needs.
  // Of its errors the host gets the text alone.
  ...(await writeForHost(["bundle/worker.ts"], true, { minifyIdentifiers: true, format: "esm" })),
];

// Required where the first value is checked, or the first text is measured that is not plain.
const later = await build({
  ...shortened,
  // Of others alone.
  minifyIdentifiers: true,
  entryPoints: { "schema-engine": here("base/schema-engine.ts"), "string-width": "string-width" },
  absWorkingDir: root,
  outdir: here("../dist/src/base"),
  outExtension: { ".js": ".cjs" },
  bundle: true,
  metafile: true,
  platform: "node",
  format: "cjs",
  target: TARGET,
  logLevel: "warning",
});
// The compiler wrote it in parts, which import a library.
const interceptors = await build({
  ...shortened,
  minifyIdentifiers: true,
  entryPoints: [here("../sandbox/guest/interceptors/index.ts")],
  absWorkingDir: root,
  outfile: here("../dist/sandbox/guest/interceptors/index.js"),
  bundle: true,
  metafile: true,
  platform: "neutral",
  mainFields: ["module", "main"],
  format: "esm",
  target: TARGET,
  logLevel: "warning",
});
// pi hands out its own package only to files that its jiti translates. Of CommonJS these are the ones in which it finds words
// of ECMAScript modules, be it in a comment.
await build({
  entryPoints: [here("agents/pi/entry/index.ts")],
  outdir: here("../dist/src/agents/pi/entry"),
  platform: "node",
  format: "cjs",
  target: TARGET,
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
  target: TARGET,
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
  target: TARGET,
  logLevel: "warning",
});
for (const name of ["package.json", "openclaw.plugin.json", "dist/index.js"])
  cpSync(resolve(plugin, name), here(`../dist/src/openclaw-cordon/${name}`));
writeFileSync(here("../dist/src/agents/pi/entry/package.json"), '{ "type": "commonjs" }\n');
// What stands in the place of a git that another one would start. It is told what to fetch, and has to hear it.
mkdirSync(here("../dist/src/no-git"), { recursive: true });
writeFileSync(here("../dist/src/no-git/git"), "#!/bin/sh\nwhile read -r _; do :; done\nexit 1\n");
chmodSync(here("../dist/src/no-git/git"), 0o755);
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
  writeFileSync(resolve(schemas, `${name}.json`), `${JSON.stringify(schema)}\n`);
rmSync(generator);
addLicences(here("../dist/LICENCES.md"), [
  ...output.flatMap(({ moduleIds }) => moduleIds ?? []).filter((id) => isAbsolute(id)),
  ...[interceptors, later].flatMap(({ metafile }) => Object.keys(metafile.inputs).map((path) => resolve(root, path))),
]);
leaveOutOfPackage(root);

// What the same source could be bundled differently with: the build process, and the modules that it offers. Chunks are named by
// their content.
const hash = createHash("sha256").update(readFileSync(here("../dist/src/bundle/worker.js")));
for (const folder of ["modules", "offered"]) {
  const from = here(`../dist/sandbox/${folder}`);
  const files = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map(({ parentPath, name }) => resolve(parentPath, name)).sort())
    hash.update(`${relative(from, path)}\n`).update(readFileSync(path));
}
writeFileSync(here("../dist/src/bundle/fingerprint.txt"), hash.digest("hex"));
