import type { Life, Source, Trace } from "./strands-sides.ts";

/** A claim, the plugin that shows it, the expected behaviour both in the SDK and in Cordon, and the agent's life. */
export type Same = [claim: string, source: Source, sees: Partial<Trace>, life?: Life];

/** What the tool `alpha` answers to the call that an agent makes by default. */
export const ALPHA = 'alpha: {"text":"hi"}';

export const texts = (...all: string[]): { text: string }[] => all.map((text) => ({ text }));

/** `alpha` ran, with this added to its input. */
export const ran = (added: object = {}): Partial<Trace> => ({ ran: [["alpha", "call-1", { text: "hi", ...added }]] });

/** `beta` ran instead. */
export const beta: Partial<Trace> = { ran: [["beta", "call-1", { text: "hi" }]] };

/** No tool ran, for this reason. */
export const cancelled = (reason: string): Partial<Trace> => ({ ran: [], results: [["error", { text: reason }]] });
