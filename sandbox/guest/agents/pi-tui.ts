/** `@mariozechner/pi-tui` draws on the agent's terminal, which a sandbox has not: only its types can be imported. */

/** A module without any name would give `undefined` for each that is imported. */
export const drawsHere = false;
