import { expect, test } from "vitest";
import { startFacts } from "../guest/facts.ts";

test("ctx.sessionManager is one object in all events of a session, and another in the next session", async () => {
  const keep = `const seen = ((globalThis as any).seen ??= []); seen.push(ctx.sessionManager);`;
  const { ask, host } = await startFacts(
    {
      first: `${keep} return [ctx.sessionManager === ctx.sessionManager, ctx.sessionManager.getSessionId()];`,
      again: `${keep} return [seen[0] === seen.at(-1), seen[0].getEntries()];`,
    },
    {
      sessionFile: "/s/2026_one.jsonl",
      agent: { session: { entries: () => [{ type: "custom", id: "a" }] } },
      grant: { capabilities: { session: ["entries"] } },
    },
  );
  expect(await ask("first")).toEqual([true, "one"]);
  expect(await ask("again")).toEqual([true, [{ type: "custom", id: "a" }]]);
  host.setSessionFile("/s/2026_two.jsonl");
  expect((await ask("again")) as unknown[]).toEqual([false, [{ type: "custom", id: "a" }]]);
});
