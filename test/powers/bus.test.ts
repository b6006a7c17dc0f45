import { describe, expect, test, vi } from "vitest";
import { MAX_BUS_MESSAGE } from "../../sandbox/wire/operations.ts";
import { CAPABILITIES } from "../../src/powers/index.ts";
import { eventually } from "../support/eventually.ts";
import { sampled } from "../support/length.ts";
import { type Sources, startSession } from "../support/session.ts";

/** Emits what a tool call says. */
const SPEAKER = `export default (pi: any) => {
  pi.on("tool_call", (event: any) => { if (event.toolName === "say") pi.events.emit(event.input.channel, event.input.data); });
};`;

/** Tells, as the reason of a block, what it heard. */
const listener = (...channels: string[]): string => `const heard: unknown[] = [];
export default (pi: any) => {
  for (const channel of ${JSON.stringify(channels)}) pi.events.on(channel, (data: unknown) => { heard.push(channel, data); });
  pi.on("tool_call", (event: any) => event.toolName === "heard" ? { block: true, reason: JSON.stringify(heard) } : undefined);
};`;

const grant = (...bus: string[]) => ({
  grant: { capabilities: { events: { see: ["tool_call"], block: true }, ...(bus.length > 0 ? { bus } : {}) } },
});

async function session(sources: Sources) {
  const all = await startSession(sources);
  const heard = async (): Promise<unknown[]> => {
    const verdict = await all.call({}, "heard");
    return verdict && "reason" in verdict ? JSON.parse(verdict.reason) : [];
  };
  /** What was heard once `count` things were, or after a moment. */
  const hears = async (count: number): Promise<unknown[]> => {
    await vi.waitFor(async () => expect((await heard()).length).toBeGreaterThanOrEqual(count), 3000).catch(() => {});
    return heard();
  };
  return { ...all, say: (channel: string, data: unknown = 1) => all.call({ channel, data }, "say"), heard, hears };
}

const pair = (speaker: object, listens: object, ...channels: string[]) =>
  session({ speaker: { source: SPEAKER, ...speaker }, listener: { source: listener(...channels), ...listens } });

test("bundles that were both granted a channel hear each other on it, as plain JSON", async () => {
  const { say, hears, audit, errors } = await pair(grant("a"), grant("a"), "a");
  await say("a", { text: "hi", list: [1, null] });
  expect(await hears(2)).toEqual(["a", { text: "hi", list: [1, null] }]);
  expect(
    audit
      .filter(({ capability }) => capability?.startsWith("bus"))
      .map(({ hook, capability, value }) => [hook, capability, value]),
  ).toEqual([
    ["listener", "bus.listen", "a"],
    ["speaker", "bus.emit", "a"],
  ]);
  expect(errors).toEqual([]);
});

const UNJOINED: [claim: string, speaker: string[], listens: string[]][] = [
  ["the one who speaks has no grant", [], ["a"]],
  ["the one who listens has no grant", ["a"], []],
  ["neither has one", [], []],
  ["they have different channels", ["b"], ["a"]],
  ["a grant is a name, and no pattern", ["*"], ["*"]],
  ["a longer name is another channel", ["aa"], ["a"]],
];

test.each(sampled(UNJOINED, 3))("nothing passes where %s", async (_claim, speaker, listens) => {
  const { say, heard, hears, audit } = await pair(grant(...speaker), grant(...listens), "a");
  await say("a");
  await hears(1);
  expect(await heard()).toEqual([]);
  expect(audit.map(({ outcome }) => outcome)).toContain("NOT_GRANTED");
});

test("a refusal is told once, in one line that names the power, the channel and the remedy", async () => {
  const { say, errors } = await pair(grant(), grant("a"), "a");
  for (let count = 0; count < 3; count++) await say("a");
  await eventually(() => expect(errors).not.toEqual([]));
  expect(errors.map(({ error }) => error)).toEqual([
    expect.stringMatching(/speaker.*bus.*a.*; add "bus": \["a"\] to the grant that its host gives it/),
  ]);
});

test("what a bundle says itself, it hears without a grant, at once", async () => {
  const { call } = await startSession({
    own: `let heard: unknown; export default (pi: any) => { pi.events.on("a", (data: unknown) => { heard = data; });
      pi.on("tool_call", () => { pi.events.emit("a", "mine"); return { block: true, reason: String(heard) }; }); };`,
  });
  expect(await call()).toMatchObject({ reason: "mine" });
});

test("a hook does not hear what it said a second time", async () => {
  const both = `const heard: unknown[] = []; export default (pi: any) => { pi.events.on("a", (data: unknown) => { heard.push(data); });
    pi.on("tool_call", (event: any) => { if (event.toolName === "say") pi.events.emit("a", 1); else return { block: true, reason: JSON.stringify(heard) }; }); };`;
  const { say, hears } = await session({ both: { source: both, ...grant("a") } });
  await say("a");
  expect(await hears(2)).toEqual([1]);
});

test("a message cannot change what the other bundle's objects inherit", async () => {
  const { call } = await session({
    speaker: {
      source: `export default (pi: any) => { pi.on("tool_call", () => {
        pi.events.emit("a", JSON.parse('{"__proto__": {"bad": true}, "constructor": {"prototype": {"bad": true}}, "ok": 1}')); }); };`,
      ...grant("a"),
    },
    listener: {
      source: `let seen: unknown = "nothing"; export default (pi: any) => {
        pi.events.on("a", (data: any) => { const merged: any = {}; for (const key in data) merged[key] = data[key];
          seen = [Object.keys(data), ({} as any).bad === undefined, merged.bad === undefined, data instanceof Object]; });
        pi.on("tool_call", (event: any) => ({ block: true, reason: JSON.stringify(seen) })); };`,
      ...grant("a"),
    },
  });
  await eventually(async () => expect(await call()).toMatchObject({ reason: '[["constructor","ok"],true,true,true]' }));
});

test("a listener that throws is reported, and the others hear the message", async () => {
  const { say, hears, errors } = await session({
    speaker: { source: SPEAKER, ...grant("a") },
    listener: {
      source: listener("a").replace(
        "export default (pi: any) => {",
        `export default (pi: any) => {
        pi.events.on("a", () => { throw new Error("broken"); }); pi.events.on("a", async () => { throw new Error("later"); });`,
      ),
      ...grant("a"),
    },
  });
  await say("a");
  expect(await hears(2)).toEqual(["a", 1]);
  expect(errors.map(({ hookPath, event, error }) => [hookPath.split("/").at(-1), event, error])).toEqual([
    ["listener.ts", "bus", "broken"],
    ["listener.ts", "bus", "later"],
  ]);
});

test("a listener that never settles keeps no tool call waiting, neither its own hook's nor the sender's", async () => {
  const { say, call, host } = await session({
    speaker: { source: SPEAKER, ...grant("a") },
    listener: {
      source: `export default (pi: any) => { pi.events.on("a", () => new Promise(() => {}));
        pi.on("tool_call", (event: any) => event.toolName === "bash" ? { block: true, reason: "judged" } : undefined); };`,
      ...grant("a"),
    },
  });
  await say("a");
  const started = performance.now();
  for (let count = 0; count < 5; count++) expect(await call()).toMatchObject({ reason: "judged" });
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(host.hooks.every(({ state }) => state === "active")).toBe(true);
});

test("a flood is cut: so many messages a minute, and so many that wait for a slow listener", async () => {
  const { call, audit, errors, heard } = await session({
    speaker: {
      source: `export default (pi: any) => { pi.on("tool_call", async (event: any) => { if (event.toolName === "flood")
        for (let at = 0; at < 640; at++) { pi.events.emit("a", at); if (at % 20 === 0) await new Promise((done) => setTimeout(done, 100)); } }); };`,
      ...grant("a"),
    },
    listener: {
      source: listener("a").replace(
        "(data: unknown) => {",
        "async (data: unknown) => { if (data === 0) await new Promise((done) => setTimeout(done, 6000));",
      ),
      ...grant("a"),
    },
  });
  await call({}, "flood");
  await eventually(async () => expect((await heard()).length).toBeGreaterThan(100));
  const limited = audit.filter(({ outcome }) => outcome === "RATE_LIMITED");
  expect(limited.some(({ hook, capability }) => hook === "speaker" && capability === "bus.emit")).toBe(true);
  expect(limited.some(({ hook, capability }) => hook === "listener" && capability === "bus")).toBe(true);
  // A listener's name and its data, for the first message and for those that waited.
  expect((await heard()).length).toBeLessThanOrEqual(2 * 102);
  expect(errors.every(({ code }) => code === "RATE_LIMITED")).toBe(true);
});

describe("the size of a message", () => {
  const emit = CAPABILITIES.get("bus.emit");
  const ask = (data: unknown) => emit?.ask(["a", data], {} as never);
  // The quotation marks count.
  const text = (length: number): string => "x".repeat(length - 2);

  test("at the limit it is taken, and one over it is no honest program's", () => {
    expect(() => ask(text(MAX_BUS_MESSAGE))).not.toThrow();
    expect(() => ask(text(MAX_BUS_MESSAGE + 1))).toThrow("too long");
  });

  test("a hook's own mistake is told to it, and its process lives", async () => {
    const { say, host, log, hears } = await pair(grant("a", "x".repeat(64)), grant("a"), "a");
    await say("a", "y".repeat(MAX_BUS_MESSAGE));
    await say("x".repeat(65));
    await eventually(() => expect(log.filter(({ text }) => text.includes("reaches no other hook"))).toHaveLength(2));
    await say("a", "short");
    expect(await hears(2)).toEqual(["a", "short"]);
    expect(host.hooks.every(({ state }) => state === "active")).toBe(true);
  });
});

test("what was revoked is heard no more, and a restarted hook hears again", async () => {
  const { say, hears, host } = await pair(grant("a"), grant("a"), "a");
  await say("a", 1);
  expect(await hears(2)).toEqual(["a", 1]);
  await host.reload("listener");
  await say("a", 2);
  expect(await hears(2)).toEqual(["a", 2]);
});
