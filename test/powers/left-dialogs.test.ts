import { expect, test } from "vitest";
import { scriptedUi, startSession } from "../support/session.ts";

/** What a hook is told when a person leaves a dialog: `null` in pi 0.27, `undefined` in later versions. */

const ASKS = `const told = [await ctx.ui.select("t", ["a"]), await ctx.ui.input("t"), await ctx.ui.confirm("t", "m")];
  return { block: true, reason: told.map(String).join() };`;
const onCall = (before = "", asks = ASKS): string =>
  `export default (pi: any) => { ${before} pi.on("tool_call", async (_event: any, ctx: any) => { ${asks} }); };`;
const NOTHING = "() => {}";

const HOOKS: readonly [what: string, source: string, told: string][] = [
  ["of pi 0.27", onCall(), "null,null,false"],
  [
    "that hears other events of 0.27",
    onCall(`pi.on("session", ${NOTHING}); pi.on("turn_start", ${NOTHING});`),
    "null,null,false",
  ],
  [
    "that registers a command",
    onCall(`pi.registerCommand("c", { handler: ${NOTHING} });`),
    "undefined,undefined,false",
  ],
  ["that registers a flag", onCall(`pi.registerFlag("f", { type: "boolean" });`), "undefined,undefined,false"],
  ["that hears an event of later versions", onCall(`pi.on("session_start", ${NOTHING});`), "undefined,undefined,false"],
  [
    "that registers later",
    onCall("", `pi.registerShortcut("ctrl+x", { handler: ${NOTHING} }); ${ASKS}`),
    "undefined,undefined,false",
  ],
];

const asking = (source: string, ui?: ReturnType<typeof scriptedUi>) =>
  startSession(
    {
      asks: {
        source,
        grant: { capabilities: { events: { see: ["*"], block: true }, ui: ["select", "input", "confirm"] } },
      },
    },
    ui ? { hasUI: true, ui } : {},
  );

test.each(HOOKS)("a hook %s", async (_what, source, told) => {
  for (const ui of [scriptedUi(), undefined]) {
    const { call } = await asking(source, ui);
    expect(await call()).toMatchObject({ block: true, reason: told });
  }
});

test("an answer is the answer, whatever the version", async () => {
  const ui = scriptedUi({ select: () => "a", input: "", confirm: true });
  for (const [, source] of HOOKS) {
    const { call } = await asking(source, ui);
    expect(await call()).toMatchObject({ reason: "a,,true" });
  }
});
