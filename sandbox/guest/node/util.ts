/** `node:util` of unenv, and functions that it lacks. A function that both lack throws an error with its name. */
import base from "unenv/node/util";
import { inspect as show } from "../realm/inspect.ts";
import { parseArgs } from "./util-parse-args.ts";
import { parseEnv } from "./util-parse-env.ts";
import { styleText } from "./util-style-text.ts";
import types from "./util-types.ts";
import { withMembers } from "./with-members.ts";

export * from "unenv/node/util";
export { parseArgs, parseEnv, styleText, types };

/** Formats a value on one line, as Node formats short values. */
export const inspect = Object.assign(
  (value: unknown, options?: { depth?: number | null }): string => show(value, options?.depth ?? 3),
  { custom: Symbol.for("nodejs.util.inspect.custom"), defaultOptions: {} },
);

const ESC = String.fromCharCode(0x1b);
const CSI = String.fromCharCode(0x9b);
const BEL = String.fromCharCode(0x07);

/** CSI, OSC and the other escape sequences of terminals. */
const ESCAPES = new RegExp(
  `[${ESC}${CSI}](?:\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)|[[\\]()#;?]*(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PR-TZcf-nq-uy=><~])`,
  "g",
);

export const stripVTControlCharacters = (text: string): string => String(text).replace(ESCAPES, "");
export const toUSVString = (text: string): string => String(text).toWellFormed();
export const _extend = Object.assign;

type Callback = (error: unknown, value?: unknown) => void;

export function callbackify(act: (...args: unknown[]) => Promise<unknown>): (...args: unknown[]) => void {
  return function (this: unknown, ...args) {
    const done = args.pop() as Callback;
    act.apply(this, args).then(
      (value) => done(null, value),
      (error) => done(error ?? new Error("rejected without a reason")),
    );
  };
}

const CUSTOM = Symbol.for("nodejs.util.promisify.custom");
type Promisified = (...args: unknown[]) => Promise<unknown>;
const plainPromisify = (base as { promisify(act: unknown): Promisified }).promisify;

/** Uses the promise version that a function defines itself, as `execFile` does. */
export const promisify = Object.assign(
  (act: unknown): Promisified => {
    const own = (act as Record<symbol, unknown> | null)?.[CUSTOM];
    return typeof own === "function" ? (own as Promisified) : plainPromisify(act);
  },
  { custom: CUSTOM },
);

type Log = ((...args: unknown[]) => void) & { enabled: boolean };

/** Nothing is printed, as where `NODE_DEBUG` names nothing. `told`: gets the function that is as quick as may be, once one is used. */
export function debuglog(_section: string, told?: (log: Log) => void): Log {
  let next = told;
  const log = (): void => {
    next?.(Object.assign(() => {}, { enabled: false }));
    next = undefined;
  };
  return Object.assign(log, { enabled: false });
}
export const debug: typeof debuglog = (section, told) => debuglog(section, told);

export default /* @__PURE__ */ withMembers(base, {
  types,
  debug,
  debuglog,
  promisify,
  inspect,
  stripVTControlCharacters,
  toUSVString,
  _extend,
  callbackify,
  parseArgs,
  parseEnv,
  styleText,
});
