import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

const lines = (count: number): string[] => Array.from({ length: count }, (_, at) => `import "./absent-${at}.ts";`);
const told = (count: number): string =>
  lines(count)
    .map((_, at) => `gate.ts:${at + 1}:8: Could not resolve "./absent-${at}.ts" in the hook's own folder`)
    .join("; ");

async function reasonOf(...source: string[]): Promise<string | undefined> {
  const { host } = await startSession({ gate: [...source, "export default () => {};"].join("\n") });
  return host.hooks[0]?.reason;
}

test.each([
  [1, told(1)],
  [5, told(5)],
  [6, `${told(5)} (and 1 more)`],
])("of %i errors of a build, five are told, with their places", async (count, says) => {
  expect(await reasonOf(...lines(count))).toContain(says);
});

test("what no hook can have is told before other errors", async () => {
  const reason = await reasonOf('import "./absent.ts";', 'import "node:vm";');
  expect(reason).toMatch(/^gate\.ts:2:8: import "node:vm" cannot .*; gate\.ts:1:8: Could not resolve "\.\/absent\.ts"/);
});
