import { expect, test } from "vitest";
import type { Capabilities } from "../../src/grants/schema.ts";
import { widthOf } from "./width.ts";

const reads = (...read: string[]): Capabilities => ({ fs: { read } });
const runs = (...args: string[]) => ({ program: "git", args });

// biome-ignore format: a table
test.each<[claim: string, proposal: Capabilities, least: Capabilities, counts: [least: number, wider: number, more: number, missing: number]]>([
  ["the same grant", { ...reads("$CWD/a", "$CWD/b"), ui: ["notify"] }, { ...reads("$CWD/b", "$CWD/a"), ui: ["notify"] }, [3, 0, 0, 0]],
  ["a pattern for a file", reads("$CWD/*"), reads("$CWD/a"), [0, 1, 0, 0]],
  ["a pattern for two files", reads("$CWD/**"), reads("$CWD/a", "$CWD/b"), [0, 1, 0, 0]],
  ["another file", reads("$CWD/a", "$CWD/b"), reads("$CWD/a"), [1, 0, 1, 0]],
  ["a file that is missing", reads("$CWD/a"), reads("$CWD/a", "$CWD/b"), [1, 0, 0, 1]],
  ["another right to the same file", { fs: { write: ["$CWD/a"] } }, reads("$CWD/a"), [0, 0, 1, 1]],
  ["any argument for one", { exec: [{ program: "git", args: ["show", { kind: "sha" }] }] }, { exec: [runs("show", "5a3e1e0f")] }, [0, 1, 0, 0]],
  ["full access to a program", { exec: [{ ...runs("status"), fullAccess: true }] }, { exec: [runs("status")] }, [0, 1, 0, 0]],
  ["another program", { exec: [runs("status"), runs("log")] }, { exec: [runs("status")] }, [1, 0, 1, 0]],
  ["a right to block, said or not", { events: { see: ["tool_call"], block: true } }, { events: { see: ["tool_call"] } }, [2, 0, 0, 0]],
  ["a right to block for an observer", { events: { see: ["tool_call"] } }, { events: { see: ["tool_call"], block: false } }, [1, 0, 1, 0]],
  ["an observer of what is to be blocked", { events: { see: ["tool_call"], block: false } }, { events: { see: ["tool_call"] } }, [1, 0, 0, 1]],
  ["a right to decide", { events: { see: ["session"], cancel: true } }, { events: { see: ["session"] } }, [1, 0, 1, 0]],
  ["all events for one", { events: { see: ["*"], block: false } }, { events: { see: ["tool_call"], block: false } }, [0, 1, 0, 0]],
  ["all of the session for its messages", { session: ["entries"] }, { session: ["messages"] }, [0, 1, 0, 0]],
  ["the usual rate, said or not", { send: { perMinute: 6 } }, { send: {} }, [1, 0, 0, 0]],
  ["a higher rate", { send: { perMinute: 7 } }, { send: {} }, [0, 1, 0, 0]],
  ["a power of its own", { env: ["A"] }, {}, [0, 0, 1, 0]],
  ["nothing for something", {}, { env: ["A"] }, [0, 0, 0, 1]],
])("%s", (_claim, proposal, least, counts) => {
  const width = widthOf(proposal, least);
  expect([width.least, width.wider, width.more, width.missing].map(({ length }) => length)).toEqual(counts);
});
