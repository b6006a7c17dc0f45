import { vi } from "vitest";

/**
 * Waits until a check passes: at once on a quick machine. Vitest's own deadline is a second, in which a machine with other work to
 * do starts no process.
 */
export const eventually = <Value>(check: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(check, { timeout: 20_000 });
