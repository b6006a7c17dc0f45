import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

/** The outcome of a hook's own request. */
const trying = (act: string) =>
  onToolCall(
    `const codeOf = async () => { try { await (${act}); return "done"; } catch (error: any) { return error.code ?? error.name; } };
     return { block: true, reason: String(await codeOf()) };`,
    'import * as fs from "node:fs";',
  );
const events = { see: ["*"], block: true };

test.each([
  ["a large write", 'fs.writeFileSync("out.txt", "x".repeat(2_000_000))'],
  ["a large write that does not block", 'fs.promises.writeFile("out.txt", "x".repeat(2_000_000))'],
  [
    "a large message",
    'fetch("http://a.example/", { method: "POST", body: "x".repeat(2_000_000) }).catch((e) => { throw e; })',
  ],
])("%s without its power is refused without a question, and the hook keeps running", async (_name, act) => {
  const asked: unknown[] = [];
  const consent = (question: unknown) => {
    asked.push(question);
    return "always" as const;
  };
  const session = await startSession(
    { writer: { source: trying(act), grant: { capabilities: { events } } } },
    { consent, ui: scriptedUi() },
  );
  for (const _time of [1, 2]) expect(await session.call()).toMatchObject({ block: true, reason: "NOT_GRANTED" });
  expect(asked).toEqual([]);
  expect(session.errors.map(({ code }) => code)).toEqual(["NOT_GRANTED"]);
  expect(session.audit.filter(({ outcome }) => outcome?.startsWith("NOT_GRANTED"))).not.toEqual([]);
});

test("a large write under its power is done", async () => {
  const grant = { capabilities: { events, fs: { write: ["$CWD/out.txt"] } } };
  const source = trying('fs.writeFileSync("out.txt", "x".repeat(2_000_000))');
  const session = await startSession({ writer: { source, grant } });
  expect(await session.call()).toMatchObject({ reason: "done" });
  expect(readFileSync(join(session.folder, "work", "out.txt"), "utf8")).toHaveLength(2_000_000);
});

test.each([
  ["at the limit", 999_000, "done"],
  ["over it", 1_000_000, "RATE_LIMITED"],
])("a dialog %s of its size", async (_name, length, comes) => {
  const source = trying(`Promise.resolve(ctx.ui.confirm("x".repeat(${length}), ""))`);
  const session = await startSession({ asker: source }, { ui: scriptedUi() });
  expect(await session.call()).toMatchObject({ reason: comes });
  expect(session.errors.filter(({ event }) => event === "crash")).toEqual([]);
});
