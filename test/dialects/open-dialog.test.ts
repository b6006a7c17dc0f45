import { expect, test } from "vitest";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

/** A guard that does not wait for a person's answer lets every call pass, and looks as if it asked. */

const HINT = "a tool_call handler ended before its dialog was answered; is an await missing?";

async function hints(body: string): Promise<string[]> {
  const ui = scriptedUi({ confirm: true, select: () => "a" });
  const later = <Answer>(answer: Answer): Promise<Answer> => new Promise((done) => setTimeout(() => done(answer), 20));
  const slow = { ...ui, confirm: () => later(true), select: () => later("a"), input: () => later("b") };
  const { call, log } = await startSession({ gate: onToolCall(body) }, { ui: slow });
  await call();
  await call();
  return log.filter(({ level }) => level === "warn").map(({ text }) => text);
}

test.each([
  ["confirm", 'const ok = ctx.ui.confirm("a", "b"); if (!ok) return { block: true, reason: "no" };'],
  ["select", 'if (ctx.ui.select("a", ["b"]) === "b") return { block: true, reason: "no" };'],
  ["input, with a limit of time", 'void ctx.ui.input("a", "b", { timeout: 60000 });'],
])("%s without await is told once", async (_what, body) => {
  expect(await hints(body)).toEqual([HINT]);
});

test.each([
  ["is awaited", 'if (!(await ctx.ui.confirm("a", "b"))) return { block: true, reason: "no" };'],
  ["is refused, and caught", 'await ctx.ui.editor("a").catch(() => {});'],
  [
    "is returned from",
    'return ctx.ui.confirm("a", "b").then((ok) => (ok ? undefined : { block: true, reason: "no" }));',
  ],
  ["shows only", 'ctx.ui.notify("a");'],
])("a dialog that %s is not", async (_what, body) => {
  expect(await hints(body)).not.toContain(HINT);
});
