import type { HookEvent } from "../../src/hook-api.ts";

/** An event that a hook can answer without any call being judged: `{ cancel: true }` shows that it lives. */
export const clearing = (): HookEvent => ({
  type: "session",
  reason: "before_clear",
  entries: [],
  sessionFile: null,
  previousSessionFile: null,
});
