import { extname } from "node:path";
import type { Loader } from "esbuild";

const LOADERS: Record<string, Loader> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
  ".json": "json",
  ".txt": "text",
  ".md": "text",
};

/** How a file of a hook's is read, by its name; `undefined` for one that no bundle can have. */
export const loaderOf = (path: string): Loader | undefined => LOADERS[extname(path).toLowerCase()];

/**
 * esbuild reads the map that such a comment names, wherever it lies, and puts it into the bundle's own. The last comment
 * of a file counts, and this one cannot be decoded, which esbuild passes over.
 */
export function withoutSourceMap(source: string): string {
  return source.includes("sourceMappingURL=")
    ? `${source}\n//# sourceMappingURL=data:application/json;base64,!`
    : source;
}
