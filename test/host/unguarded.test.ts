import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

const source = `export default (pi: any) => { pi.on("tool_result", async () => { throw new Error("down"); }); };`;
const asks = (guardResult: string[]) => ({
  manifest: { capabilities: { events: { see: ["tool_result"], guardResult } } },
});
const has = (guardResult: string[]) => ({ grant: { capabilities: { events: { see: ["tool_result"], guardResult } } } });

test.each<[string, object, string | undefined]>([
  ["asks for nothing", {}, undefined],
  ["asks to guard no results", asks([]), undefined],
  ["asks to guard results", asks(["read", "bash"]), "asks to guard results of read, bash, and nobody granted that"],
  ["asks to guard all results", asks(["*"]), "asks to guard results of all tools, and nobody granted that"],
  ["has what it asks for", { ...asks(["read"]), ...has(["read"]) }, undefined],
  ["was granted less by a person", { ...asks(["read", "bash"]), ...has(["read"]) }, undefined],
])("who names a hook that %s is told what its failure lets pass", async (_name, more, says) => {
  const { log, host } = await startSession({ a: { source, ...more } });
  expect(host.hooks.map(({ state, reason }) => [state, reason])).toEqual([["active", undefined]]);
  const told = log.flatMap(({ text }) => (text.includes("guard results") ? [text] : []));
  expect(told).toEqual(says === undefined ? [] : [expect.stringContaining(says)]);
  if (says !== undefined) expect(told[0]).toMatch(/if it fails, they pass; run: cordon grant \S+a\.ts events/);
});
