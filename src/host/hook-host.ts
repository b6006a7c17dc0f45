import { CordonError } from "../base/errors.ts";
import type { HookHostOptions } from "../session/options.ts";
import type { HookHost as Host } from "./host.ts";

let loaded: typeof Host | undefined;

/** Runs hooks for one agent session. */
export type HookHost = Host;

/** What starts one: the code that runs hooks is loaded then, and not by who only imports Cordon. */
export const HookHost: {
  /**
   * Finds, builds and loads all hooks. Also resolves if some of them failed: see `hooks`. Rejects with a
   * `CordonError` (`BAD_GRANT`) for bad options or grants.
   */
  start(options: HookHostOptions): Promise<Host>;
  [Symbol.hasInstance](value: unknown): value is Host;
} = class HookHost {
  constructor() {
    throw new CordonError("BAD_GRANT", "HookHost.start makes a HookHost");
  }

  static async start(options: HookHostOptions): Promise<Host> {
    loaded ??= (await import("./host.ts")).HookHost;
    return loaded.start(options);
  }

  static [Symbol.hasInstance](value: unknown): value is Host {
    return loaded !== undefined && value instanceof loaded;
  }
};
