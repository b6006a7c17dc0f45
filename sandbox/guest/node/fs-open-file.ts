/**
 * An open file over the hook's `fs` power. It is a path, which is asked for again at each use: a file that is renamed or
 * removed while it is open is not found any more. What is not added to the end is written by replacing the file.
 */
import { Buffer } from "./buffer.ts";
import { badNumber, fault, wrongType } from "./fault.ts";
import type { Opening } from "./fs-flags.ts";
import { PLANS, type Plan, plan } from "./fs-plans.ts";
import type { Steps } from "./fs-steps.ts";
import { bytesOf, fromBase64Text, MAX_BYTES } from "./wire-data.ts";

/** Most bytes that are read at once. */
const PART = 1024 * 1024;

const part = (path: string, from: number, length: number): Plan<unknown> =>
  plan("fs.read", [path, "base64", from, length], "read", (answer) =>
    "text" in answer ? Buffer.from(answer.text) : fromBase64Text(answer.base64),
  );

/** An open file, which goes on where the last read or write without a position ended. */
export class OpenFile {
  readonly path: string;
  position = 0;
  readonly #opening: Opening;
  /** What is in a file that this opening emptied or made: it need not be read to be changed. */
  #content: Uint8Array | undefined;

  constructor(path: string, opening: Opening, content: Uint8Array | undefined) {
    this.path = path;
    this.#opening = opening;
    this.#content = content;
  }

  /** Reads into `target`; without a position, on from where the last read ended. Resolves with how many bytes there were. */
  *read(target: Uint8Array, position: number | null): Steps<number> {
    if (!this.#opening.reads) throw badNumber("read");
    const from = position ?? this.position;
    let filled = 0;
    while (filled < target.length) {
      const wanted = Math.min(PART, target.length - filled);
      const bytes = (yield part(this.path, from + filled, wanted)) as Uint8Array;
      target.set(bytes, filled);
      filled += bytes.length;
      if (bytes.length < wanted) break;
    }
    if (position === null) this.position = from + filled;
    return filled;
  }

  /** The file from its position on. */
  *readRest(): Steps<Buffer> {
    const parts: Uint8Array[] = [];
    for (;;) {
      const target = new Uint8Array(PART);
      const count = yield* this.read(target, null);
      parts.push(target.subarray(0, count));
      if (count < PART) return Buffer.concat(parts);
      if (parts.length * PART > MAX_BYTES)
        throw fault(Error, "EFBIG", `EFBIG: more than a hook handles at once (${MAX_BYTES}), '${this.path}'`);
    }
  }

  /** Writes; without a position, on from where the last write ended. Resolves with how many bytes were written. */
  *write(data: Uint8Array, position: number | null): Steps<number> {
    if (!this.#opening.writes) throw badNumber("write");
    const at = position ?? this.position;
    if (this.#opening.appends) yield PLANS.appendFile(this.path, data);
    else if (this.#content && at === this.#content.length) {
      yield PLANS.appendFile(this.path, data);
      this.#content = joined(this.#content, data, at);
    } else yield* this.#change((old) => joined(old, data, at));
    if (position === null) this.position = at + data.length;
    return data.length;
  }

  *truncate(to: unknown): Steps<void> {
    const length = typeof to === "number" ? Math.max(0, to) : 0;
    if (!this.#opening.writes)
      throw fault(Error, "EINVAL", "EINVAL: invalid argument, ftruncate", { errno: -22, syscall: "ftruncate" });
    yield* this.#change((old) =>
      joined(old.subarray(0, length), new Uint8Array(Math.max(0, length - old.length)), Math.min(length, old.length)),
    );
  }

  *#change(changed: (old: Uint8Array) => Uint8Array): Steps<void> {
    const old = this.#content ?? ((yield PLANS.readFile(this.path)) as Uint8Array);
    const fresh = changed(old);
    yield PLANS.writeFile(this.path, fresh);
    if (this.#content) this.#content = fresh;
  }
}

function joined(old: Uint8Array, data: Uint8Array, at: number): Uint8Array {
  const length = Math.max(old.length, at + data.length);
  if (length > MAX_BYTES)
    throw fault(Error, "EFBIG", `EFBIG: ${length} bytes are more than a hook handles at once (${MAX_BYTES})`);
  const whole = new Uint8Array(length);
  whole.set(old);
  whole.set(data, at);
  return whole;
}

/** The bytes of what a call writes. `argument`: its name in Node's error. */
export function dataOf(data: unknown, encoding: unknown, argument = "buffer"): Uint8Array {
  const bytes = data instanceof ArrayBuffer ? undefined : bytesOf(data, encoding as string | undefined);
  if (!bytes) throw wrongType(argument, "of type string or an instance of Buffer, TypedArray, or DataView");
  return bytes;
}
