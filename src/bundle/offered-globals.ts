import { isBuiltin } from "node:module";
import { guest, partsOf } from "./offered-modules.ts";

const GLOBALS =
  `Atomics Blob Buffer ByteLengthQueuingStrategy CountQueuingStrategy File FinalizationRegistry FormData Headers
  ReadableStream ReadableStreamBYOBReader ReadableStreamDefaultReader Request Response
  SharedArrayBuffer TextDecoderStream TextEncoderStream TransformStream WeakRef WebSocket
  WritableStream WritableStreamDefaultWriter fetch process`.split(/\s+/);

/** Those of Node's globals that are no members of the global object: by the expressions that ask for them there. */
export const GLOBAL_MEMBERS: Readonly<Record<string, string>> = Object.fromEntries(
  GLOBALS.flatMap((name) => ["globalThis", "global"].map((owner) => [`${owner}.${name}`, `__cordon${name}`])),
);

/** The module that replaces globals of Node. It has each name twice, as a global and as a member. Its code is large. */
export const globalsModule = (): string => guest("globals");

const namesOfParts = (): string[] => [...(partsOf(globalsModule())?.keys() ?? [])];

/** In place of a part that is not wanted yet. esbuild leaves it out where no code uses the global. */
const markOf = (name: string): string => `cordon: ${name} of Node is not in this bundle yet`;

/** The exports of {@link globalsModule} beside those that are wanted. */
export const marksOfGlobals = (wanted: readonly string[]): string =>
  namesOfParts()
    .filter((name) => !wanted.includes(name))
    .map((name, at) => `var mark${at} = ${JSON.stringify(markOf(name))};\nexport { mark${at} as ${name} };\n`)
    .join("");

/** The parts of {@link globalsModule} that a bundle was built without, and uses. */
export const namedGlobals = (code: string): string[] => namesOfParts().filter((name) => code.includes(markOf(name)));

const LIKELY = new RegExp(`\\b(?:${GLOBALS.join("|")})\\b`, "g");
/** Modules that ask for the current folder, or for variables of the environment. */
const OF_PROCESS = /^(node:)?(path|url|assert)(\/|$)/;
const SPECIFIER = /["'`]([\w:/]+)["'`]/g;

/**
 * The parts of {@link globalsModule} that a hook with this text most likely uses, so that it is built once. They depend on the
 * text alone: the same sources are the same bundle.
 */
export function likelyGlobals(source: string): Set<string> {
  const named = new Set(Array.from(source.matchAll(LIKELY), ([name]) => name));
  const builtins = Array.from(source.matchAll(SPECIFIER), ([, specifier]) => specifier as string).filter(isBuiltin);
  const isWithOthers = builtins.length > 0 || [...named].some((name) => name !== "process");
  return new Set(
    [
      ...named,
      // Most of Cordon's own modules use these.
      ...(isWithOthers ? ["SharedArrayBuffer", "__cordonBuffer"] : []),
      ...(builtins.some((specifier) => OF_PROCESS.test(specifier)) ? ["process"] : []),
    ].sort(),
  );
}
