import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { constants, createContext, Script } from "node:vm";
import { type LoadIsolate, type SyncRequest, ToHost, ToSandbox } from "../../sandbox/wire/messages.ts";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { messageOf } from "../base/errors.ts";
import type { TextOrParts } from "../base/large-value.ts";
import { built, builtForHost } from "../base/package-root.ts";
import { offeredModule, partsOf } from "../bundle/offered-modules.ts";
import type { Exit, Transport, TransportListener } from "../supervisor/transport.ts";

/** The guest runtime's only entry and its only exit: see `sandbox/guest/core/port.ts`. */
type Deliver = (text: string) => void;
type Post = (text: string) => string | undefined;

/** How the guest runtime sees the agent's realm: see `sandbox/guest/realm/agent-realm.ts`. */
interface AgentRealm {
  get(name: string): unknown;
}

type Globals = Record<string | symbol, unknown>;

type Start = (post: Post, init: string) => Deliver;
type Load = (open: () => unknown) => void;

const HOOKS_MODULE = builtForHost("hook-api.js");

const require = createRequire(import.meta.url);

/** Modules of pi's that a trusted hook can import under the same names as a sandboxed one. */
const PI = ["@mariozechner/", "@earendil-works/"].flatMap((scope) =>
  ["pi-coding-agent/hooks", "pi-coding-agent", "pi-ai", "pi-tui"].map((name) => scope + name),
);

/**
 * Runs a trusted hook in the agent's own process, for Node's debugger and for code of one's own. The guest runtime has a
 * realm of its own, as in a sandbox, so the same rules apply. The hook's module is loaded into the agent's realm, with all
 * rights: nothing protects the agent from it.
 */
export class AgentProcess implements Transport {
  readonly pid = undefined;
  readonly unread = 0;
  readonly hostMs = 0;
  readonly lastEntered = undefined;
  readonly condemned = undefined;
  readonly ready = Promise.resolve();
  readonly gone: Promise<void>;
  readonly #path: string;
  readonly #readField: (dispatch: number, field: string) => unknown;
  #finish: () => void = () => {};
  #end: Exit | undefined;
  #listener: TransportListener | undefined;
  #deliver: Deliver | undefined;

  /** `readField`: reads a field that the host withholds from the event of a dispatch. */
  constructor(path: string, readField: (dispatch: number, field: string) => unknown) {
    this.#path = path;
    this.#readField = readField;
    this.gone = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get alive(): boolean {
    return this.#end === undefined;
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    if (this.#end) listener.exit(this.#end);
  }

  /** As with another process, a frame arrives after its sender has returned. */
  send(kind: number, number: number, sent: TextOrParts): void {
    const text = typeof sent === "string" ? sent : Buffer.concat(sent).toString();
    queueMicrotask(() => {
      try {
        this.#receive(kind, number, text);
      } catch (error) {
        // Nobody above could handle it: the agent would end.
        this.kill({ code: "CRASHED", summary: `its runtime failed (${messageOf(error)})` });
      }
    });
  }

  /** Does nothing: synchronous requests are answered directly. */
  answer(): void {}

  ping(number: number): void {
    this.send(ToSandbox.ping, number, "");
  }

  kill(exit: Exit): void {
    if (this.#end) return;
    this.#end = exit;
    this.#deliver = undefined;
    queueMicrotask(() => {
      this.#listener?.exit(exit);
      this.#finish();
    });
  }

  #receive(kind: number, number: number, text: string): void {
    if (this.#end) return;
    if (kind === ToSandbox.load) this.#load(number, readJson(text.slice(0, text.indexOf("\n"))));
    else if (kind === ToSandbox.text) this.#deliver?.(text);
    else if (kind === ToSandbox.ping) this.#tell(ToHost.pong, number, "");
    else if (kind === ToSandbox.drop) {
      this.#deliver = undefined;
      this.#tell(ToHost.dropped, number, "");
    }
  }

  /**
   * Verdicts and priorities arrive after the entry that made them, with all its microtasks: see `ToHost`. They are sent in
   * a microtask, and Node runs the next tick when no microtask is left.
   */
  #tell(kind: number, number: number, text: string): void {
    const soon = kind === ToHost.verdict || kind === ToHost.priority ? process.nextTick : queueMicrotask;
    soon(() => {
      if (this.#end) return;
      try {
        this.#listener?.frame(kind, number, text);
      } catch (error) {
        this.kill({
          code: "PROTOCOL_VIOLATION",
          summary: `its runtime broke the protocol (${messageOf(error)})`,
        });
      }
    });
  }

  #load(number: number, { init }: LoadIsolate): void {
    const post: Post = (text) => {
      const rest = text.slice(1);
      if (text[0] === "M") this.#tell(ToHost.message, number, rest);
      else if (text[0] === "V") this.#tell(ToHost.verdict, number, rest);
      else if (text[0] === "Q") this.#tell(ToHost.priority, number, rest);
      else if (text[0] === "S") return this.#ask(readJson(rest));
      else if (text[0] === "X") return randomBytes(Number(rest)).toString("hex");
      return undefined;
    };
    const { builtins, globals }: { builtins: AgentRealm; globals: Globals } = run(
      "agent-realm.js",
      "",
      "cordonRealm",
    ).runInThisContext()();
    // In a context of its own, since it freezes the built-ins of its realm.
    const start: Start = run("guest.js", "cordonRealm", "cordonGuest.start").runInContext(
      createContext(constants.DONT_CONTEXTIFY),
    )(builtins);
    this.#deliver = start(post, init);
    const load = builtins.get("__cordonLoad") as Load;
    load(() => importHook(this.#path, globals));
  }

  #ask({ op, dispatch, args }: SyncRequest): string {
    if (op !== "session.read") throw new Error(`a trusted hook has no ${op} that blocks`);
    return JSON.stringify({ value: this.#readField(dispatch, String(args[0])) ?? null });
  }
}

const scripts = new Map<string, Script>();

/** Compiles a built file of the guest's to a function that evaluates it and returns `result`. */
function run(file: string, parameter: string, result: string): Script {
  const known = scripts.get(file);
  if (known) return known;
  const source = readFileSync(built(file), "utf8");
  const script = new Script(`(${parameter}) => {${source}\nreturn ${result};}`, { filename: `cordon-${file}` });
  scripts.set(file, script);
  return script;
}

/** Modules that keep a registry or classes in the globals of a sandbox: each hook has its own. */
const STATEFUL = new Map([
  ["cordon/interceptors", "agent-interceptors.js"],
  ["@strands-agents/sdk", "agent-strands.js"],
]);

/**
 * A large module of pi's. Each part is loaded when the hook first uses it, as a bundle has no other: what stands for Node's modules in
 * some of them needs a sandbox.
 */
function inParts(file: string): Record<string, unknown> {
  const module: Record<string, unknown> = {};
  for (const [name, [from, own]] of partsOf(file) ?? []) {
    const get = (): unknown => {
      try {
        return require(from.startsWith(".") ? resolve(dirname(file), from) : from)[own];
      } catch (error) {
        throw new Error(`${name} is for hooks in a sandbox (${messageOf(error)}); a trusted hook has Node itself`);
      }
    };
    Object.defineProperty(module, name, { enumerable: true, get });
  }
  return module;
}

async function importHook(path: string, globals: Globals): Promise<unknown> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(import.meta.url, {
    moduleCache: false,
    // A debugger shows the hook's TypeScript.
    sourceMaps: true,
    virtualModules: Object.fromEntries([
      ...STATEFUL.entries().map(([name, file]) => [
        name,
        run(file, "globalThis", "cordonOffered").runInThisContext()(globals),
      ]),
      ...PI.map((name) => [name, inParts(offeredModule(name) as string)]),
    ]),
    // The dialect looks at the module's own exports.
    interopDefault: false,
    alias: Object.fromEntries([
      ...["@sinclair/typebox", "typebox"].map((name) => [name, offeredModule(name) as string]),
      ["cordon/hooks", HOOKS_MODULE],
    ]),
  });
  return jiti.import(path);
}
