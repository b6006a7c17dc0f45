import type { RealmHost } from "../realm-host.ts";

const INTEGERS = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  BigUint64Array,
];

/**
 * `crypto`. The random bytes come from the sandbox process.
 *
 * @param subtle makes what is large, when it is first read
 */
export function makeCrypto({ random }: Pick<RealmHost, "random">, subtle: () => unknown): object {
  const fill = (bytes: Uint8Array): void => {
    const hex = random(bytes.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  };
  return Object.freeze({
    get subtle(): unknown {
      return subtle();
    },
    getRandomValues<T extends ArrayBufferView>(array: T): T {
      if (!INTEGERS.some((kind) => array instanceof kind))
        throw new TypeError("getRandomValues takes an integer typed array");
      if (array.byteLength > 65536) throw new RangeError("getRandomValues gives at most 65536 bytes");
      fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
      return array;
    },
    randomUUID(): string {
      const bytes = new Uint8Array(16);
      fill(bytes);
      bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
      bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
      const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
    },
  });
}
