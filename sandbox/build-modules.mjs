/** Builds the guest's modules (`sandbox/guest/modules`) into `dist/sandbox/modules`, one file each, with what they share beside them. */
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = here("guest/modules/");
const outdir = here("../dist/sandbox/modules");

/** What `readable-stream` takes from npm, as the guest's own modules have it already. */
const OWN = new Map([
  ["abort-controller", "abort-controller.ts"],
  ["buffer", "buffer.ts"],
  ["events", "emitter.ts"],
  ["process/", "process.ts"],
]);

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: readdirSync(folder).map((name) => folder + name),
  outdir,
  bundle: true,
  splitting: true,
  platform: "neutral",
  mainFields: ["browser", "module", "main"],
  format: "esm",
  target: "es2024",
  external: ["unenv/*"],
  logLevel: "warning",
  plugins: [
    {
      name: "own-modules",
      setup: ({ onResolve }) =>
        onResolve({ filter: /^(abort-controller|buffer|events|process\/)$/ }, ({ path }) => ({
          path: folder + OWN.get(path),
        })),
    },
  ],
});
