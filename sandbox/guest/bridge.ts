import type { GuestInit } from "../protocol.ts";
import { AbortSignal } from "./globals/abort.ts";
import { checkCall, checkSize } from "./limits.ts";
import type { Port } from "./port.ts";
import { parse, stringify } from "./primordials.ts";
import type { Remote } from "./remote.ts";

/** Where the modules that stand in for Node's find the host. What they can ask of it, any code of the hook's can. */
export const BRIDGE = Symbol.for("cordon.host");

/** The host, for modules in a bundle. */
export interface Bridge {
  readonly cwd: string;
  readonly machine: GuestInit["machine"];
  /** Blocks until the host has answered. Throws its refusal or failure, with a `code`. */
  sync(name: string, args: readonly unknown[]): unknown;
  /** The same without blocking. */
  call(name: string, args: readonly unknown[], signal?: object): Promise<unknown>;
  /** Random bytes as hexadecimal text. */
  random(bytes: number): string;
}

export function installBridge({ cwd, machine }: GuestInit, port: Port, remote: Remote): void {
  const bridge: Bridge = Object.freeze({
    cwd,
    machine: Object.freeze(machine),
    sync(name: string, args: readonly unknown[]) {
      const plain = parse(checkCall(stringify(args), name));
      checkSize(plain, "RATE_LIMITED", name);
      return port.ask({ op: name, dispatch: 0, args: plain });
    },
    call: (name: string, args: readonly unknown[], signal?: object) =>
      remote.call(name, 0, args, signal instanceof AbortSignal ? signal : undefined),
    random: (bytes: number) => port.random(bytes),
  });
  Object.defineProperty(globalThis, BRIDGE, { value: bridge });
}
