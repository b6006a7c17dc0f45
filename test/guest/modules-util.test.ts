import util from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { onToolCall, sharedSession } from "../support/session.ts";
import { besideNode, type Question } from "./beside-node.ts";

const QUESTIONS: Question[] = [
  {
    name: "the functions by every name",
    ask: `[util.parseArgs === parseArgs, util.styleText === styleText, util.parseEnv === parseEnv, util.parseArgs.name]`,
  },
  {
    name: "options that are wrong",
    ask: `[{ args: 1 }, { strict: 1 }, { options: 1 }, { options: { a: 1 } }, { options: { a: {} } }, { options: { a: { type: "string", short: "ab" } } }, { options: { a: { type: "string", short: 1 } } }, { options: { a: { type: "string", multiple: 1 } } }, { options: { a: { type: "string", default: 1 } } }, { options: { a: { type: "string", multiple: true, default: "x" } } }, { options: { a: { type: "string", multiple: true, default: [1] } } }, { options: { a: { type: "boolean", default: "x" } } }].map((config: any) => caught(() => parseArgs(config)))`,
  },
  {
    name: "arguments of the program itself",
    ask: `[parseArgs(), parseArgs({ allowPositionals: true }).positionals.length]`,
  },
  {
    name: "what is no text, and no terminal",
    ask: `[() => styleText("red", 1 as any), () => styleText("red", "x", { validateStream: 1 as any }), () => styleText("red", "x", { stream: {} as any }), () => styleText("purple" as any, "x"), () => styleText("red", "x"), () => parseEnv(1 as any)].map(caught)`,
  },
];

besideNode("node:util in a hook and in Node", {
  top: `import util, { parseArgs, parseEnv, styleText } from "node:util";`,
  questions: QUESTIONS,
});

const session = sharedSession({
  gate: onToolCall(
    `const { name, cases, expected } = event.input;
     const act = (given: unknown[]) => { try { return JSON.stringify((util as any)[name](...given)); } catch (error: any) { return [error.name, error.code, error.message].join(" "); } };
     const wrong = cases.findIndex((given: unknown[], at: number) => act(given) !== expected[at]);
     return { block: true, reason: wrong < 0 ? "as in Node" : JSON.stringify([cases[wrong], act(cases[wrong]), expected[wrong]]) };`,
    `import util from "node:util";`,
  ),
});

const inNode = (name: string, given: unknown[]): string => {
  try {
    return JSON.stringify((util as never as Record<string, (...args: unknown[]) => unknown>)[name]?.(...given));
  } catch (error) {
    const { name: kind, code, message } = error as NodeJS.ErrnoException;
    return [kind, code, message].join(" ");
  }
};

const textOf = (...parts: string[]) =>
  fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((all) => all.join(""));

const option = fc
  .record({
    type: fc.constantFrom("string", "boolean"),
    short: fc.constantFrom(undefined, "a", "b", "c"),
    ...{ multiple: fc.boolean(), has: fc.boolean() },
  })
  .map(({ type, short, multiple, has }) => {
    const value = type === "string" ? "x" : true;
    return { type, multiple, ...(short ? { short } : {}), ...(has ? { default: multiple ? [value] : value } : {}) };
  });
const ARGS = [
  ...["--foo", "--foo=1", "--bar", "--no-foo", "--no-bar=1", "--no-no-x", "-a", "-b", "-ab", "-abc", "-acx", "-a=1"],
  ...[
    "-",
    "--",
    "x",
    "y",
    "-1",
    "--=",
    "--=x",
    "--foo=",
    "--__proto__",
    "-b1",
    "--unknown",
    "---x",
    "--x=a=b",
    "",
    "-é",
  ],
];
const CONFIGS = fc.record({
  args: fc.array(fc.constantFrom(...ARGS), { maxLength: 6 }),
  options: fc.dictionary(fc.constantFrom("foo", "bar", "a", "no-x", "x"), option, { maxKeys: 4 }),
  ...{ strict: fc.boolean(), allowPositionals: fc.boolean(), allowNegative: fc.boolean(), tokens: fc.boolean() },
});

const FORMATS = [...Object.getOwnPropertyNames(util.inspect.colors), "none", "#fff", "#12ab9F"];
const STYLED = textOf("a", "b", ...[0, 22, 24, 31, 39, 49].map((code) => `\u001b[${code}m`));
const FORMAT = fc.oneof(fc.constantFrom(...FORMATS, "#12"), fc.array(fc.constantFrom(...FORMATS), { maxLength: 3 }));

const VARIABLES = textOf(
  "A",
  "B",
  "=",
  "=",
  "\n",
  "\n",
  " ",
  "#",
  '"',
  "'",
  "`",
  "\\n",
  "export ",
  "\t",
  "x",
  "\r\n",
  "\r",
);

test.each([
  ["parseArgs", CONFIGS.map((config): unknown[] => [config])],
  ["styleText", fc.tuple(FORMAT, STYLED).map((given): unknown[] => [...given, { validateStream: false }])],
  ["parseEnv", VARIABLES.map((text): unknown[] => [text])],
])("any arguments of %s", async (name, given) => {
  await fc.assert(
    fc.asyncProperty(fc.array(given, { minLength: 300, maxLength: 300 }), async (cases) => {
      const expected = cases.map((one) => inNode(name, one));
      expect(await session.call({ name, cases, expected })).toMatchObject({ reason: "as in Node" });
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
