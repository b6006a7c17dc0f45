/** The guest runtime: our code in the isolate, beside the hook. `deliver` enters it, and it sends with `post`. */
import { type GuestInit, MAX_NAME, type PriorityQuestion } from "../../wire/messages.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { dialectOf } from "../dialects/index.ts";
import { createPlacedRegistry } from "../dialects/interceptors/index.ts";
import { CREATE } from "../interceptors/registry.ts";
import type { Furniture, RealmHost } from "../realm/realm-host.ts";
import { Dispatch } from "./dispatch.ts";
import type { GuestEnvironment } from "./environment.ts";
import type { Namespace } from "./exports.ts";
import { freezeBuiltins, harden } from "./harden.ts";
import { checkArguments, checkCall } from "./limits.ts";
import { cut, describe, failure } from "./outcome.ts";
import { Port } from "./port.ts";
import { attempt, parse, parseHere, realm, serialize, settle, stringify } from "./primordials.ts";
import { Remote } from "./remote.ts";

/** `post` is the only exit. The returned function is the only entry. */
export function start(post: (text: string) => unknown, initText: string): (text: string) => void {
  const init: GuestInit = parseHere(initText);
  const port = new Port(post);
  const remote = new Remote(port);
  const agentTools = new Map<string, unknown>();
  const { tick, logger } = furnish(init, port, remote, agentTools);
  harden({ eval: false, wasm: false });
  freezeBuiltins();
  const dispatches: Dispatch[] = [];
  const environment = { init, port, remote, logger, agentTools, dispatches };
  const loaded = offerLoader(environment);

  return realm.entry((text) => {
    const kind = text[0];
    if (kind === "E" || kind === "Q") {
      const colon = text.indexOf(":");
      const key = text.slice(1, colon);
      const rest = text.slice(colon + 1);
      if (kind === "Q") {
        answerPriority(port, loaded.dialect, Number(key), parseHere(rest));
        return;
      }
      const dispatch = new Dispatch(environment, key, rest);
      try {
        loaded.dialect?.handle(dispatch);
      } catch (thrown) {
        const verdict = stringify({ errors: [describe(thrown)] });
        dispatch.end("f", verdict, dispatch.type === "tool_call");
      }
      return;
    }
    if (text === "K") {
      tick();
      return;
    }
    const message = parse(text);
    if (message.t === "reply") {
      remote.receive(message.reply);
      return;
    }
    if (message.t === "flag") {
      loaded.dialect?.setFlag?.(message.name, message.value);
      return;
    }
    const dispatch = dispatches.find(({ id }) => id === message.id);
    if (message.t === "expire") dispatch?.expire(message.message);
    else if (message.t === "signal") dispatch?.abort.abort();
    else dispatch?.cancel();
  });
}

/** Most characters of a line of the hook's log, and of its source position. */
const MAX_LINE = 8000;
const MAX_POSITION = 1000;
/** Tools of all agents of the hook's own. */
const MAX_AGENT_TOOLS = 1000;
const LEVELS = ["debug", "info", "warn", "error"] as const;

/** Gives the hook's realm its globals. Values from there are treated as a hook's own, since a hook can replace them. */
function furnish(
  { eval: evaluates, wasm, cwd, machine, branches }: GuestInit,
  port: Port,
  remote: Remote,
  agentTools: Map<string, unknown>,
): Furniture {
  const host: RealmHost = {
    eval: evaluates,
    wasm,
    cwd,
    machine: Object.freeze(machine),
    offers: [{ name: CREATE, value: createPlacedRegistry }],
    log(level, text, at) {
      const known = LEVELS.find((one) => one === level) ?? "info";
      const position = typeof at === "string" && at !== "" ? { at: cut(at, MAX_POSITION) } : {};
      port.message({ t: "log", level: known, text: cut(String(text), MAX_LINE), ...position });
    },
    agentTool(name, tool) {
      const key = nameOf(name);
      if (tool === undefined) agentTools.delete(key);
      else if (agentTools.size < MAX_AGENT_TOOLS) agentTools.set(key, tool);
      else throw new RangeError(`the agents of a hook may have ${MAX_AGENT_TOOLS} tools of its own`);
    },
    failed: (thrown) => port.message({ t: "error", error: describe(thrown) }),
    reached(branch) {
      const known = Number(branch);
      if (known >= 0 && known < branches) port.message({ t: "reached", branch: Math.floor(known) });
    },
    wake: (ms) => port.wake(Number(ms)),
    random: (bytes) => port.random(Number(bytes)),
    derive: (text) => port.derive(String(text)),
    bytesOfText: (text) => port.bytesOfText(String(text)),
    textOfBytes: (base64) => port.textOfBytes(String(base64)),
    lazyCode: (name) => port.lazyCode(name),
    sync(name, args) {
      const op = nameOf(name);
      const plain = parseHere(checkCall(serialize(args), op));
      checkArguments(plain, op, true);
      return port.ask({ op, dispatch: 0, args: plain });
    },
    call: (name, args, signal) => remote.call(nameOf(name), 0, args, signal),
  };
  return realm.furnish(host);
}

function nameOf(name: unknown): string {
  if (typeof name !== "string" || name.length > MAX_NAME)
    throw new TypeError(`the name of a host function is a string of at most ${MAX_NAME} characters`);
  return name;
}

/** The global function that the generated entry module calls. It is removed before the hook's own code runs. */
const LOADER = "__cordonLoad";

function offerLoader(environment: GuestEnvironment): { dialect?: Dialect } {
  const { init, port } = environment;
  const loaded: { dialect?: Dialect } = {};
  const failed = (thrown: unknown): void => port.message({ t: "failed", error: describe(thrown) });
  /** Calls `next` when `work` is done. Any failure on the way is the reason why the bundle does not load. */
  const after = (work: unknown, next: (value: unknown) => void): void =>
    settle(
      work,
      (value) => {
        try {
          next(value);
        } catch (thrown) {
          failed(thrown);
        }
      },
      failed,
    );
  const load = (open: () => unknown): void => {
    realm.remove(LOADER);
    after(attempt(open, []), (namespace) => {
      const [name, kind] = dialectOf(init.dialect, namespace as Namespace);
      const dialect = kind.open(environment);
      after(dialect.load(namespace as Namespace), () => {
        loaded.dialect = dialect;
        dialect.loaded();
        const hasMatchers = dialect.priorityFor !== undefined;
        const unsupported = dialect.unsupported?.() ?? [];
        port.message({
          t: "loaded",
          events: dialect.events(),
          dialect: name,
          ...(hasMatchers ? { hasMatchers } : {}),
          ...(unsupported.length > 0 ? { unsupported } : {}),
        });
      });
    });
  };
  realm.set(LOADER, load);
  return loaded;
}

/** Answers a query for the priority of this bundle. Matchers are the hook's own expressions, and run on its time. */
function answerPriority(port: Port, dialect: Dialect | undefined, query: number, about: PriorityQuestion): void {
  try {
    const priority = dialect?.priorityFor?.(about.type, about.name);
    // The host accepts only finite numbers.
    if (priority !== undefined && !Number.isFinite(priority))
      throw failure("BAD_RESULT", "its priority is not a number");
    port.priority(query, stringify(priority === undefined ? {} : { priority }));
  } catch (thrown) {
    port.priority(query, stringify({ error: describe(thrown) }));
  }
}
