import { describe, expect, test } from "vitest";
import { expectSame } from "./compare.ts";
import { beforeCompact, hook } from "./events.ts";
import { COMPACTION, SESSION } from "./probes/session.ts";
import { type Capabilities, scenarioOf } from "./scenario.ts";

describe("session, agent and turn events do the same in Cordon as in pi", () => {
  test.each(SESSION)("%s", async (...probe) => {
    const { steps, loading } = await expectSame(scenarioOf(probe));
    expect(loading).toEqual([]);
    expect(steps.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test("the probes are meaningful: something is shown, cancelled, compacted and requested", async () => {
    const capabilities: Capabilities = { model: ["anthropic"] };
    const { steps } = await expectSame({
      hooks: {
        all: hook([
          [
            "session",
            `ctx.ui.notify(await event.resolveApiKey(event.model), "info"); return { cancel: true, compactionEntry: ${COMPACTION} };`,
          ],
        ]),
      },
      grant: capabilities,
      script: [{ emit: beforeCompact() }],
    });
    expect(steps[0]).toMatchObject({
      outcome: { cancel: true, compactionEntry: { summary: "short", firstKeptEntryIndex: 3, tokensBefore: 900 } },
      shown: [{ title: "key of m" }],
      notes: ["asked for the key of anthropic/m"],
    });
  });
});
