/** Global symbol under which Cordon's replacements for Node's modules find the host. Any code of the hook can use it, too. */
export const BRIDGE = Symbol.for("cordon.host");

/** The host, for modules in a bundle. */
export interface Bridge {
  readonly cwd: string;
  readonly machine: { readonly home: string; readonly tmp: string; readonly platform: string; readonly arch: string };
  /** Blocks until the host has answered. Throws its refusal or failure, with a `code`. */
  sync(name: string, args: readonly unknown[]): unknown;
  /** The same without blocking. */
  call(name: string, args: readonly unknown[], signal?: object): Promise<unknown>;
  /** Random bytes as hexadecimal text. */
  random(bytes: number): string;
}
