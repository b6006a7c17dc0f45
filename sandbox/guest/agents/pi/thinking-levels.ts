import { THINKING_LEVELS } from "../../../wire/providers.ts";

/** In place of pi's own, which lies among all of its command line. */
export const isValidThinkingLevel = (level: string): boolean => (THINKING_LEVELS as readonly string[]).includes(level);
