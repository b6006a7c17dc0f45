import type { ReadStream } from "node:tty";

/** How long nothing may have been typed before a question is shown, in ms: a person has not read it yet. */
const QUIET_MS = 200;
/** Who still types then leaves the question. */
const MOST_MS = 5000;

const CONTROL_C = "\u0003";
const CONTROL_D = "\u0004";

/**
 * Forgets what was typed before a question is shown: it was meant for something else, and a `y` in it would say yes. What leaves a
 * question leaves this one. The terminal is in raw mode then: it would keep a line that has not ended for the question.
 */
export async function forgetTyped(input: ReadStream): Promise<void> {
  if (!input.isTTY) return;
  input.setRawMode(true);
  const { promise: quiet, resolve } = Promise.withResolvers<void>();
  let leaves = false;
  const timer = setTimeout(resolve, QUIET_MS);
  const end = setTimeout(() => {
    leaves = true;
    resolve();
  }, MOST_MS);
  const forget = (typed: Buffer | string): void => {
    leaves ||= typed.includes(CONTROL_C) || typed.includes(CONTROL_D);
    timer.refresh();
  };
  input.on("data", forget);
  await quiet;
  input.off("data", forget).pause();
  clearTimeout(timer);
  clearTimeout(end);
  if (leaves) input.unshift(CONTROL_C);
}
