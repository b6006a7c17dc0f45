import { Type } from "typebox";
import { expect, test } from "vitest";
import { buildHook } from "../../src/bundle/build.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** A hook that says what comes of an expression. */
const says = (top: string, expression: string): string =>
  onToolCall(`return { block: true, reason: JSON.stringify(${expression}) };`, top);

const answerOf = async (call: () => Promise<unknown>): Promise<unknown> =>
  JSON.parse(((await call()) as { reason: string }).reason);

async function sizeOf(source: string): Promise<number> {
  const root = temporaryFolder();
  writeFiles(root, { "hook.ts": source });
  return (await buildHook(process.execPath, { root, entry: "hook.ts" })).code.length;
}

const MEMBERS = { n: Type.Optional(Type.Number()), one: Type.Literal(1) };
const SCHEMA = "Type.Object({ n: Type.Optional(Type.Number()), one: Type.Literal(1) })";

const MAIN = [
  ["a named import", 'import { Type } from "typebox";', SCHEMA],
  ["the default import", 'import Type from "typebox";', SCHEMA],
  ["an import of all", 'import * as all from "typebox"; const { Type } = all;', SCHEMA],
  ["require", 'const { Type } = require("typebox");', SCHEMA],
  ["what pi exports again", 'import { Type } from "@earendil-works/pi-ai";', SCHEMA],
] as const;

test.each(MAIN)("the main part of TypeBox is in no bundle, and works: %s", async (_way, top, expression) => {
  const hook = says(top, expression);
  expect(await sizeOf(hook)).toBeLessThan(60_000);
  const { call } = await startSession({ hook });
  expect(await answerOf(call)).toEqual(JSON.parse(JSON.stringify(Type.Object(MEMBERS))));
});

test("parts of TypeBox share what a hook sets for all of them", async () => {
  const top = `import { Type } from "typebox";
    import { Settings } from "typebox/system";
    import { Format } from "typebox/format";
    import { Value } from "typebox/value";
    Settings.Set({ immutableTypes: true });
    Format.Set("odd", (text: string) => text.length % 2 === 1);`;
  const odd = 'Value.Check(Type.String({ format: "odd" }), text)';
  const expression = `[Object.isFrozen(Type.String()), ...["a", "aa"].map((text) => ${odd})]`;
  const { call } = await startSession({ hook: says(top, expression) });
  expect(await answerOf(call)).toEqual([true, true, false]);
});
