import type { MakesExports } from "./realm-host.ts";

/**
 * What lazy code exports. The build shortened the names of its functions: each gets the one under which it is exported, or that
 * of a member of what is exported alone.
 */
export function exportsOf(make: MakesExports, given?: object): ReturnType<MakesExports> {
  const exports = make(given);
  const [first, ...more] = Object.keys(exports);
  const all = first === "default" && more.length === 0 ? Object(exports.default) : exports;
  for (const [name, value] of Object.entries(all))
    if (typeof value === "function") Object.defineProperty(value, "name", { value: name });
  return exports;
}
