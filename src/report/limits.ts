/**
 * Bounds of a report. Whoever can write to the record, or adopt hooks, must not make a page that no browser opens. The page says
 * what each bound left out.
 */

/** Hooks on the page: those that were found first, then those that only the record names. */
export const MAX_HOOKS = 100;
/** Names of hooks in the record that are counted one by one. Only a record that was tampered with has more. */
export const MAX_RECORDED_HOOKS = 1000;
/** Sessions in the timeline, the newest. */
export const MAX_SESSIONS = 12;
/** Lines of one session that say that something was blocked, changed, refused, decided or went wrong: the newest. */
export const MAX_NOTABLE = 60;
/** Lines of one session about what passed and was allowed: the newest. They never displace the others. */
export const MAX_ROUTINE = 40;
/** Hooks that are named together in one row. */
export const MAX_TOGETHER = 8;
/** Characters of a value of the record. */
export const MAX_VALUE = 200;
/** Characters of a hook's name beside other things. The whole id is in its own part of the page. */
export const MAX_NAME = 80;
/** Characters of an id, a path or a source, where it is shown whole. */
export const MAX_ID = 400;
/** Characters of one granted power: a person read at most so many. */
export const MAX_POWER = 4000;
/** Entries of one granted power, and those of them that are told from each other in the record. */
export const MAX_USED_ENTRIES = 200;
/** Operations of one power, and values that it was refused. */
export const MAX_KINDS = 8;
/** Refused values that are named together, and granted by one command. */
export const MAX_REFUSED_NAMES = 3;
/** Decisions about one hook: the newest. */
export const MAX_DECISIONS = 20;
/** Faults of the chain, entries of what is wrong and of what changed. */
export const MAX_ENTRIES = 50;
/** Periods that the use of powers is counted in: hours, days or weeks. */
export const MAX_PERIODS = 60;
/** A session ends when nothing is recorded for so long. */
export const SILENCE_MS = 30 * 60_000;

/** Bytes of markup about single hooks, and about single sessions, before the next one is left out. */
export const MAX_HOOK_BYTES = 1_200_000;
export const MAX_SESSION_BYTES = 1_000_000;
