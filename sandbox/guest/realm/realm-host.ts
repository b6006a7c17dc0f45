import type { LazyCode } from "../../wire/lazy-code.ts";
import type { AbortSignal } from "./globals/abort.ts";
import type { TimerHost } from "./timers.ts";

/** Makes what a file of lazy code exports, in the hook's realm. `given`: what a library shares with the bundle. */
export type MakesExports = (given?: object) => Readonly<Record<string, unknown>>;

/** What the realm needs from the runtime. */
export interface RealmHost extends TimerHost {
  readonly eval: boolean;
  readonly wasm: boolean;
  readonly cwd: string;
  readonly machine: object;
  /** Global properties for modules in a bundle. */
  readonly offers: readonly { readonly name: symbol; readonly value: unknown }[];
  log(level: "debug" | "info" | "warn" | "error", text: string, at: string | undefined): void;
  /** Keeps a tool of the hook's for the host to run by this name. */
  agentTool(name: unknown, tool: unknown): void;
  /** A counted branch of the bundle ran. */
  reached(branch: unknown): void;
  /** Random bytes as hexadecimal text. */
  random(bytes: number): string;
  /** A key from a password, and the like. `text`: JSON of a `Derivation`, a `CurveRequest` or a `DigestRequest`. */
  derive(text: string): string;
  /** The bytes of a text as UTF-8, in base64. Returns an empty text for one that is too long. */
  bytesOfText(text: string): string;
  /** The text of bytes in UTF-8, as Node reads them. Returns an empty text if they are too many. */
  textOfBytes(base64: string): string;
  /** Reads a file of lazy code. */
  lazyCode(name: LazyCode): MakesExports;
  sync(name: string, args: readonly unknown[]): unknown;
  call(name: string, args: readonly unknown[], signal: AbortSignal | undefined): Promise<unknown>;
}

/** The functions of the realm that the runtime uses after the globals are installed. */
export interface Furniture {
  /** Runs the timers that are due. */
  tick(): void;
  /** Four functions of the console, captured before a hook could replace them. */
  readonly logger: Readonly<Record<"debug" | "info" | "warn" | "error", (...parts: unknown[]) => void>>;
}
