import { MAX_NAME } from "../../wire/messages.ts";
import type { GuestEnvironment } from "../dialects/dialect.ts";
import type { Dispatch } from "./dispatch.ts";
import { define, offer } from "./primordials.ts";

/** The canonical event, whole: withheld fields are fetched when first read, live ones call the host. */
export function openEvent({ init, port, remote }: GuestEnvironment, dispatch: Dispatch): Record<string, unknown> {
  const { event, withheld, live } = dispatch;
  for (const field of withheld) {
    const granted = init.session.includes(field);
    Object.defineProperty(event, field, {
      configurable: true,
      enumerable: granted,
      get() {
        const value = port.ask({ op: "session.read", dispatch: dispatch.id, args: [field] });
        define(event, { [field]: value });
        return value;
      },
      set(value) {
        define(event, { [field]: value });
      },
    });
  }
  for (const field of live) {
    const value =
      field === "signal"
        ? dispatch.abort.signal
        : offer((model: unknown) => remote.call("model.resolveApiKey", dispatch.id, [providerOf(model)]));
    define(event, { [field]: value });
  }
  return event;
}

/** The model, which must say whose key is wanted. */
function providerOf(model: unknown): unknown {
  const provider = (model as { provider?: unknown } | undefined)?.provider;
  if (typeof provider !== "string" || provider.length > MAX_NAME)
    throw new TypeError("resolveApiKey takes a model with the name of its provider");
  return model;
}
