import { expect, test } from "vitest";
import { startFacts } from "../guest/facts.ts";
import { scriptedUi } from "../support/session.ts";

/** Wrong arguments are an error to the hook, never an invalid frame, which ends its process. */
const MISTAKES: { name: string; body: string }[] = [
  { name: "a title that is not a string", body: "return await ctx.ui.confirm(1, 'x');" },
  { name: "options that are not an array", body: "return await ctx.ui.select('x', 'a');" },
  { name: "an option that is not a string", body: "return await ctx.ui.select('x', [{}]);" },
  { name: "a notice that is not a string", body: "return ctx.ui.notify({});" },
  { name: "too many options for a dialog", body: "return await ctx.ui.select('x', Array(500).fill('a'));" },
  { name: "a title of two million characters", body: "return await ctx.ui.confirm('x'.repeat(2_000_000), '');" },
  { name: "a program that is not a string", body: "return await ctx.exec(1, []);" },
  { name: "arguments that are not an array", body: "return await ctx.exec('pwd', 'a');" },
  { name: "an argument that is not a string", body: "return await ctx.exec('pwd', [1]);" },
  { name: "a program name of ten thousand characters", body: "return await ctx.exec('x'.repeat(10_000), []);" },
  { name: "two thousand arguments", body: "return await ctx.exec('pwd', Array(2000).fill('a'));" },
  { name: "an argument of two million characters", body: "return await ctx.exec('pwd', ['x'.repeat(2_000_000)]);" },
  { name: "a message that is not a string", body: "return pi.send(1);" },
  { name: "attachments that are not an array", body: "return pi.send('x', { a: 1 });" },
  { name: "too many attachments", body: "return pi.send('x', Array(50).fill({}));" },
  { name: "an unknown method of ctx", body: "return await ctx.ui.alert('x');" },
];

/** Arguments that pi and Cordon silently accept: they must not end the process either. */
const TOLERATED: { name: string; body: string }[] = [
  { name: "an endless timeout", body: "return (await ctx.exec('pwd', [], { timeout: Infinity })).code;" },
  { name: "a timeout that is not a number", body: "return (await ctx.exec('pwd', [], { timeout: 'soon' })).code;" },
];

const start = (body: string) =>
  startFacts(
    { wrong: body, after: "return await ctx.ui.confirm('still', 'there');" },
    {
      ui: scriptedUi({ confirm: true }),
      consent: () => "deny",
      grant: { capabilities: { ui: ["select", "confirm", "notify"], exec: [{ program: "pwd", args: [] }], send: {} } },
    },
  );

test.each(MISTAKES)("$name is an error to the hook, and its process survives", async ({ body }) => {
  const { ask, errors } = await start(body);
  expect(await ask("wrong")).toMatchObject({ threw: expect.anything() });
  expect(await ask("after")).toBe(true);
  expect(errors.filter(({ code }) => code === "PROTOCOL_VIOLATION")).toEqual([]);
});

test.each(TOLERATED)("$name does not end the hook's process", async ({ body }) => {
  const { ask, errors } = await start(body);
  expect(await ask("wrong")).toBe(0);
  expect(await ask("after")).toBe(true);
  expect(errors.filter(({ code }) => code === "PROTOCOL_VIOLATION")).toEqual([]);
});
