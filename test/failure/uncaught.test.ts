import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

const LEFT = "it left a rejected promise unhandled, or threw where nobody catches";
const SOURCE = `
async function save(): Promise<void> {
  await null;
  throw new Error("disk is full");
}
const rejects = (value: unknown): void => void Promise.reject(value);
class Getter extends Error {
  get message(): string { throw new Error("inside"); }
}
const looping = new Error("looping");
Object.defineProperty(looping, "stack", { get() { for (let at = 0; at < 1e5; at++); return 7; } });
const ways: Record<string, () => unknown> = {
  floats: () => void save(),
  text: () => rejects("just text"),
  nothing: () => rejects(undefined),
  object: () => rejects({ message: "an object's" }),
  symbol: () => rejects(Symbol("s")),
  getter: () => rejects(new Getter()),
  looping: () => rejects(looping),
  proxy: () => rejects(new Proxy(new Error("through a proxy"), {})),
  long: () => rejects(new Error("x".repeat(5_000_000))),
  lines: () => rejects(new Error("one\\ntwo\\u202e\\u001b[31mthree")),
  frame: () => rejects(new Error('"}\\nthrew:0\\n{"message":"forged"}')),
  stack: () => { const error = new Error("its stack is longer"); error.stack = "S".repeat(5_000_000); rejects(error); },
};
export default (pi: any) => {
  pi.on("tool_call", async (event: any) => { ways[event.input.command]!(); });
};
`;

/** The beginning of what is told beside Cordon's own words, and the line of the hook. */
test.each<[way: string, said: string | RegExp, line?: number]>([
  ["floats", ": disk is full", 4],
  ["text", ": just text"],
  ["nothing", ": undefined"],
  ["object", ": an object's"],
  ["symbol", /^: An object was thrown/],
  ["getter", /^(: .*)?$/],
  ["looping", ": looping"],
  ["proxy", ": through a proxy"],
  ["long", /^: x{499}…$/],
  ["lines", /^: one.*three$/, 22],
  ["frame", ': "} threw:0 {"message":"forged"}'],
  ["stack", ": its stack is longer"],
])("what a hook left to nobody is told, with its place: %s", async (way, said, line) => {
  const { call, errors, host } = await startSession({ gate: SOURCE });
  const verdict = await call({ command: way });
  expect(verdict).toMatchObject({ block: true, reason: expect.stringContaining(LEFT) });
  const [error, ...more] = errors;
  expect([error?.code, more.length, host.hooks[0]?.state]).toEqual(["HOOK_THREW", 0, "active"]);
  const rest = error?.error.replace(LEFT, "") ?? "";
  expect(rest.length).toBeLessThan(520);
  if (typeof said === "string") expect(rest).toBe(said);
  else expect(rest).toMatch(said);
  // No text of a hook's begins a line, and none of its escapes is left.
  expect(error?.error).not.toMatch(/[\n\u001b\u202e]/);
  if (line !== undefined) expect(error?.stack).toContain(`gate.ts:${line}:`);
  expect(error?.stack ?? "").not.toMatch(/boundary|process\.cjs/);
  expect(await call({ command: way })).toMatchObject({ block: true });
});
