import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

const GATE = `export default (pi: any) => { pi.on("tool_call", (event: any) => event.input.command === "x" ? { block: true, reason: "no x" } : undefined); };`;

// biome-ignore format: a table
const NEIGHBOURS: readonly [what: string, source: string][] = [
  ["loops in a timer", `export default () => { setTimeout(() => { for (;;); }, 200); };`],
  ["registers without end in a timer", `export default (pi: any) => { setInterval(() => { for (let at = 0; at < 5000; at++) pi.registerFlag("f" + (at % 7), { type: "boolean" }); }, 400); };`],
  ["never ends loading", `await new Promise(() => {}); export default () => {};`],
];

test.each(NEIGHBOURS)(
  "a neighbour that %s is stopped, and the gate beside it goes on",
  async (_what, source) => {
    const session = await startSession({ gate: GATE, noisy: source });
    const state = (id: string) => session.host.hooks.find((hook) => hook.id === id)?.state;
    const until = Date.now() + 45_000;
    const wrong: unknown[] = [];
    while (Date.now() < until && !["stopped", "failed"].includes(state("noisy") ?? "")) {
      const verdict = await session.call("x");
      // While their process starts again, a call is blocked by whoever is not there.
      if (!verdict || !("block" in verdict)) wrong.push(verdict);
      await new Promise((done) => setTimeout(done, 50));
    }
    expect(wrong).toEqual([]);
    expect(state("noisy")).toMatch(/stopped|failed/);
    await expect.poll(() => state("gate")).toBe("active");
    expect(await session.call("x")).toMatchObject({ block: true });
  },
  60_000,
);
