import { expect, test } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { on, startSession } from "../support/session.ts";

const ASKS = on(
  "session",
  `try {
      console.log(String(await event.resolveApiKey(JSON.parse('MODEL'))));
    } catch (error: any) {
      console.log(error.code + " " + error.message);
    }`,
);
const asking = (model: object) => ASKS.replace("MODEL", JSON.stringify(model));

function compacts(asked: unknown[]): HookEvent {
  return {
    type: "session",
    reason: "before_compact",
    entries: [],
    sessionFile: null,
    previousSessionFile: null,
    signal: new AbortController().signal,
    resolveApiKey: async (model: unknown) => {
      asked.push(model);
      return "the key";
    },
  } as unknown as HookEvent;
}

const ANTHROPIC = { capabilities: { model: ["anthropic"] } };

test("a granted provider's key comes from the event's own function", async () => {
  const asked: unknown[] = [];
  const { host, log } = await startSession({
    asker: { source: asking({ provider: "anthropic", id: "m" }), grant: ANTHROPIC },
  });
  await host.emit(compacts(asked));
  expect(log.map(({ text }) => text)).toEqual(["the key"]);
  expect(asked).toEqual([{ provider: "anthropic", id: "m" }]);
});

test.each([
  { name: "without a grant", grant: undefined, model: { provider: "anthropic" } },
  { name: "for another provider than the granted one", grant: ANTHROPIC, model: { provider: "openai" } },
])("$name the key is refused, and the agent's function is not called", async ({ grant, model }) => {
  const asked: unknown[] = [];
  const { host, log, errors } = await startSession({ asker: { source: asking(model), grant } });
  await host.emit(compacts(asked));
  expect(log[0]?.text).toMatch(
    /^NOT_GRANTED .*model.*; (run: cordon grant \S*asker\S* model|add "model": .* to the grant that its host gives it)/,
  );
  expect(errors).toMatchObject([{ code: "NOT_GRANTED" }]);
  expect(asked).toEqual([]);
});

test.each([{}, { provider: 1 }, { provider: "x".repeat(100) }])(
  "the invalid model %j is an error to the hook, and its process survives",
  async (model) => {
    const { host, log, errors } = await startSession({ asker: { source: asking(model), grant: ANTHROPIC } });
    await host.emit(compacts([]));
    expect(log).toHaveLength(1);
    expect(errors.filter(({ code }) => code === "PROTOCOL_VIOLATION")).toEqual([]);
    expect(host.hooks[0]?.state).toBe("active");
  },
);
