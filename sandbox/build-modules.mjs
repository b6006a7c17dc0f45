/** Builds the guest's modules (`sandbox/guest/node`, and `agents` for the packages of agents) into `dist/sandbox/modules`, one file each, with what they share beside them. */
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = here("guest/node/");
const folders = [folder, here("guest/agents/")];
const outdir = here("../dist/sandbox/modules");
const STREAM = "stream-load.ts";

/** What `readable-stream` takes from npm, as the guest's own modules have it already. */
const OWN = new Map([
  ["abort-controller", "abort-controller.ts"],
  ["buffer", "buffer.ts"],
  ["events", "emitter.ts"],
  ["process/", "stream-process.ts"],
]);

const options = {
  outdir,
  bundle: true,
  platform: "neutral",
  mainFields: ["browser", "module", "main"],
  format: "esm",
  target: "es2024",
  external: ["unenv/*"],
  logLevel: "warning",
};

const plugin = (filter, resolve) => ({
  name: "own-modules",
  setup: ({ onResolve }) =>
    onResolve({ filter }, ({ path, importer }) => (importer === "" ? undefined : resolve(path))),
});

rmSync(outdir, { recursive: true, force: true });
// By itself: what is required by a package of the old kind is evaluated whenever it is bundled, and so would be whatever it
// shares with the other modules.
await build({
  ...options,
  entryPoints: [folder + STREAM],
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [plugin(/^(abort-controller|buffer|events|process\/)$/, (path) => ({ path: folder + OWN.get(path) }))],
});
await build({
  ...options,
  entryPoints: folders.flatMap((from) =>
    readdirSync(from).flatMap((name) => (name === STREAM || !name.endsWith(".ts") ? [] : [from + name])),
  ),
  outbase: here("guest"),
  entryNames: "[name]",
  splitting: true,
  // What is left out of these is the hook's build to say, which knows what of them is used.
  plugins: [plugin(/^\.\/(stream-load|fs-api)\.ts$/, (path) => ({ path: path.replace(/ts$/, "js"), external: true }))],
});
