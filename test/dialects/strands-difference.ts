import type { Case, Trace } from "./strands-sides.ts";
import { before, plugin } from "./strands-source.ts";

/** Where Cordon differs from the SDK, and the rule that makes it. */
export interface Difference extends Case {
  /** Of NOTES, of the page, or a policy of Cordon's. */
  rule: string;
  see: (trace: Trace) => unknown;
  sdk: unknown;
  cordon: unknown;
}

export const NEVER_A_THROW =
  "NOTES: a plain throw rejects the whole invoke(): a dead hook must become cancel, never a throw";
export const BY_NAME = "NOTES: selectedTool crosses as a tool name";
export const ITS_PROCESS = "policy: what is in the agent's process stays there";
export const NOT_BLOCKED = "policy: a call that is blocked has no result, so After* does not hear of it";
export const JUDGED_AGAIN = "policy: a call that becomes one of another tool is judged as such, by all";
export const COPY = "policy: a hook has a copy of the call, and what it made of it crosses when all callbacks have run";
export const TYPED = "policy: an interrupt is a question through ctx.ui.input, and what is typed is the answer";
export const PLAIN = "policy: a tool's input is an object; content is text and images";
export const APART =
  "policy: bundles judge one after the other in the order of their places, each by itself, and the first block is final";
export const RETRY = "policy: retry is not offered (reported)";
export const WITHIN = "policy: a hook's words are cleaned and cut before a model reads them";

export const results = ({ results: all }: Trace): unknown => all;
export const ranAndEnd = ({ ran, ended }: Trace): unknown => [ran, ended];
export const outcome = ({ ended, results: all, errors }: Trace): unknown => ({ ended, results: all, errors });
export const inputs = ({ ran }: Trace): unknown => ran.map(([, , input]) => input);
export const tell = (value: string): string =>
  plugin(before(`event.cancel = JSON.stringify(${value}) ?? "undefined";`));
export const says = (text: string): unknown[] => [["error", { text }]];
export const ok = { text: 'alpha: {"text":"hi"}' };
