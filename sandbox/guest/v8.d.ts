/** Functions of V8 that the types of ES2024 lack. */
interface Uint8Array {
  toBase64(options?: { alphabet: string; omitPadding: boolean }): string;
  toHex(): string;
}
interface Uint8ArrayConstructor {
  fromBase64(text: string, options?: { alphabet: string }): Uint8Array<ArrayBuffer>;
  fromHex(text: string): Uint8Array<ArrayBuffer>;
}
interface ErrorConstructor {
  isError(value: unknown): value is Error;
}
