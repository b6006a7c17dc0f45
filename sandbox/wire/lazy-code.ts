/**
 * Code that the sandbox process evaluates in a hook's realm when the hook first needs it. It keeps a file of each open, and reads
 * that then.
 */

/**
 * Large globals that hooks seldom use, by the files of `guest/realm/polyfills` that define them. All together they take 16 ms.
 * `web-crypto` defines `crypto.subtle`, too.
 */
export const POLYFILLS = {
  base64: ["atob", "btoa"],
  clone: ["structuredClone"],
  text: ["TextDecoder", "TextEncoder"],
  url: ["URL", "URLSearchParams"],
  "web-crypto": ["CryptoKey", "SubtleCrypto"],
} as const;

export type Polyfill = keyof typeof POLYFILLS;

/**
 * Large libraries that modules in bundles use, by the files of `guest/libraries`. `streams-in-frames` are the streams for a bundle with
 * `node:async_hooks`, which follows no native `await`.
 */
export const LIBRARIES = ["aes", "brotli", "streams", "streams-in-frames", "typebox", "web-streams", "zlib"] as const;

export type Library = (typeof LIBRARIES)[number];

export type LazyCode = Polyfill | Library;
