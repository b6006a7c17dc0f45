/**
 * `SharedArrayBuffer` and `Atomics` for code that uses them alone, mostly to sleep between two tries of a lock. A hook is one
 * thread, which shares its memory with nobody: then both are plain reads and writes of memory of its own.
 */
import { unavailable } from "./fault.ts";

// biome-ignore lint/suspicious/noShadowRestrictedNames: it stands in for that one
class SharedArrayBuffer extends ArrayBuffer {
  /** Only a buffer that this class made has it. */
  readonly #isShared = true;

  override get byteLength(): number {
    void this.#isShared;
    return super.byteLength;
  }

  get growable(): boolean {
    void this.#isShared;
    return super.resizable;
  }

  override get maxByteLength(): number {
    void this.#isShared;
    return super.maxByteLength;
  }

  grow(bytes: number): void {
    if (!this.growable)
      throw new TypeError(
        "Method SharedArrayBuffer.prototype.grow called on incompatible receiver #<SharedArrayBuffer>",
      );
    if (!(Math.trunc(Number(bytes)) >= this.byteLength))
      throw new RangeError("SharedArrayBuffer.prototype.grow: Invalid length parameter");
    super.resize(bytes);
  }

  // TypeScript allows this type to be named `ArrayBuffer` alone.
  override get [Symbol.toStringTag]() {
    return "SharedArrayBuffer" as "ArrayBuffer";
  }
}

type Cells = { [index: number]: number | bigint; readonly length: number; readonly buffer: ArrayBufferLike };
type Value = number | bigint;

function cellsOf(value: unknown, index: unknown): [cells: Cells, at: number] {
  const isOfIntegers =
    ArrayBuffer.isView(value) && /^\[object (Big)?(Int|Uint)\d+Array\]$/.test(Object.prototype.toString.call(value));
  if (!isOfIntegers) throw new TypeError("[object Object] is not an integer typed array.");
  const cells = value as unknown as Cells;
  const at = Math.trunc(Number(index)) || 0;
  if (at < 0 || at >= cells.length) throw new RangeError("Invalid atomic access index");
  return [cells, at];
}

/** One step that nothing can come between. Returns the value from before. */
const changing =
  (next: (old: never, given: never) => Value) =>
  (array: unknown, index: unknown, given: Value): Value => {
    const [cells, at] = cellsOf(array, index);
    const old = cells[at] as Value;
    cells[at] = next(old as never, given as never);
    return old;
  };

const sum = (old: number, given: number): number => old + given;
const difference = (old: number, given: number): number => old - given;

/** Waits while a cell has the value. Nobody can wake it: it returns after the time, which counts as the hook's own. */
function wait(array: unknown, index: unknown, value: Value, timeoutMs?: unknown): "not-equal" | "timed-out" {
  const [cells, at] = cellsOf(array, index);
  const waits = Object.prototype.toString.call(cells);
  if (!/^\[object (Int32|BigInt64)Array\]$/.test(waits) || !(cells.buffer instanceof SharedArrayBuffer))
    throw new TypeError(`${waits} is not an int32 or BigInt64 typed array of shared memory.`);
  if (cells[at] !== value) return "not-equal";
  const given = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Number(timeoutMs);
  const ms = Number.isNaN(given) ? Number.POSITIVE_INFINITY : Math.max(0, given);
  if (ms === Number.POSITIVE_INFINITY)
    throw unavailable("Atomics.wait without a time never ends: a hook shares its memory with nobody");
  for (const end = Date.now() + ms; Date.now() < end; );
  return "timed-out";
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: it stands in for that one
const Atomics = /* @__PURE__ */ Object.freeze({
  load(array: unknown, index: unknown): Value {
    const [cells, at] = cellsOf(array, index);
    return cells[at] as Value;
  },
  store(array: unknown, index: unknown, value: Value): Value {
    const [cells, at] = cellsOf(array, index);
    cells[at] = value;
    return typeof value === "bigint" ? value : Math.trunc(Number(value)) || 0;
  },
  add: /* @__PURE__ */ changing(sum),
  sub: /* @__PURE__ */ changing(difference),
  and: /* @__PURE__ */ changing((old: number, given: number) => old & given),
  or: /* @__PURE__ */ changing((old: number, given: number) => old | given),
  xor: /* @__PURE__ */ changing((old: number, given: number) => old ^ given),
  exchange: /* @__PURE__ */ changing((_old: number, given: number) => given),
  compareExchange(array: unknown, index: unknown, expected: Value, next: Value): Value {
    const [cells, at] = cellsOf(array, index);
    const old = cells[at] as Value;
    if (old === expected) cells[at] = next;
    return old;
  },
  isLockFree: (bytes: number): boolean => [1, 2, 4, 8].includes(bytes),
  notify: (): number => 0,
  wait,
  [Symbol.toStringTag]: "Atomics",
});

export { Atomics, SharedArrayBuffer };
