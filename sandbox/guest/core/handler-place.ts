import { type GuestError, MAX_HANDLERS } from "../../wire/messages.ts";

/** Errors that were made where handlers were registered. V8 writes a stack as text, which takes long, when it is first read. */
const places = new WeakMap<object, Error>();
let kept = 0;

const PLACE = /cordon-hook\.js:(\d{1,9}:\d{1,9})/;

/** Keeps the line of the hook that registers this handler now. A hook that registers on and on is not followed. */
export function keepPlace(handler: unknown): void {
  if (typeof handler !== "function" || kept >= MAX_HANDLERS || places.has(handler)) return;
  kept++;
  // The name means the class of the hook's realm: an error of the runtime's own shows no lines of the hook.
  places.set(handler, new Error());
}

/** Where a handler was registered, as `LINE:COLUMN` in the bundle. The host maps it back to the hook's own source. */
export function placeOf(handler: unknown): string | undefined {
  const stack: unknown = typeof handler === "function" ? places.get(handler)?.stack : undefined;
  return typeof stack === "string" ? PLACE.exec(stack)?.[1] : undefined;
}

/** Where the handler was registered stands for the line that an error of the runtime's own lacks. Only an Error has a stack. */
export const withPlace = (error: GuestError, place: string | undefined): GuestError =>
  place === undefined || error.stack === undefined || PLACE.test(error.stack)
    ? error
    : { ...error, stack: `${error.message}\n    at handler (cordon-hook.js:${place})` };
