import type { ErrorCode } from "../base/errors.ts";
import type { Limits } from "../grants/schema.ts";
import type { Hook } from "./hook.ts";

/** V8's words for a global that is not there, and Cordon's for code from strings. A hook can say the same: then it asks by that. */
const NO_WASM = /\bWebAssembly is not defined\b/;
const NO_EVAL = /\blimits\.eval turns it on\b/;

/** The limit that an error of a hook comes from, and the value that it needs or asks for; `undefined` if from none. */
export function lackedLimit(
  { trusted, grant, manifest }: Pick<Hook, "trusted" | "grant" | "manifest">,
  { code, message }: { code: ErrorCode; message: string },
): Limits | undefined {
  if (trusted || code === "NOT_GRANTED") return undefined;
  if (!grant.wasm && NO_WASM.test(message)) return { wasm: true };
  if (!grant.eval && NO_EVAL.test(message)) return { eval: true };
  const { memoryMb = 0, cpuMs = 0 } = manifest?.limits ?? {};
  if (code === "OUT_OF_MEMORY" && memoryMb > grant.memoryMb) return { memoryMb };
  return code === "CPU_EXCEEDED" && cpuMs > grant.cpuMs ? { cpuMs } : undefined;
}
