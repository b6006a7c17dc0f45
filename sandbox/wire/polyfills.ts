/**
 * Large globals that hooks seldom use, by the files of `guest/realm/polyfills` that define them. The sandbox process keeps their
 * texts, and makes the globals of one when a hook's realm first reads one of them. All together they take 16 ms.
 */
export const POLYFILLS = {
  base64: ["atob", "btoa"],
  clone: ["structuredClone"],
  text: ["TextDecoder", "TextEncoder"],
  url: ["URL", "URLSearchParams"],
} as const;

export type Polyfill = keyof typeof POLYFILLS;
