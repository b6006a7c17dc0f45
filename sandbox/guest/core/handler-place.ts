import { type GuestError, MAX_HANDLERS } from "../../wire/messages.ts";

/** Where handlers were registered, as `LINE:COLUMN` in the bundle. The host maps it back to the hook's own source. */
const places = new WeakMap<object, string>();
let kept = 0;

const PLACE = /cordon-hook\.js:(\d{1,9}:\d{1,9})/;

/** Keeps the line of the hook that registers this handler now. A hook that registers on and on is not followed. */
export function keepPlace(handler: unknown): void {
  if (typeof handler !== "function" || kept >= MAX_HANDLERS || places.has(handler)) return;
  kept++;
  // The name means the class of the hook's realm: an error of the runtime's own shows no lines of the hook.
  const { stack } = new Error();
  const [, place] = (typeof stack === "string" && PLACE.exec(stack)) || [];
  if (place !== undefined) places.set(handler, place);
}

export const placeOf = (handler: unknown): string | undefined =>
  typeof handler === "function" ? places.get(handler) : undefined;

/** Where the handler was registered stands for the line that an error of the runtime's own lacks. Only an Error has a stack. */
export const withPlace = (error: GuestError, place: string | undefined): GuestError =>
  place === undefined || error.stack === undefined || PLACE.test(error.stack)
    ? error
    : { ...error, stack: `${error.message}\n    at handler (cordon-hook.js:${place})` };
