import type { ErrorCode } from "../base/errors.ts";
import type { FoundManifest } from "../grants/manifest.ts";
import type { Asks, Capabilities } from "../grants/schema.ts";
import type { HookError } from "../session/hook-error.ts";
import type { Place } from "./check-places.ts";
import type { UnknownEvent } from "./unknown-events.ts";

/** What `cordon check` warns about, by the id of the rule: what it is, for a list of rules. */
export const RULES = {
  "does-not-load": "The hook does not build or load",
  "not-available": "The hook uses what no hook can have",
  "blocks-every-call": "The hook blocks every call, for want of powers or by a fault",
  "bad-result": "A handler returns what is no result of its event",
  "missing-await": "A handler does not wait for the answer to its dialog",
  throws: "A handler, or what it started, throws or hangs at a sample event",
  "unasked-power": "The code uses a power that the manifest does not ask for",
  "unused-power": "The manifest asks for a power that the code does not use",
  "unseen-event": "The hook has a handler for an event that its manifest does not name",
  "unused-event": "The manifest names an event that the hook has no handler for",
  "unknown-event": "The hook has a handler for an event that no agent sends",
  "unknown-import": "The code imports a package that package.json does not name",
  "unpacked-file": "The code imports a file that the package, as npm publishes it, does not have",
  "no-such-hook": "package.json names a hook file that is not there",
  "wide-power": "The manifest asks for more than a hook is likely to need",
  "no-why": "The manifest does not say why the hook needs a power",
} as const;
export type Rule = keyof typeof RULES;

export interface Warning extends Place {
  rule: Rule;
  /** `error`: the hook does not work. */
  level: "error" | "warning" | "note";
  message: string;
  remedy: string;
}

/** What a hook said that blocked each sample call. `code`: what happened to it; `at`: where it decided. */
export interface EveryCall {
  reason: string;
  code?: ErrorCode;
  at?: string;
}

/** A hook that was built and rehearsed. */
export interface Checked {
  /** Its own file. */
  entry: string;
  manifest: FoundManifest;
  asks: Asks;
  /** Absolute paths of the files in its bundle, and of those that its build read. */
  files: readonly string[];
  events: readonly string[];
  unknown: readonly UnknownEvent[];
  imports: readonly string[];
  /** What its own code names of pi's API. */
  written: Capabilities;
  lacks: readonly string[];
  /** Powers and limits that its code seems to use. */
  uses: readonly string[];
  /** The files that npm puts into its package, relative to it; left out where it is in none. */
  packed?: ReadonlySet<string>;
  /** Why it does not load. */
  reason?: string;
  /** What it says when it blocks every sample call. */
  blocksEveryCall?: EveryCall;
  /** Wrong results, and what it threw. */
  faults: readonly HookError[];
}
