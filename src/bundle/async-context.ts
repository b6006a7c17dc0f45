import { resolve } from "node:path";
import type { Token } from "acorn";
import { type Metafile, transform } from "esbuild";
import { attemptOr } from "../base/attempt.ts";
import { ownModule } from "./offered-modules.ts";

/** Whether code of `node:async_hooks` is in the bundle. */
export const usesAsyncHooks = ({ outputs }: Metafile, root: string): boolean =>
  Object.values(outputs).some(({ inputs }) =>
    Object.entries(inputs).some(
      ([path, { bytesInOutput }]) => bytesInOutput > 0 && resolve(root, path) === ownModule("async_hooks"),
    ),
  );

/** A bundle, and its source map as JSON text. */
interface Built {
  readonly code: string;
  readonly map: string;
}

/** Tells the realm before any code runs: streams that such a bundle loads have to carry the frame on, too. */
export const FOLLOW_FRAMES = 'globalThis[Symbol.for("cordon.host")].asyncFrames.follow();';

const WITHOUT_ASYNC = { "async-await": false, "async-generator": false, "for-await": false };

/** How libraries reach the prototypes of async iterators. As a generator it would have others. */
const EMPTY_ASYNC_GENERATOR = /\basync function\s*\*\s*\(\)\s*\{\s*\}/g;
const NATIVE = 'globalThis[Symbol.for("cordon.host")].asyncGenerator';

/**
 * esbuild's helper returns a second time when an `await` in a `finally` block is over, and skips the rest of the block. Only
 * `yield*` needs that.
 */
const AWAIT_IN_FINALLY = 'resume(k === "return" ? k : "next"';
const AWAIT_IN_FINALLY_MENDED = 'resume(k === "return" && v[1] ? k : "next"';

/** Texts and comments may have the same words: only what the parser takes for code is replaced. */
async function withNativeGenerator(code: string): Promise<string> {
  if (code.search(EMPTY_ASYNC_GENERATOR) < 0) return code;
  const { parse, tokTypes } = await import("acorn");
  const starts = new Set<number>();
  const onToken = ({ start, type }: Token): void => void (type === tokTypes.name && starts.add(start));
  // What the parser does not know yet is rarer than such words in a text.
  const isParsed = attemptOr(() => parse(code, { ecmaVersion: "latest", sourceType: "module", onToken }), undefined);
  return code.replace(EMPTY_ASYNC_GENERATOR, (found, at: number) =>
    isParsed === undefined || starts.has(at) ? NATIVE + "\n".repeat(found.split("\n").length - 1) : found,
  );
}

/**
 * Replaces the async functions of a bundle by generators and calls of `then`, which `node:async_hooks` follows. V8 follows
 * native ones only for its embedder. `banner`: a line of code that comes first.
 */
export async function withoutAsync({ code, map }: Built, banner = ""): Promise<Built> {
  const native = await withNativeGenerator(code);
  const inline = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`;
  const lowered = await transform(`${native}\n${inline}\n`, {
    format: "esm",
    target: "es2024",
    supported: WITHOUT_ASYNC,
    ...(banner === "" ? {} : { banner }),
    sourcemap: "external",
    sourcesContent: false,
    legalComments: "none",
    charset: "utf8",
    logLevel: "silent",
  });
  return { code: lowered.code.replaceAll(AWAIT_IN_FINALLY, AWAIT_IN_FINALLY_MENDED), map: lowered.map };
}
