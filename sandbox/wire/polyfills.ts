/**
 * Large globals that hooks seldom use, by the files of `guest/realm/polyfills` that define them. The sandbox process keeps their
 * texts. An isolate compiles one when it first reads one of its globals: all of them would take as long as ten hooks without them.
 */
export const POLYFILLS = {
  base64: ["atob", "btoa"],
  clone: ["structuredClone"],
  text: ["TextDecoder", "TextEncoder"],
  url: ["URL", "URLSearchParams"],
} as const;

export type Polyfill = keyof typeof POLYFILLS;
