import { expect, test } from "vitest";
import type { HookUIContext } from "../../src/hook-api.ts";
import { startFacts } from "../guest/facts.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

const BIDI = "\u202edesrever\u2066";
const DIALOGS = {
  select: 'return await ctx.ui.select("Which?", ["a", "b"]);',
  confirm: 'return await ctx.ui.confirm("Sure?", "really");',
  input: 'return await ctx.ui.input("Name?", "nobody");',
  notify: 'return String(ctx.ui.notify("Done", "warning"));',
};

test("without a user interface dialogs answer null, false and null, and a notice does nothing", async () => {
  const { ask, errors } = await startFacts({ ...DIALOGS, hasUI: "return ctx.hasUI;" });
  expect(await ask("hasUI")).toBe(false);
  expect(await ask("select")).toBeNull();
  expect(await ask("confirm")).toBe(false);
  expect(await ask("input")).toBeNull();
  expect(await ask("notify")).toBe("undefined");
  expect(errors).toEqual([]);
});

test("with a user interface, each dialog shows the hook's name before its title and returns the answer", async () => {
  const ui = scriptedUi({ select: (_title, options) => options[1] as string, confirm: true, input: "someone" });
  const { ask } = await startFacts({ ...DIALOGS, hasUI: "return ctx.hasUI;" }, { ui });
  expect(await ask("hasUI")).toBe(true);
  expect(await ask("select")).toBe("b");
  expect(await ask("confirm")).toBe(true);
  expect(await ask("input")).toBe("someone");
  await ask("notify");
  await expect.poll(() => ui.shown.length).toBe(4);
  expect(ui.shown).toEqual([
    { kind: "select", title: "[hook teller] Which?", rest: ["a", "b"] },
    { kind: "confirm", title: "[hook teller] Sure?", rest: "| really" },
    { kind: "input", title: "[hook teller] Name?", rest: "nobody" },
    { kind: "notify", title: "[hook teller] Done", rest: "warning" },
  ]);
});

test("a hook that asks often in one event is asked in the same one, which is read once", async () => {
  const asked: unknown[] = [];
  const confirm: HookUIContext["confirm"] = async (_title, _message, origin) => {
    asked.push(origin?.event);
    return true;
  };
  const { call } = await startSession(
    { asker: onToolCall('for (let at = 0; at < 2; at++) await ctx.ui.confirm("a", "b");') },
    { ui: { ...scriptedUi(), confirm }, hasUI: true },
  );
  await call("first");
  await call("second");
  expect(asked).toMatchObject(["first", "first", "second", "second"].map((command) => ({ input: { command } })));
  expect([asked[0] === asked[1], asked[2] === asked[3], asked[0] === asked[2]]).toEqual([true, true, false]);
});

test("a user interface that is set later is used", async () => {
  const ui = scriptedUi({ confirm: true });
  const { ask, host } = await startFacts(DIALOGS);
  host.setUIContext(ui, true);
  expect(await ask("confirm")).toBe(true);
});

test.each(["select", "confirm", "input"] as const)(
  "a %s of the agent's that fails is no fault of the hook's",
  async (kind) => {
    const ui = { ...scriptedUi(), [kind]: () => Promise.reject(new Error("Aborted with Ctrl+C")) };
    const { ask } = await startFacts({ a: `try { ${DIALOGS[kind]} } catch (error) { return error.message; }` }, { ui });
    expect(await ask("a")).toBe(`the agent's ${kind} dialog failed: Aborted with Ctrl+C`);
  },
);

const TEXTS: { name: string; given: string; shown: string }[] = [
  { name: "colours and cursor movements", given: "\u001b[31mred\u001b[2J\u001b]0;title\u0007!", shown: "red!" },
  { name: "characters that reorder text", given: `a${BIDI}b`, shown: "adesreverb" },
  { name: "invisible characters", given: "a\u200bb\u200fc\ufeffd\u{e0041}e", shown: "abcde" },
  { name: "control characters", given: "a\u0000b\u0008c\rd\u007fe", shown: "abcde" },
  { name: "newline and tab, which stay", given: "a\nb\tc", shown: "a\nb\tc" },
  { name: "letters of any script, which stay", given: "ä 漢字 عربى 😀", shown: "ä 漢字 عربى 😀" },
];

test.each(TEXTS)("$name in a title and a message", async ({ given, shown }) => {
  const ui = scriptedUi();
  const { ask } = await startFacts(
    { a: `return await ctx.ui.confirm(${JSON.stringify(given)}, ${JSON.stringify(given)});` },
    { ui },
  );
  await ask("a");
  const further = shown.replaceAll("\n", "\n| ");
  expect(ui.shown).toEqual([{ kind: "confirm", title: `[hook teller] ${further}`, rest: `| ${further}` }]);
});

test("texts that would fill screens are visibly cut", async () => {
  const ui = scriptedUi();
  const { ask } = await startFacts(
    { a: 'return await ctx.ui.confirm("t".repeat(50_000), "m".repeat(50_000));' },
    { ui },
  );
  await ask("a");
  const [{ title, rest }] = ui.shown as unknown as [{ title: string; rest: string }];
  for (const text of [title, rest]) {
    expect(text.length).toBeLessThan(5000);
    expect(text.endsWith("…")).toBe(true);
  }
});

test("the answer is the hook's own original option, however it was shown", async () => {
  const ui = scriptedUi({ select: (_title, options) => options[0] as string });
  const { ask } = await startFacts(
    { a: 'return await ctx.ui.select("?", ["\\u001b[1mbold\\u001b[0m", "plain"]);' },
    { ui },
  );
  expect(await ask("a")).toBe("\u001b[1mbold\u001b[0m");
  expect(ui.shown[0]?.rest).toEqual(["bold", "plain"]);
});

test("options that look alike are numbered, and the picked one is returned", async () => {
  const ui = scriptedUi({ select: (_title, options) => options[2] as string });
  const { ask } = await startFacts({ a: 'return await ctx.ui.select("?", ["yes", "no", "yes\\u200b"]);' }, { ui });
  expect(await ask("a")).toBe("yes\u200b");
  expect(new Set(ui.shown[0]?.rest as string[]).size).toBe(3);
});

test("options stay distinct when a numbered one looks like another option of the hook", async () => {
  const ui = scriptedUi({ select: (_title, options) => options[2] as string });
  const { ask } = await startFacts({ a: 'return await ctx.ui.select("?", ["a (3)", "a", "a"]);' }, { ui });
  expect(await ask("a")).toBe("a");
  expect(new Set(ui.shown[0]?.rest as string[]).size).toBe(3);
});

test("an answer that is not one of the options counts as no answer", async () => {
  const ui = scriptedUi({ select: () => "something else" });
  const { ask } = await startFacts(DIALOGS, { ui });
  expect(await ask("select")).toBeNull();
});

test("a dialog without a grant is NOT_GRANTED", async () => {
  const grant = { capabilities: { ui: ["notify" as const] } };
  const { ask, errors } = await startFacts(DIALOGS, { ui: scriptedUi(), grant, consent: () => "deny" });
  expect(await ask("confirm")).toMatchObject({ code: "NOT_GRANTED" });
  expect(errors).toMatchObject([{ code: "NOT_GRANTED" }]);
});

test("a dialog that fails in the interface is an error to the hook", async () => {
  const ui = { ...scriptedUi(), confirm: async () => Promise.reject(new Error("no terminal")) };
  const { ask } = await startFacts(DIALOGS, { ui });
  expect(await ask("confirm")).toMatchObject({ threw: expect.stringContaining("no terminal") });
});
