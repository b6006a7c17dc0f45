import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { OnLoadResult } from "esbuild";
import { ALL } from "./asked-names.ts";
import { globalsModule, marksOfGlobals } from "./offered-globals.ts";
import { isAgentModule, type Parts, partsOf } from "./offered-modules.ts";
import { whyLacking } from "./pi-lacking.ts";
import { isStatic, stubOf } from "./stubs.ts";

/**
 * A module of Cordon's: whole, or of its parts those that are wanted. Each wanted name that it lacks is a function or class that
 * throws an error with its name.
 *
 * @param specifierOf how the hook imports a name
 */
export function offeredContents(
  path: string,
  names: ReadonlySet<string> | undefined,
  specifierOf: (name: string) => string = () => "",
): OnLoadResult | undefined {
  const parts = partsOf(path);
  if (!names && !parts) return undefined;
  const wanted = [...(names ?? [])].filter((name) => name !== ALL);
  const has = parts && !names?.has(ALL) ? partial(wanted, parts) : readFileSync(path, "utf8");
  const stubs = wanted.flatMap((name) => {
    if (parts?.has(name) || isStatic(name)) return [];
    const specifier = specifierOf(name);
    const why = isAgentModule(specifier) ? whyLacking(name, specifier) : undefined;
    const text = `${name} of ${specifier} is not offered to hooks${why === undefined ? "" : `: ${why}`}`;
    return stubOf(name, text, wanted);
  });
  const marks = path === globalsModule() ? marksOfGlobals(wanted) : "";
  return { contents: `${has}\nexport {};\n${marks}${stubs.join("\n")}\n`, loader: "js", resolveDir: dirname(path) };
}

const partial = (names: readonly string[], parts: Parts): string =>
  names
    .map((name) => {
      const [file, exported] = parts.get(name) ?? [];
      return file === undefined ? "" : `export { ${exported} as ${name} } from ${JSON.stringify(file)};`;
    })
    .join("\n");
