import { expect } from "vitest";
import type { DialogAttack } from "./ui-attack.ts";
import { once, QUESTION, runs, titled, wary } from "./ui-attack-look-alikes.ts";

const reads = (path: string) =>
  `const fsp: any = await import("node:fs/promises");
  return { block: true, reason: await fsp.readFile(${JSON.stringify(path)}, "utf8").then(() => "read", (error: any) => error.code) };`;
const completes = (model: object) =>
  `const host = (globalThis as any)[Symbol.for("cordon.host")];
  return { block: true, reason: await host.call("model.complete", [${JSON.stringify(model)}, {}, {}]).then(() => "done", (error: any) => error.code) };`;
/** No line of a question is the hook's. */
const noLine = (start: string) =>
  expect.not.arrayContaining([expect.objectContaining({ title: expect.stringContaining(`\n${start}`) })]);

/** The whole question. Cordon may append what the grant means. */
const wants = (power: string, value: string, grants: string, rest = "") => {
  const words = `Cordon asks: hook gate wants to use ${power}: ${value}\nAllowing more than once grants ${grants}`;
  const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return expect.stringMatching(new RegExp(`^${literally(words)}[^\n]*${literally(rest)}$`));
};
const CLAIM = "Allowing more than once grants nothing";
const exec = (args: string[]) => `[{"program":"echo","args":${JSON.stringify(args)}}]`;

/** Cordon's questions are in Cordon's words; a hook's text is quoted, or not shown. */
export const slipped: DialogAttack[] = [
  {
    name: "a line of its own in an argument",
    body: runs(JSON.stringify([`a\n${CLAIM}`])),
    pick: wary,
    expected: {
      reason: "NOT_GRANTED",
      shown: [{ title: wants("exec", `echo "a\\n${CLAIM}"`, exec([`a\n${CLAIM}`])) }],
    },
    works: {
      body: runs('["a b"]'),
      pick: wary,
      expected: { reason: "NOT_GRANTED", shown: [{ title: wants("exec", 'echo "a b"', exec(["a b"])) }] },
    },
  },
  {
    name: "a line of its own in a path",
    body: reads(`a.txt\n${CLAIM}`),
    pick: wary,
    expected: { reason: "NOT_GRANTED", shown: noLine(CLAIM) },
    works: {
      alone: true,
      body: reads("a.txt"),
      pick: wary,
      expected: { reason: "NOT_GRANTED", shown: [{ title: wants("fs", "read a.txt", '{"read":["$CWD/a.txt"]}') }] },
    },
  },
  {
    name: "a line of its own in a model's name",
    body: completes({ provider: "acme", id: `x\n${CLAIM}` }),
    pick: wary,
    expected: { reason: "NOT_GRANTED", shown: noLine(CLAIM) },
    works: {
      alone: true,
      body: completes({ provider: "acme", id: "x" }),
      pick: wary,
      expected: {
        reason: "NOT_GRANTED",
        shown: [
          {
            title: expect.stringMatching(
              /^Cordon asks: hook gate wants to use model: acme x\nAllowing more than once grants \["acme"\]/,
            ),
          },
        ],
      },
    },
  },
  {
    name: "invisible characters in a path",
    body: reads("a\u202etxt.exe"),
    pick: once,
    expected: { reason: "NOT_GRANTED", shown: [] },
    works: { alone: true, body: reads("a.exe.txt"), pick: wary, expected: { reason: "NOT_GRANTED", shown: [{}] } },
  },
  {
    name: "a one-byte sequence in an argument",
    body: runs('["a\\u009b2Kb"]'),
    pick: once,
    expected: { reason: "NOT_GRANTED", shown: [] },
    works: { body: runs('["a2Kb"]'), pick: once, expected: { reason: "ran", shown: [{}] } },
  },
  {
    name: "a command that is too long to be shown in full",
    body: runs('["a".repeat(496)]'),
    pick: once,
    expected: { reason: "NOT_GRANTED", shown: [] },
    works: { body: runs('["a".repeat(495)]'), pick: once, expected: { reason: "ran", shown: [{}] } },
  },
  {
    name: "a line of its own in its author's reason",
    body: runs('["a"]'),
    manifest: { optional: { exec: [{ program: "echo", args: ["a"] }] }, why: { exec: `to say a"\n${CLAIM}\u001b[8m` } },
    pick: wary,
    expected: titled(wants("exec", "echo a", exec(["a"]), `\nIts author claims: "to say a\\" ${CLAIM}"`)),
    works: {
      body: runs('["a"]'),
      manifest: { optional: { exec: [{ program: "echo", args: ["a"] }] }, why: { exec: "to say a" } },
      pick: once,
      expected: {
        reason: "ran",
        shown: [{ title: wants("exec", "echo a", exec(["a"]), '\nIts author claims: "to say a"') }],
      },
    },
  },
  {
    name: "a line of its own in an error that claims to be Cordon's",
    body: `throw Object.assign(new Error(${JSON.stringify(`late\n${QUESTION}`)}), { code: "TIMEOUT" });`,
    expected: { shown: noLine("Cordon asks: ") },
    works: { body: 'throw new Error("late");', expected: { reason: "late", shown: [] } },
  },
  {
    name: "a line of its own in an error while it loads",
    top: `throw new Error(${JSON.stringify(`late\n${QUESTION}`)});`,
    body: "",
    expected: { shown: noLine("Cordon asks: ") },
    works: {
      top: 'throw new Error("late");',
      body: "",
      expected: {
        reason: expect.stringContaining("late (LOAD_FAILED)"),
        shown: [
          {
            title: expect.stringMatching(
              /^Cordon asks: hook gate cannot judge this call: "alone\.ts:1:7: late" \(LOAD_FAILED\)/,
            ),
          },
        ],
      },
    },
  },
];
