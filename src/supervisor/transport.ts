import type { ErrorCode } from "../base/errors.ts";

/** Why a process is no more. */
export interface Exit {
  code: ErrorCode;
  /** What happened, as the end of a sentence about the hook or its process. */
  summary: string;
}

/** Hears what comes from the isolates. A throw from any of these ends the process as a protocol violation. */
export interface TransportListener {
  frame(kind: number, number: number, text: string): void;
  exit(exit: Exit): void;
}

/** The way to the place where isolates run: a sandbox process, or for a trusted hook the agent's own. */
export interface Transport {
  /** Resolves when bundles can be loaded; rejects if it ends first. */
  readonly ready: Promise<void>;
  /** Resolves once nothing of it is left. */
  readonly gone: Promise<void>;
  readonly alive: boolean;
  /** Of a process of its own. */
  readonly pid: number | undefined;
  /** Time that the host spent on its frames so far, in ms. */
  readonly hostMs: number;
  /** Once it is gone: the isolate it was in last, by its own word, in a run of several. */
  readonly lastEntered: number | undefined;
  /** From now on frames and the exit go here. */
  listen(listener: TransportListener): void;
  /** Throws for a text that is too long for a frame. */
  send(kind: number, number: number, text: string): void;
  /** The answer that it blocks for. */
  answer(number: number, text: string): void;
  ping(number: number): void;
  /** Ends it. The listener hears `exit` with this reason once it is gone. */
  kill(exit: Exit): void;
}
