import { MAX_EVENT_TYPES, MAX_HANDLERS, MAX_NAME } from "../../../wire/messages.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { defaultOf } from "../../core/exports.ts";
import { keepPlace } from "../../core/handler-place.ts";
import { checkLength } from "../../core/limits.ts";
import { failure } from "../../core/outcome.ts";
import { apply, ignoreRejection, isArray } from "../../core/primordials.ts";
import type { Dialect, DialectKind } from "../dialect.ts";
import { refuseForeignGuard } from "../foreign-guard.ts";
import { Registrations } from "../registrations.ts";
import { Unsupported } from "../unsupported.ts";
import { Bus, BusChain } from "./bus.ts";
import { type Handler, PiChain } from "./chain.ts";
import { MAX_SENT, piExtension } from "./extension.ts";
import { hears, usesLater } from "./later.ts";
import { Providers } from "./providers.ts";
import { RunChain } from "./run-chain.ts";

const MAX_ATTACHMENTS = 20;

/** pi's API: a default export that registers handlers with `pi.on`. */
export const pi: DialectKind = { recognises: (namespace) => typeof defaultOf(namespace) === "function", open };

function open(environment: GuestEnvironment): Dialect {
  const { port, remote } = environment;
  const handlers = new Map<string, Handler[]>();
  let loaded = false;
  const counts = (): Record<string, number> =>
    Object.fromEntries([...handlers].map(([type, list]) => [type, list.length]));
  const registrations = new Registrations(port, () => usesLater(environment));
  const bus = new Bus(environment);
  const providers = new Providers(environment);
  const unsupported = new Unsupported(port);
  const extension = piExtension(environment, registrations, bus, providers, unsupported);
  const own = {
    on(type: unknown, given: unknown): () => void {
      const [name, handler] = extension.translate(checkLength(String(type), MAX_NAME, "an event's name"), given);
      hears(String(type), environment);
      const list = handlers.get(name) ?? [];
      if (list.length >= MAX_HANDLERS || (list.length === 0 && handlers.size >= MAX_EVENT_TYPES)) {
        throw new RangeError(
          `a hook may have ${MAX_HANDLERS} handlers for one event, and hear ${MAX_EVENT_TYPES} events`,
        );
      }
      list.push(handler as Handler);
      keepPlace(handler);
      handlers.set(name, list);
      if (loaded) port.message({ t: "events", events: counts() });
      let isOn = true;
      return () => {
        if (!isOn) return;
        isOn = false;
        // A new list: a chain that runs now goes on through the old one, and skips nobody.
        const rest = [...(handlers.get(name) ?? [])];
        rest.splice(rest.indexOf(handler as Handler), 1);
        handlers.set(name, rest);
        if (loaded) port.message({ t: "events", events: counts() });
      };
    },
    send(text: unknown, attachments?: unknown): void {
      if (typeof text !== "string") throw new TypeError("pi.send takes a text");
      checkLength(text, MAX_SENT, "a message");
      if (attachments !== undefined && (!isArray(attachments) || attachments.length > MAX_ATTACHMENTS)) {
        throw new TypeError(`pi.send takes a list of at most ${MAX_ATTACHMENTS} attachments`);
      }
      // The host reports a refusal. pi's own `send` returns nothing either.
      ignoreRejection(remote.call("send", 0, attachments === undefined ? [text] : [text, attachments]));
    },
  };
  const api = Object.assign(extension.api, own);

  return {
    load(namespace) {
      const exported = defaultOf(namespace);
      if (typeof exported !== "function") throw failure("LOAD_FAILED", "Hook must export a default function");
      return apply(exported, undefined, [api]);
    },
    loaded() {
      loaded = true;
      refuseForeignGuard("pi", [...handlers.keys()]);
    },
    events: counts,
    unsupported: () => unsupported.names,
    setFlag: (name, value) => registrations.setFlag(name, value),
    handle(dispatch) {
      const { type } = dispatch;
      if (type === "run") new RunChain({ registrations, providers }, dispatch).next();
      else if (type === "bus") new BusChain(bus, dispatch).next();
      else new PiChain(handlers.get(type) ?? [], dispatch).next();
    },
  };
}
