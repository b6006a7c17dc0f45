/** The guest runtime: what stands in an isolate beside the hook. Entered by `deliver`, speaks through `post`. */
import type { GuestInit, ToGuest } from "../protocol.ts";
import { installBridge } from "./bridge.ts";
import type { Dialect } from "./dialect.ts";
import { pi } from "./dialects/pi.ts";
import { Dispatch } from "./dispatch.ts";
import { installGlobals } from "./globals/install.ts";
import { harden } from "./harden.ts";
import { describe } from "./outcome.ts";
import { Port } from "./port.ts";
import { indexOf, parse, slice } from "./primordials.ts";
import { Remote } from "./remote.ts";
import { Timers } from "./timers.ts";

const DIALECTS = { pi } as const;

/** `post` is the only way out; the returned function the only way in. */
export function start(post: (text: string) => string | undefined, initText: string): (text: string) => void {
  const init: GuestInit = parse(initText);
  const port = new Port(post);
  const remote = new Remote(port);
  const timers = new Timers(port);
  harden({ eval: init.eval });
  installGlobals(port, timers);
  installBridge(init, port, remote);
  const dialect: Dialect = DIALECTS[init.dialect as keyof typeof DIALECTS]({ init, port, remote });
  const dispatches: Record<number, Dispatch> = Object.create(null);
  offerLoader(port, dialect);

  const handle = (id: number, text: string): void => {
    const dispatch = new Dispatch(id, parse(text));
    dispatches[id] = dispatch;
    dialect.handle(dispatch, ({ verdict, stop }) => {
      delete dispatches[id];
      port.verdict(id, stop, verdict);
    });
  };

  return (text) => {
    if (text[0] === "E") {
      const colon = indexOf(text, ":");
      handle(Number(slice(text, 1, colon)), slice(text, colon + 1));
      return;
    }
    if (text === "K") {
      timers.tick();
      return;
    }
    const message: ToGuest = parse(text);
    if (message.t === "reply") {
      remote.receive(message.reply);
      return;
    }
    const dispatch = dispatches[message.id];
    if (message.t === "expire") dispatch?.expire(message.message);
    else if (message.t === "signal") dispatch?.abort.abort();
    else dispatch?.cancel();
  };
}

/** Where the generated entry module finds what it reports to. Gone before the hook's own code runs. */
const LOADER = "__cordonLoad";

function offerLoader(port: Port, dialect: Dialect): void {
  const load = async (open: () => Promise<Record<string, unknown>>): Promise<void> => {
    Reflect.deleteProperty(globalThis, LOADER);
    try {
      await dialect.load(await open());
      port.message({ t: "loaded", events: dialect.events() });
    } catch (thrown) {
      port.message({ t: "failed", error: describe(thrown) });
    }
  };
  Object.defineProperty(globalThis, LOADER, { value: load, configurable: true });
}
