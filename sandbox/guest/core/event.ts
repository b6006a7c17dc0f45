import { extensionEvent } from "../../wire/events.ts";
import type { GuestEnvironment } from "../dialects/dialect.ts";
import type { Dispatch, Event } from "./dispatch.ts";
import { define, serialize } from "./primordials.ts";

/** Completes the canonical event: withheld fields are fetched when first read, live fields call the host. */
export function openEvent({ init, port, remote }: GuestEnvironment, dispatch: Dispatch): Event {
  const { event, withheld, live } = dispatch;
  const changes = extensionEvent(event.type)?.changes;
  for (const field of withheld) {
    const granted = init.session.includes(field);
    Object.defineProperty(event, field, {
      configurable: true,
      enumerable: granted,
      get() {
        const value = port.ask({ op: "session.read", dispatch: dispatch.id, args: [field] });
        if (field === changes) dispatch.original = serialize(value);
        define(event, { [field]: value });
        return value;
      },
      set(value) {
        define(event, { [field]: value });
      },
    });
  }
  if (changes !== undefined && Object.getOwnPropertyDescriptor(event, changes)?.value !== undefined)
    dispatch.original = serialize(event[changes]);
  for (const field of live) {
    const value =
      field === "signal"
        ? dispatch.abort.signal
        : (model: unknown) => remote.call("model.resolveApiKey", dispatch.id, [model]);
    define(event, { [field]: value });
  }
  return event;
}
