import { isBuiltin } from "node:module";
import { build } from "esbuild";
import { partsOf } from "./offered-modules.ts";

/** The names that a hook can import from a module of Cordon's; of a built-in those of Node's, which a bundle may name. */
export async function offeredNames(file: string, specifier: string): Promise<string[]> {
  if (isBuiltin(specifier)) return Object.keys(process.getBuiltinModule(specifier) ?? {});
  const parts = partsOf(file);
  if (parts) return [...parts.keys()];
  const { metafile } = await build({
    entryPoints: [file],
    outfile: file,
    write: false,
    metafile: true,
    format: "esm",
    logLevel: "silent",
  });
  return Object.values(metafile.outputs).flatMap((output) => output.exports);
}
