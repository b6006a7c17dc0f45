/** `@mariozechner/pi-tui` draws on the agent's terminal. A sandbox has no terminal: hooks can only import its types. */

/** In a module without exports, each imported name would be `undefined`. */
export const drawsHere = false;
