import type { HookEvent } from "../../src/hook-api.ts";

/** An event that a hook can answer without a tool call: `{ cancel: true }` shows that it is running. */
export const clearing = (): HookEvent => ({
  type: "session",
  reason: "before_clear",
  entries: [],
  sessionFile: null,
  previousSessionFile: null,
});
