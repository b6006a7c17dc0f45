import { createRequire } from "node:module";
import type { OnLoadResult } from "esbuild";
import { REFUSED } from "./refused-modules.ts";

const require = createRequire(import.meta.url);

/**
 * A built-in that no hook can have, for a library: many name one at their beginning and never need it. Its functions and
 * classes throw when they are used, and say why; its numbers and texts are Node's own.
 */
export function unusable(name: string, reason: string): OnLoadResult {
  const lines = Object.entries(membersOf(name)).map(
    ([member, value]) =>
      `${JSON.stringify(member)}: ${plain(value) ?? (IDLE.has(member) ? "() => {}" : `refuse(${JSON.stringify(member)})`)},`,
  );
  const contents = `const refuse = (member) => function () {
  throw Object.assign(new Error(${JSON.stringify(reason)} + "; used for its " + member), { code: ${JSON.stringify(REFUSED)} });
};
module.exports = {
${lines.join("\n")}
};`;
  return { contents, loader: "js" };
}

/** What `worker_threads` would do to values that are sent to other threads: libraries call these as they load, and there is nothing to do. */
const IDLE = new Set(["markAsUncloneable", "markAsUntransferable"]);

/** A value without functions, as JSON; `undefined` for any other. */
function plain(value: unknown): string | undefined {
  if (value === null || typeof value === "number" || typeof value === "string" || typeof value === "boolean")
    return JSON.stringify(value);
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  return Object.values(value).every((one) => plain(one) !== undefined) ? JSON.stringify(value) : undefined;
}

function membersOf(name: string): object {
  try {
    return require(name) as object;
  } catch {
    // This Node has none either.
    return {};
  }
}

/** Whether a source requires a module where it catches the failure. */
export const isTried = (name: string, source: string): boolean =>
  source
    .split(/\btry\s{0,9}\{/)
    .slice(1)
    .some((part) => {
      const [tried = ""] = part.slice(0, MOST).split("}", 1);
      return [`require("${name}")`, `require('${name}')`].some((call) => tried.includes(call));
    });
const MOST = 500;
