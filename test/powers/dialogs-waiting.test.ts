import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";

const LIMIT = 1_000_000;
/** The maximum number of characters in a dialog's frame besides its texts. */
const AROUND = 300;

/** Opens dialogs that stay unanswered, each with a title of so many characters, and returns the outcome of the last. */
const opening = (count: number, length: number) => `
  const open = [];
  for (let at = 0; at < ${count}; at++) open.push(ctx.ui.confirm("x".repeat(${length}), "").then(() => "answered", (error) => error.code));
  return { block: true, reason: String(await Promise.race([open.at(-1), new Promise((done) => setTimeout(done, 300, "open"))])) };`;

test.each([
  ["at the limit wait", 10, Math.floor(LIMIT / 10) - AROUND, "open"],
  ["one over the limit is refused", 10, Math.floor(LIMIT / 9), "RATE_LIMITED"],
  ["a single one over the limit is refused", 1, LIMIT, "RATE_LIMITED"],
])("unanswered dialogs of one hook: %s", async (_name, count, length, expected) => {
  const ui = {
    select: async () => null,
    confirm: () => new Promise<boolean>(() => {}),
    input: async () => null,
    notify: () => {},
  };
  const session = await startSession({ asker: onToolCall(opening(count, length)) }, { ui, hasUI: true });
  expect(await session.call()).toMatchObject({ block: true, reason: expected });
  expect(session.host.hooks[0]?.state).toBe("active");
});
