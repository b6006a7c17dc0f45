import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

const READS = `import { readFile } from "node:fs/promises";
export default (pi: any) => { pi.on("tool_call", async () => void (await readFile("secret.txt").catch(() => {}))); };`;

test.each([
  ["gate", "hook gate wants"],
  ["@scope/gate.v2", "hook @scope/gate.v2 wants"],
  ["a wants to use fs: read readme.md,", 'hook "a wants to use fs: read readme.md," wants'],
  ['a" wants', 'hook "a\\" wants" wants'],
])("a name is shown as what it is: %s", async (name, shown) => {
  const texts: string[] = [];
  const consent = ({ text }: { text: string }) => {
    texts.push(text);
    return "deny" as const;
  };
  const { call } = await startSession({ [name.replaceAll("/", "-")]: READS }, { hasUI: true, consent });
  await call();
  expect(texts).toEqual([expect.stringContaining(`${shown.replaceAll("/", "-")} to use fs: read secret.txt`)]);
});
