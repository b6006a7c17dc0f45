import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startSession } from "../support/session.ts";
import { granted } from "./provider-facts.ts";

const REQUEST = {
  model: { provider: "mine", id: "auto" },
  thinkingLevel: "high",
  reason: "user",
  messages: [{ role: "user", content: "hello" }],
};
const AUTO = { provider: "mine", id: "auto" };

/** A hook that chooses so. */
async function choosing(
  route: string,
  providers: Parameters<typeof granted>[0] = [{ name: "mine", routes: true }],
  more = "",
) {
  const source = `export default (pi: any) => {
    pi.on("tool_call", () => {});
    pi.registerVirtualModel({ provider: "mine", id: "auto", name: "Auto", thinkingLevels: ["low", "high"], contextWindow: 10, maxTokens: 5, async route(request: any, ctx: any) { ${route} } });
    ${more}
  };`;
  return startSession({ one: { source, grant: granted(providers) } });
}

const FIRST = `return { model: { provider: "acme", id: "big", headers: { key: "x" } }, thinkingLevel: request.thinkingLevel, state: { n: (request.state?.n ?? 0) + 1 } };`;

test("a hook chooses the model for each request, and keeps what it wants to know at the next", async () => {
  const { host } = await choosing(FIRST);
  expect(host.providers.virtualModels).toEqual([
    { ...AUTO, hook: "one", name: "Auto", thinkingLevels: ["low", "high"], contextWindow: 10, maxTokens: 5 },
  ]);
  const first = await host.providers.route(AUTO, REQUEST);
  expect(first).toEqual({ model: { provider: "acme", id: "big" }, thinkingLevel: "high", state: { n: 1 } });
  expect(await host.providers.route(AUTO, { ...REQUEST, state: first.state })).toMatchObject({ state: { n: 2 } });
});

test("it is refused without its right, which no other entry of a provider gives", async () => {
  for (const providers of [
    [],
    [{ name: "mine", streams: true as const }],
    [{ name: "other", routes: true as const }],
  ]) {
    const { host, log } = await choosing(FIRST, providers);
    expect(host.providers.virtualModels).toEqual([]);
    expect(log.map(({ text }) => text).join()).toMatch(/was not granted providers: choose a model for mine\/auto/);
    await expect(host.providers.route(AUTO, REQUEST)).rejects.toThrow("no hook has the virtual model mine/auto");
  }
});

test("among the agent's own models it needs the right to take their place", async () => {
  const source = `export default (pi: any) => { pi.on("tool_call", () => {}); pi.registerVirtualModel({ provider: "anthropic", id: "claude", name: "Claude", route() {} }); };`;
  const start = (replaces: object) =>
    startSession({ one: { source, grant: granted([{ name: "anthropic", routes: true, ...replaces }]) } });
  expect((await start({})).host.providers.virtualModels).toEqual([]);
  expect((await start({ replaces: true })).host.providers.virtualModels).toHaveLength(1);
});

test.each([
  ["throws", `throw new Error("no choice");`, /no choice/],
  ["chooses nothing", "", /chose no model/],
  ["chooses no name", `return { model: { provider: 5, id: "x" }, thinkingLevel: "off" };`, /chose no model/],
  [
    "chooses a level that is none",
    `return { model: { provider: "a", id: "b" }, thinkingLevel: "very" };`,
    /chose no model/,
  ],
  [
    "keeps more than 100,000 characters",
    `return { model: { provider: "a", id: "b" }, thinkingLevel: "off", state: "x".repeat(100_000) };`,
    /keeps too much/,
  ],
  ["dies", "for (;;) {}", /cannot run its provider/],
])(
  "a choice that %s rejects with why",
  async (_name, route, error) => {
    const { host } = await choosing(route);
    await expect(host.providers.route(AUTO, REQUEST)).rejects.toThrow(error);
  },
  30_000,
);

test("a choice is aborted with its request", async () => {
  const { host } = await choosing(
    `await new Promise((_done, fail) => request.signal.addEventListener("abort", () => fail(new Error("stopped"))));`,
  );
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  await expect(host.providers.route(AUTO, REQUEST, stop.signal)).rejects.toThrow("stopped");
});

test("it is gone when the hook takes it back or is revoked; hostile names and a thousand are refused", async () => {
  const back = await choosing(FIRST, undefined, `pi.unregisterVirtualModel("mine", "auto");`);
  expect(back.host.providers.virtualModels).toEqual([]);
  const { host } = await choosing(FIRST);
  host.grants.revoke("one", "providers");
  expect(host.providers.virtualModels).toEqual([]);
  const hostile = await choosing(
    FIRST,
    undefined,
    `for (const id of ["\\u001b[31m", "a\\u202eb", "", "x".repeat(201)]) pi.registerVirtualModel({ provider: "mine", id, name: "x", route() {} });`,
  );
  await eventually(() => expect(hostile.log.length).toBeGreaterThanOrEqual(4));
  expect(hostile.host.providers.virtualModels).toHaveLength(1);
  const many = await choosing(
    FIRST,
    undefined,
    `for (let at = 0; at < 1000; at++) pi.registerVirtualModel({ provider: "mine", id: "m" + at, name: "x", route() {} });`,
  );
  expect(many.host.providers.virtualModels).toHaveLength(20);
});
