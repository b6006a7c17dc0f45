import { HookHost } from "../../host/host.ts";
import type { HookHostOptions } from "../../session/options.ts";
import { ToolGates, type ToolNameOptions } from "../tool-gates.ts";
import { guardRegistry } from "./guard-registry.ts";
import { InvocationEvents } from "./invocation-events.ts";
import { type StrandsAgent, sdkOf } from "./strands-api.ts";

/** Which hooks run. Default: those that `cordon list` shows. */
export type StrandsOptions = Partial<Omit<HookHostOptions, "sessionFile">> & ToolNameOptions;

const SESSION = { type: "session" as const, entries: [], sessionFile: null, previousSessionFile: null };

/** Runs hooks in agents of the Strands SDK: `new Agent({ plugins: [cordon()] })`. */
export class CordonPlugin implements AsyncDisposable {
  readonly name = "cordon";
  readonly #given: HookHost | undefined;
  readonly #options: Partial<HookHostOptions>;
  readonly #names: ToolNameOptions;
  #own: Promise<HookHost> | undefined;

  constructor(given: HookHost | StrandsOptions, names: ToolNameOptions) {
    const { toolNames, ...options } = given instanceof HookHost ? names : given;
    this.#given = given instanceof HookHost ? given : undefined;
    this.#options = options;
    this.#names = toolNames ? { toolNames } : {};
  }

  /** The host: the one that was given, or one of its own, which starts with the first agent. */
  host(): Promise<HookHost> {
    this.#own ??= this.#given ? Promise.resolve(this.#given) : this.#start();
    return this.#own;
  }

  async #start(): Promise<HookHost> {
    const host = await HookHost.start({ cwd: process.cwd(), ...this.#options });
    await host.emit({ ...SESSION, reason: "start" });
    return host;
  }

  /** The SDK calls it before the agent's first request. If it rejects, the agent runs nothing. */
  async initAgent(agent: object): Promise<void> {
    const strands = agent as StrandsAgent;
    const sdk = await sdkOf(strands);
    const host = await this.host();
    const guarded = guardRegistry(strands.toolRegistry, { sdk, gates: new ToolGates(host, this.#names) });
    // Another plugin may choose a tool that is in no registry. It is asked last.
    const order = Number.POSITIVE_INFINITY;
    strands.addHook(
      sdk.BeforeToolCallEvent,
      (event) => {
        if (event.selectedTool) event.selectedTool = guarded(event.selectedTool);
      },
      { order },
    );
    const events = new InvocationEvents(host, strands);
    strands.addHook(sdk.BeforeInvocationEvent, () => events.start());
    strands.addHook(sdk.BeforeModelCallEvent, () => events.turn());
    strands.addHook(sdk.AfterInvocationEvent, () => events.end());
  }

  /** Tells hooks that the session is over, and ends the host if it is the plugin's own. Agents' calls are blocked then. */
  async close(): Promise<void> {
    if (this.#given || !this.#own) return;
    const host = await this.#own.catch(() => undefined);
    await host?.emit({ ...SESSION, reason: "shutdown" });
    await host?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * A plugin for agents of the Strands SDK. With a host, that one judges; without, it starts one with these options. What hooks
 * judged is what runs; a block is the tool's error, `Blocked by hook <id>: <reason>`, which the model reads.
 */
export const cordon = (given: HookHost | StrandsOptions = {}, names: ToolNameOptions = {}): CordonPlugin =>
  new CordonPlugin(given, names);
