import { join } from "node:path";
import { writeFiles } from "../support/session.ts";
import { answering } from "./hook-folder.ts";

/** The content of every file outside the hook's folder, which must never appear in a bundle. */
export const MARKER = "the-marker-of-a-file-outside";

export interface WayOut {
  name: string;
  /** Files of the hook's folder; `OUTSIDE` in them is the absolute path of the folder outside. */
  files: Record<string, string>;
  /** Makes links and the like. */
  prepare?(hook: string, outside: string): void;
  entry?: string;
  /** `refused`: `IMPORT_REFUSED`. `failed`: the hook's folder has no such file, or it throws as it loads. `harmless`: it runs and gets nothing. */
  expected: "refused" | "failed" | "harmless";
}

/** Files outside: in a folder beside the hook's, in a folder with a similar name, and in the parent. */
export function writeSecrets(folder: string): void {
  const secret = JSON.stringify({ secret: MARKER });
  const module = `export const secret = "${MARKER}"; export default secret;\n`;
  const files = {
    "secret.json": secret,
    "secret.ts": module,
    "secret.js": module,
    "secret.txt": MARKER,
    "no-extension": module,
    "a.json": secret,
    "secret.css": `.x { content: "${MARKER}" }`,
    "secret.js.map": JSON.stringify({
      version: 3,
      sources: [`${MARKER}.ts`],
      sourcesContent: [MARKER],
      mappings: "AAAA",
      names: [MARKER],
    }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { jsxFactory: "h", paths: { "secret-module": ["./secret.ts"] } },
    }),
    "package/package.json": JSON.stringify({ name: "package", main: "index.js", description: MARKER }),
    "package/index.js": module,
    "jsx-runtime.js": `export const jsx = () => "${MARKER}";`,
  };
  writeFiles(join(folder, "outside"), files);
  writeFiles(join(folder, "hook-beside"), files);
  writeFiles(folder, {
    "secret.json": secret,
    "secret.ts": module,
    "node_modules/above/index.js": module,
    "package.json": JSON.stringify({ imports: { "#above": "./secret.json" } }),
  });
}

/** A hook that returns the `secret` it imported. */
export const using = (
  top: string,
  expression = "Object(typeof secret === 'undefined' ? 0 : secret)",
): Record<string, string> => ({ "index.ts": answering(`JSON.stringify(${expression})`, top) });
export const refused = (
  name: string,
  files: Record<string, string>,
  prepare?: WayOut["prepare"],
  entry?: string,
): WayOut => ({
  name,
  files,
  prepare,
  entry,
  expected: "refused",
});

/** A hook that returns what an expression resolves to. */
export const lazily = (expression: string): Record<string, string> => ({
  "index.ts": answering(
    `(async () => ${expression})().then((m) => JSON.stringify(m), String)`,
    "const pick = (x: string): string => [x][Math.floor(Math.random())]!;",
  ),
});
