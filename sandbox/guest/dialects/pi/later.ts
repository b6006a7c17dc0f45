import { HOOK_EVENTS } from "../../../wire/events.ts";
import type { GuestEnvironment } from "../../core/environment.ts";

const later = new WeakSet<GuestEnvironment>();

/** The hook uses what pi 0.27 lacks: it was written for a later version. */
export const usesLater = (environment: GuestEnvironment): void => void later.add(environment);

/** pi 0.27 has no events of another name. */
export function hears(type: string, environment: GuestEnvironment): void {
  if (!HOOK_EVENTS.includes(type)) usesLater(environment);
}

/** What `select` and `input` answer if a person leaves them: `null` in pi 0.27, `undefined` in later versions. */
export const left = (environment: GuestEnvironment): null | undefined => (later.has(environment) ? undefined : null);
