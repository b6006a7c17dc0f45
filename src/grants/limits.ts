import { type Algebra, flag, record, scale } from "../powers/algebra.ts";
import type { Limits } from "./schema.ts";

/** What every hook gets without a grant. */
export const USUAL_LIMITS = { memoryMb: 64, cpuMs: 1000 } as const;

const amount = scale<number>((narrow, wide) => narrow <= wide);

/** Compares limits that go beyond the usual ones, as powers are compared. */
export const limitsOf: Algebra<Limits> = record<Limits>({
  memoryMb: amount,
  cpuMs: amount,
  jit: flag,
  eval: flag,
  wasm: flag,
});

/** The limits that go beyond the usual ones: a person has to grant these. `undefined` if none does. */
export const widerLimits = (limits: Limits | undefined): Limits | undefined => limitsOf.minus(limits, USUAL_LIMITS);

/**
 * The limits that a newer version of a hook keeps: of those beyond the usual ones, what it still asks for. A hook without a
 * manifest asks for nothing in advance, and keeps all that a person granted.
 */
export function limitsStillAsked(limits: Limits, manifest: { limits?: Limits } | undefined): Limits {
  return manifest
    ? { ...tighter(limits), ...limitsOf.meet(widerLimits(limits), widerLimits(manifest.limits)) }
    : limits;
}

/** The limits of a grant that go beyond the usual ones. */
export const liftedIn = ({ memoryMb, cpuMs, jit, eval: evaluates, wasm }: Required<Limits>): Limits | undefined =>
  widerLimits({ memoryMb, cpuMs, jit, eval: evaluates, wasm });

/** The limits without those that go beyond the usual ones. */
export function tighter(limits: Limits): Limits {
  const wider = widerLimits(limits) ?? {};
  return Object.fromEntries(Object.entries(limits).filter(([name]) => !Object.hasOwn(wider, name)));
}

/** Memory is limited from outside where the machine code of V8 can be told from its data. */
const HOLDS_WITH_JIT = process.platform === "linux" && process.arch === "x64";

/** What a person should know before they grant these limits. Each text ends a sentence about the hook. */
export function dangersOfLimits(limits: Limits): string[] {
  const { memoryMb, cpuMs, jit, eval: evaluates, wasm } = widerLimits(limits) ?? {};
  return [
    ...(wasm ? ["it runs WebAssembly"] : []),
    ...(jit || wasm
      ? [
          "it runs with V8's JIT, in which most of V8's known flaws were: the wall against native code is thinner",
          ...(HOLDS_WITH_JIT ? [] : ["on this machine no limit holds for its memory then"]),
        ]
      : []),
    ...(evaluates
      ? ["it runs code that it makes or fetches, which nobody reviewed and its digest does not cover"]
      : []),
    ...(memoryMb ? [`it may use ${memoryMb} MB of memory`] : []),
    ...(cpuMs ? [`it may hold up each event for ${cpuMs} ms of CPU time`] : []),
  ];
}
