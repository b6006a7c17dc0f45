import { stream } from "./complete.ts";

let streamFn: unknown = stream;

/** What an agent asks that was made without a function for it. As in pi, that asks the agent's models. */
export const getDefaultStreamFn = (): unknown => streamFn;

export function setDefaultStreamFn(given: unknown): void {
  streamFn = given;
}
