import { EXTENSION_EVENTS, extensionEvent } from "../../wire/events.ts";
import type { AddedFields } from "../../wire/messages.ts";
import type { Dispatch, Event } from "./dispatch.ts";
import { copyOf, define, serialize } from "./primordials.ts";

/** Completes the canonical event: withheld fields are fetched when first read, live fields call the host. */
export function openEvent(dispatch: Dispatch): Event {
  const { event } = dispatch;
  // Few events have such a field, and each function takes its time.
  const changes = Object.hasOwn(EXTENSION_EVENTS, event.type) ? extensionEvent(event.type)?.changes : undefined;
  if (changes !== undefined && Object.hasOwn(event, changes)) dispatch.original = serialize(event[changes]);
  const { envelope } = dispatch;
  if (Object.hasOwn(envelope, "added")) addFields(dispatch, envelope.added as AddedFields, changes);
  return event;
}

function addFields(dispatch: Dispatch, { withheld, live }: AddedFields, changes: string | undefined): void {
  const { event, environment } = dispatch;
  const { init, port, remote } = environment;
  for (const field of copyOf(withheld)) {
    const granted = init.session.includes(field);
    Object.defineProperty(event, field, {
      configurable: true,
      enumerable: granted,
      get() {
        const value = port.ask({ op: "session.read", dispatch: dispatch.id, args: [field] });
        if (field === changes) {
          dispatch.original = serialize(value);
          dispatch.fetched = dispatch.original;
        }
        define(event, { [field]: value });
        return value;
      },
      set(value) {
        define(event, { [field]: value });
      },
    });
  }
  for (const field of copyOf(live)) {
    const value =
      field === "signal"
        ? dispatch.abort.signal
        : (model: unknown) => remote.call("model.resolveApiKey", dispatch.id, [model]);
    define(event, { [field]: value });
  }
}
