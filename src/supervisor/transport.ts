import type { TextOrParts } from "../base/large-value.ts";
import type { Failure } from "./outcome.ts";

/** Why a process ended. `summary` completes a sentence that begins with the hook or its process. */
export type Exit = Pick<Failure, "code" | "summary">;

/** Receives what isolates send. If it throws, the process is killed for a protocol violation. */
export interface TransportListener {
  frame(kind: number, number: number, text: string): void;
  exit(exit: Exit): void;
}

/** The connection to the process where isolates run: a sandbox process, or for a trusted hook the agent's own. */
export interface Transport {
  /** Resolves when bundles can be loaded; rejects if it ends first. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  readonly alive: boolean;
  /** `undefined` for the agent's own process. */
  readonly pid: number | undefined;
  /** Bytes sent to it that it has not read yet. */
  readonly unread: number;
  /** Time that the host has spent on its frames, in ms. */
  readonly hostMs: number;
  /** After its end: the isolate that it entered last, as it noted before each entry if it has several. */
  readonly lastEntered: number | undefined;
  /** After its end: the isolate whose frame it was ended for, if it was. */
  readonly condemned: number | undefined;
  /** Sends all further frames and the exit to `listener`. */
  listen(listener: TransportListener): void;
  /** Throws for a text that is too long for a frame. */
  send(kind: number, number: number, text: TextOrParts): void;
  /** Answers a synchronous request, for which the process blocks. */
  answer(number: number, text: TextOrParts): void;
  ping(number: number): void;
  /** Ends the process. The listener receives `exit` with this reason when it is gone. */
  kill(exit: Exit): void;
}
