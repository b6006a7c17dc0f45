/** The flags of `open`, as text or as a number of Linux. */
import { fault } from "./fault.ts";

export const O = /* @__PURE__ */ Object.freeze({
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_NOCTTY: 0o400,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
  O_NONBLOCK: 0o4000,
  O_DSYNC: 0o10000,
  O_DIRECTORY: 0o200000,
  O_NOFOLLOW: 0o400000,
  O_CLOEXEC: 0o2000000,
  O_SYNC: 0o4010000,
});

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = O;
const WORDS: ReadonlyMap<string, number> = /* @__PURE__ */ new Map([
  ["r", 0],
  ["r+", O_RDWR],
  ["w", O_WRONLY | O_CREAT | O_TRUNC],
  ["w+", O_RDWR | O_CREAT | O_TRUNC],
  ["a", O_WRONLY | O_CREAT | O_APPEND],
  ["a+", O_RDWR | O_CREAT | O_APPEND],
]);

/** How a file is opened. */
export interface Opening {
  reads: boolean;
  writes: boolean;
  appends: boolean;
  creates: boolean;
  /** It must not be there yet. */
  isNew: boolean;
  empties: boolean;
  followsNoLink: boolean;
  isFolder: boolean;
}

export function openingOf(flags: unknown): Opening {
  const bits = typeof flags === "number" ? flags : bitsOf(flags);
  const has = (bit: number): boolean => (bits & bit) !== 0;
  return {
    reads: !has(O_WRONLY),
    writes: has(O_WRONLY | O_RDWR),
    appends: has(O_APPEND),
    creates: has(O_CREAT),
    isNew: has(O_CREAT) && has(O_EXCL),
    empties: has(O_TRUNC),
    followsNoLink: has(O.O_NOFOLLOW),
    isFolder: has(O.O_DIRECTORY),
  };
}

/** `x`: it must be new. `s`: written through, which makes no difference here. */
function bitsOf(flags: unknown): number {
  const text = String(flags ?? "r");
  const bits = WORDS.get(text.replace(/[xs]/, ""));
  if (bits === undefined || (text.includes("x") && !/^[wa]/.test(text)))
    throw fault(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'flags' is invalid. Received '${text}'`);
  return text.includes("x") ? bits | O_EXCL : bits;
}
