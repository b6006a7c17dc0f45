import { MAX_NAME } from "../protocol.ts";
import type { GuestEnvironment } from "./dialect.ts";
import type { Dispatch } from "./dispatch.ts";

/** The canonical event, whole: withheld fields are fetched when first read, live ones call the host. */
export function openEvent({ init, port, remote }: GuestEnvironment, dispatch: Dispatch): Record<string, unknown> {
  const { event, withheld, live } = dispatch.envelope;
  if (!withheld || !live) return event;
  for (const field of withheld) {
    const granted = init.session.includes(field);
    Object.defineProperty(event, field, {
      configurable: true,
      enumerable: granted,
      get() {
        const value = port.ask({ op: "session.read", dispatch: dispatch.id, args: [field] });
        Object.defineProperty(event, field, { value, writable: true, enumerable: true, configurable: true });
        return value;
      },
      set(value) {
        Object.defineProperty(event, field, { value, writable: true, enumerable: true, configurable: true });
      },
    });
  }
  for (const field of live) {
    event[field] =
      field === "signal"
        ? dispatch.abort.signal
        : async (model: unknown) => remote.call("model.resolveApiKey", dispatch.id, [providerOf(model)]);
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
