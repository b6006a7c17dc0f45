import type { Life, Source, Trace } from "./strands-sides.ts";
import { onCall } from "./strands-source.ts";

/** A difference between Cordon and the SDK on purpose: the plugin, the compared part of its life, and its value on each side. */
export type Difference = [
  claim: string,
  source: Source,
  see: (trace: Trace) => unknown,
  on: { sdk: unknown; cordon: unknown },
  life?: Life,
];

export const results = ({ results: all }: Trace): unknown => all;
export const ranAndEnd = ({ ran, ended }: Trace): unknown => [ran, ended];
export const outcome = ({ ended, results: all, errors }: Trace): unknown => ({ ended, results: all, errors });
export const inputs = ({ ran }: Trace): unknown => ran.map(([, , input]) => input);

/** A plugin that cancels the call with this value, as JSON, for a reason. */
export const shows = (value: string): Source => onCall(`event.cancel = JSON.stringify(${value}) ?? "undefined";`);

/** Results of a call that was cancelled, and of one to the tool `alpha`. */
export const refused = (reason: string): unknown[] => [["error", { text: reason }]];
export const ok = { text: 'alpha: {"text":"hi"}' };
