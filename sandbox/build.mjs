/**
 * Builds what runs in a sandbox, into `dist/sandbox`: the process, the guest, its realm and polyfills, and its modules.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { withoutAsync } from "../src/bundle/async-context.ts";
import { addLicences } from "./licences.mjs";
import { buildOffered } from "./offered-packages.mjs";
import { checksOf } from "./operation-checks.mjs";
import { buildPiModules, writeParts } from "./pi-modules.mjs";
import { guestFunctions, lazyFunction } from "./process/guest-code.ts";
import { LIBRARIES, POLYFILLS } from "./wire/lazy-code.ts";
import { CACHED_CODE } from "./wire/lazy-files.ts";
import { OPERATIONS } from "./wire/operations.ts";
import { PART } from "./wire/part-files.ts";
import { NO_OWN_SNAPSHOT, V8_FLAGS } from "./wire/v8-flags.ts";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = here("guest/node/");
const folders = [folder, here("guest/agents/")];
const dist = (name) => here(`../dist/sandbox/${name}`);
const outdir = dist("modules");
/** The guards of interceptors, beside their module. */
const GUARDS = "interceptor-guards";

/** The guest's own modules that replace those which `readable-stream` imports. */
const INSTEAD = new Map([
  ["abort-controller", "streams-abort.ts"],
  ["buffer", "streams-buffer.ts"],
  ["events", "streams-events.ts"],
  ["process/", "streams-process.ts"],
  ["string_decoder/", "streams-decoder.ts"],
]);

/** Made of the text of another one. */
const STREAMS_IN_FRAMES = "streams-in-frames";

const minified = { minifyWhitespace: true, minifySyntax: true };

const inGuest = (source, outfile, globalName, more) =>
  build({
    entryPoints: [here(`guest/${source}`)],
    outfile: dist(outfile),
    globalName,
    bundle: true,
    metafile: true,
    platform: "neutral",
    mainFields: ["module", "main"],
    format: "iife",
    target: "es2024",
    legalComments: "none",
    ...minified,
    logLevel: "warning",
    ...more,
  });

/** Generates the guest's checks of its requests from the declarations that both sides share. */
const operationChecks = {
  name: "operation-checks",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cordon:operation-checks$/ }, ({ path }) => ({ path, namespace: "made" }));
    onLoad({ filter: /.*/, namespace: "made" }, () => ({ contents: checksOf(OPERATIONS) }));
  },
};

const plugin = (filter, resolve) => ({
  name: "own-modules",
  setup: ({ onResolve }) =>
    onResolve({ filter }, ({ path, importer }) => (importer === "" ? undefined : resolve(path))),
});

const inProcess = (folder, outfile) =>
  build({
    metafile: true,
    entryPoints: [here(`${folder}/main.ts`)],
    outfile: dist(outfile),
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    logLevel: "warning",
  });

// V8 would take a cache for another text of the same length, so none outlives its text.
const caches = { realm: dist("realm.cache"), runtime: dist("guest.cache") };
for (const file of Object.values(caches)) rmSync(file, { force: true });
const ours = await Promise.all([
  inProcess("process", "process.cjs"),
  inProcess("database", "database.cjs"),
  inGuest("realm/realm.ts", "realm.js", "cordonRealm"),
  inGuest("realm/agent-realm.ts", "agent-realm.js", "cordonRealm"),
  // For a trusted hook, with globals of its own. Hooks see the names of the classes of Strands alone.
  inGuest("agents/interceptors.ts", "agent-interceptors.js", "cordonOffered", { minify: true }),
  inGuest("agents/strands.ts", "agent-strands.js", "cordonOffered"),
  inGuest("core/runtime.ts", "guest.js", "cordonGuest", {
    inject: [here("guest/core/hook-errors.ts")],
    // A field without a value is written once, by the constructor. No hook sees such a field of the runtime's own classes.
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    plugins: [operationChecks],
  }),
]);

rmSync(dist("lazy-code"), { recursive: true, force: true });
/** Nobody sees the names inside: half as long. Those of the others are names of classes that errors and `inspect` show. */
const SHORTENED = ["aes", "brotli", "clone", "typebox", "url", "web-crypto", "web-streams", "zlib"];
const inLazyCode = (source, name, more) =>
  inGuest(source, `lazy-code/${name}.js`, "cordonLazyCode", { minifyIdentifiers: SHORTENED.includes(name), ...more });
const lazyCode = await Promise.all([
  ...Object.keys(POLYFILLS).map((name) => inLazyCode(`realm/polyfills/${name}.ts`, name)),
  ...LIBRARIES.filter((name) => name !== STREAMS_IN_FRAMES).map((name) =>
    inLazyCode(`libraries/${name}.ts`, name, {
      mainFields: ["browser", "module", "main"],
      plugins: [
        plugin(/^(abort-controller|buffer|events|process\/|string_decoder\/)$/, (path) => ({
          path: here(`guest/libraries/${INSTEAD.get(path)}`),
        })),
      ],
    }),
  ),
]);
const streams = { code: readFileSync(dist("lazy-code/streams.js"), "utf8"), map: "{}" };
const { code: inFrames } = await transform((await withoutAsync(streams)).code, minified);
writeFileSync(dist(`lazy-code/${STREAMS_IN_FRAMES}.js`), inFrames);

const guest = guestFunctions({
  realm: readFileSync(dist("realm.js"), "utf8"),
  runtime: readFileSync(dist("guest.js"), "utf8"),
});
const cachedCode = CACHED_CODE.map((name) => ({
  ...{ name, ...lazyFunction(name, readFileSync(dist(`lazy-code/${name}.js`), "utf8")) },
  out: dist(`lazy-code/${name}.cache`),
}));
execFileSync(process.execPath, [NO_OWN_SNAPSHOT, ...V8_FLAGS, "--no-warnings", here("code-cache.mjs")], {
  input: JSON.stringify({ ...guest, out: caches, lazy: cachedCode }),
  stdio: ["pipe", "inherit", "inherit"],
});

const options = {
  outdir,
  bundle: true,
  metafile: true,
  platform: "neutral",
  mainFields: ["browser", "module", "main"],
  format: "esm",
  target: "es2024",
  external: ["unenv/*", "typebox"],
  logLevel: "warning",
};

rmSync(outdir, { recursive: true, force: true });
// Most hooks of interceptors use none of the guards.
const guards = await build({
  ...options,
  entryPoints: { [GUARDS]: here("guest/interceptors/guards.ts") },
  minify: true,
});
/** `node:path` for the few that look for patterns: a library, of which no part is left out. */
const PATTERNS = "path-globs";
const patterns = await build({
  ...options,
  ...minified,
  entryPoints: { [PATTERNS]: `${folder}${PATTERNS}.ts` },
});
const modules = await build({
  ...options,
  entryPoints: folders.flatMap((from) =>
    readdirSync(from).flatMap((name) =>
      name.startsWith("pi-") || name === `${PATTERNS}.ts` || !name.endsWith(".ts") ? [] : [from + name],
    ),
  ),
  outbase: here("guest"),
  entryNames: "[name]",
  chunkNames: `${PART}[hash]`,
  splitting: true,
  // With the spaces, esbuild would drop the marks by which the hook's build leaves out what nobody uses.
  legalComments: "none",
  // These stay external: the hook's build decides what to leave out of them, since it knows which parts the hook
  // uses.
  plugins: [
    plugin(/^\.\/fs-api\.ts$/, (path) => ({
      path: path.replace(/ts$/, "js"),
      external: true,
    })),
    plugin(/^\.\/guards\.ts$/, () => ({ path: `./${GUARDS}.js`, external: true })),
  ],
});
writeParts(outdir, "globals");
// A part that is imported and not used is left out.
writeFileSync(resolve(outdir, "package.json"), '{ "sideEffects": false }\n');
const ofPi = await buildPiModules(outdir);

const results = [...ours, ...lazyCode, guards, patterns, modules];
const imported = results.flatMap(({ metafile }) =>
  Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path)),
);
const copied = await buildOffered(new Set(imported.filter((path) => path.startsWith("unenv/"))));

const bundled = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
const licences = here("../dist/LICENCES.md");
rmSync(licences, { force: true });
addLicences(licences, [...[...bundled, ...copied].map((path) => resolve(path)), ...ofPi]);
