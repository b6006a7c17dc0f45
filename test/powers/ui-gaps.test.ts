import { expect, test } from "vitest";
import { RateLimit } from "../../src/base/rate-limit.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { startFacts } from "../guest/facts.ts";
import { scriptedUi } from "../support/session.ts";

/** What a person sees and what counts as an answer, beyond the attacks on dialogs. */

test("a message and a placeholder of their maximum length are shown in full, longer ones are cut", async () => {
  const ui = scriptedUi();
  const { ask } = await startFacts(
    Object.fromEntries(
      [1000, 1001, 4000, 4001].flatMap((length) => [
        [`confirm ${length}`, `return await ctx.ui.confirm("?", "x".repeat(${length}));`],
        [`input ${length}`, `return await ctx.ui.input("?", "x".repeat(${length}));`],
      ]),
    ),
    { ui },
  );
  const shown = async (fact: string): Promise<string> => {
    await ask(fact);
    return ui.shown.at(-1)?.rest as string;
  };
  for (const [kind, most, mark] of [
    ["confirm", 4000, "| "],
    ["input", 1000, ""],
  ] as const) {
    expect(await shown(`${kind} ${most}`)).toBe(`${mark}${"x".repeat(most)}`);
    expect(await shown(`${kind} ${most + 1}`)).toBe(`${mark}${"x".repeat(most - 1)}…`);
  }
});

test.each(["yes", 1, {}, Symbol("cancelled"), undefined, null, false])(
  "the answer %s of an interface to a confirmation counts as no",
  async (answer) => {
    const ui = { ...scriptedUi(), confirm: async () => answer } as unknown as NonNullable<HookHostOptions["ui"]>;
    const { ask, errors } = await startFacts({ confirm: 'return await ctx.ui.confirm("Sure?", "");' }, { ui });
    expect(await ask("confirm")).toBe(false);
    expect(errors).toEqual([]);
  },
);

test.each([5, true, { text: "x" }, Symbol("cancelled"), undefined, null])(
  "the answer %s of an interface to a question for text counts as no answer",
  async (answer) => {
    const ui = { ...scriptedUi(), input: async () => answer } as unknown as NonNullable<HookHostOptions["ui"]>;
    const { ask, errors } = await startFacts({ input: 'return await ctx.ui.input("Name?");' }, { ui });
    expect(await ask("input")).toBeNull();
    expect(errors).toEqual([]);
  },
);

test("a choice with too many options is never shown, even for a direct request", async () => {
  const ui = scriptedUi({ select: (_title, options) => options.at(-1) as string });
  const forged = (count: number) =>
    `const host = (globalThis as any)[Symbol.for("cordon.host")];
    return await host.call("ui.select", ["?", Array.from({ length: ${count} }, (_, at) => String(at))]);`;
  const { ask } = await startFacts({ most: forged(200), more: forged(201) }, { ui });
  expect(await ask("most")).toBe("199");
  await ask("more").catch(() => {});
  expect(ui.shown.filter(({ title }) => title.startsWith("[hook teller]"))).toHaveLength(1);
});

test("each use counts for one minute", () => {
  const limit = new RateLimit();
  expect([0, 10_000].map((now) => limit.use(2, now))).toEqual([true, true]);
  expect([10_001, 59_999].map((now) => limit.use(2, now))).toEqual([false, false]);
  // One of the two is a minute old, so one more may pass.
  expect([60_000, 60_001, 69_999].map((now) => limit.use(2, now))).toEqual([true, false, false]);
  expect(limit.use(2, 70_000)).toBe(true);
});

test("texts in a message's attachments are cleaned like the message", async () => {
  const sent: unknown[] = [];
  const { ask } = await startFacts(
    {
      send: `pi.send("x", [{ type: "text", parts: [{ text: "\\u001b[2Jgone\\u202e\\u200b", size: 5 }] }]);
        await new Promise((done) => setTimeout(done, 100)); return 1;`,
    },
    { grant: { capabilities: { send: {} } }, onSend: (_text, attachments) => sent.push(attachments) },
  );
  await ask("send");
  await expect.poll(() => sent).toEqual([[{ type: "text", parts: [{ text: "gone", size: 5 }] }]]);
});

test("a refusal shows a path on one line, quoted and escaped, cut at 200 characters", async () => {
  const { ask, errors } = await startFacts(
    {
      line: `const { readFileSync } = await import("node:fs"); readFileSync("a\\ncordon: all is well\\u001b[2J\\u202e");`,
      long: `const { readFileSync } = await import("node:fs"); readFileSync("${"ab/".repeat(99)}");`,
    },
    { consent: () => "deny" },
  );
  await ask("line");
  await ask("long");
  expect(errors.map(({ error }) => error)).toEqual([
    String.raw`hook teller was not granted fs: read "a\ncordon: all is well\u001b[2J\u202e"; no grant names it alone`,
    expect.stringMatching(/^hook teller was not granted fs: .{199}…; no grant names it alone$/),
  ]);
});
