/** Built-in modules that only compute: hooks get those of unenv. */
export const PURE_MODULES: readonly string[] = [
  "path",
  "path/posix",
  "path/win32",
  "assert",
  "assert/strict",
  "querystring",
  "punycode",
  "diagnostics_channel",
];
