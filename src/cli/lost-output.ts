import { messageOf } from "../base/errors.ts";
import { say } from "./print.ts";

const lost = new AbortController();

/**
 * Aborted once nobody reads standard output any more, or it cannot be written. Commands do their work all the same, and their exit
 * code says how it went: only what does nothing but print, until a person ends it, ends by this.
 */
export const outputLost: AbortSignal = lost.signal;

/** Has whatever is printed dropped once it cannot be written. A closed pipe is no fault; a full disk is told, and the exit code is 1. */
export function dropLostOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!outputLost.aborted && error.code !== "EPIPE") {
      say`cordon: ${`standard output cannot be written: ${messageOf(error)}`}`;
      // Some commands end by themselves, and know nothing of this.
      process.on("exit", () => {
        process.exitCode ||= 1;
      });
    }
    lost.abort();
  });
  process.stderr.on("error", () => {});
}
