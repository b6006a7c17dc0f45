/** The guest runtime: what stands in an isolate beside the hook. Entered by `deliver`, speaks through `post`. */
import { type GuestInit, PLACE, type ToGuest } from "../protocol.ts";
import { installBridge } from "./bridge.ts";
import type { Dialect, GuestEnvironment } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { Dispatch } from "./dispatch.ts";
import { installGlobals } from "./globals/install.ts";
import { harden } from "./harden.ts";
import { describe } from "./outcome.ts";
import { Port } from "./port.ts";
import { indexOf, parse, slice, stringify } from "./primordials.ts";
import { Remote } from "./remote.ts";
import { Timers } from "./timers.ts";

/** `post` is the only way out; the returned function the only way in. */
export function start(post: (text: string) => string | undefined, initText: string): (text: string) => void {
  const init: GuestInit = parse(initText);
  const port = new Port(post);
  const remote = new Remote(port);
  const timers = new Timers(port);
  harden({ eval: init.eval });
  installGlobals(port, timers);
  installBridge(init, port, remote);
  const dispatches: Record<number, Dispatch> = Object.create(null);
  const loaded = offerLoader({ init, port, remote });

  const handle = (id: number, text: string): void => {
    const dispatch = new Dispatch(id, parse(text));
    if (dispatch.envelope.event.type === PLACE) {
      port.verdict(id, false, placeText(loaded.dialect, dispatch));
      return;
    }
    dispatches[id] = dispatch;
    loaded.dialect?.handle(dispatch, ({ verdict, stop }) => {
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

function offerLoader(environment: GuestEnvironment): { dialect?: Dialect } {
  const { init, port } = environment;
  const loaded: { dialect?: Dialect } = {};
  const load = async (open: () => Promise<Record<string, unknown>>): Promise<void> => {
    Reflect.deleteProperty(globalThis, LOADER);
    try {
      const namespace = await open();
      const [name, kind] = dialectOf(init.dialect, namespace);
      const dialect = kind.open(environment);
      await dialect.load(namespace);
      loaded.dialect = dialect;
      const placed = dialect.place !== undefined;
      const unsupported = dialect.unsupported?.() ?? [];
      port.message({
        t: "loaded",
        events: dialect.events(),
        dialect: name,
        ...(placed ? { placed } : {}),
        ...(unsupported.length > 0 ? { unsupported } : {}),
      });
    } catch (thrown) {
      port.message({ t: "failed", error: describe(thrown) });
    }
  };
  Object.defineProperty(globalThis, LOADER, { value: load, configurable: true });
  return loaded;
}

/** The verdict on a question for the place of this bundle. Matchers are the hook's own expressions, and run on its time. */
function placeText(dialect: Dialect | undefined, { envelope }: Dispatch): string {
  try {
    const priority = dialect?.place?.(String(envelope.event.of), String(envelope.event.name));
    return stringify({ result: priority === undefined ? {} : { priority } });
  } catch (thrown) {
    return stringify({ errors: [describe(thrown)] });
  }
}
