import { resolve } from "node:path";
import type { Metafile } from "esbuild";
import { PART } from "../../sandbox/wire/part-files.ts";
import { built } from "../base/package-root.ts";
import { isInside } from "../runtime/find-program.ts";

/** Why a hook cannot import a {@link PART}, nor a file of its own that is called so. */
export const NO_PART = `import of "./${PART}..." is refused: such names are those of Cordon's own files`;

/** The file of a hook's that imports what only Cordon's own files may, by such a name or by a pattern that leads there. */
export function asksForPart({ inputs }: Metafile, root: string): string | undefined {
  const [parts, named] = [built("modules", PART), `./${PART}`];
  return Object.keys(inputs).find(
    (path) =>
      !isInside(resolve(root, path), built("modules")) &&
      inputs[path]?.imports.some(
        (imported) => imported.original?.startsWith(named) || resolve(root, imported.path).startsWith(parts),
      ),
  );
}
