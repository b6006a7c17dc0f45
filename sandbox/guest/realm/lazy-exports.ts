import type { MakesExports } from "./realm-host.ts";

/**
 * What lazy code exports. The build shortened the names of its functions: each gets the one under which it is exported, by itself or
 * as a member of the default export.
 */
export function exportsOf(make: MakesExports, given?: object): ReturnType<MakesExports> {
  const exports = make(given);
  for (const [name, value] of [...Object.entries(exports), ...Object.entries(Object(exports.default))])
    if (typeof value === "function" && name !== "default") Object.defineProperty(value, "name", { value: name });
  return exports;
}
