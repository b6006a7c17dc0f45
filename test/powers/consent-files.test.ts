import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ConsentAnswer, ConsentQuestion } from "../../src/session/consent.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

const RUNS = onToolCall(`
  const fs = require("node:fs");
  const tell = (act: any) => { try { return act(); } catch (e: any) { return e.code; } };
  const said = event.input.now ? event.input.now.map((path: string) => tell(() => fs.readFileSync(path, "utf8"))) : [];
  for (const path of event.input.soon ?? []) said.push(await fs.promises.readFile(path, "utf8").catch((e: any) => e.code));
  for (const path of event.input.write ?? []) said.push(await fs.promises.writeFile(path, "x").then(() => "written", (e: any) => e.code));
  return { block: true, reason: said.join(" ") };
`);

async function start(answer: (question: ConsentQuestion) => ConsentAnswer) {
  const questions: ConsentQuestion[] = [];
  const session = await startSession(
    { reader: RUNS },
    {
      ui: scriptedUi(),
      consent: (question) => {
        questions.push(question);
        return answer(question);
      },
    },
  );
  for (const name of ["a.txt", "b.txt", ".env"]) writeFileSync(join(session.folder, "work", name), name);
  const ask = async (input: object) => ((await session.call(input as never)) as { reason: string }).reason;
  return { ...session, questions, ask };
}

test("a question is about the one file, and what refuses it names no more", async () => {
  const { ask, questions, errors } = await start(({ value }) => (value.includes("b.txt") ? "deny" : "session"));
  expect(await ask({ soon: ["a.txt", "a.txt", "b.txt"] })).toBe("a.txt a.txt NOT_GRANTED");
  expect(questions.map(({ grants }) => grants)).toEqual(['{"read":["$CWD/a.txt"]}', '{"read":["$CWD/b.txt"]}']);
  expect(questions[0]).toMatchObject({ capability: "fs", value: "read a.txt" });
  expect(questions[0]?.text).toContain('Allowing more than once grants {"read":["$CWD/a.txt"]}');
  expect(errors).toMatchObject([{ wanted: { capability: "fs", grant: { read: ["$CWD/b.txt"] } } }]);
});

test("the question names the manifest's entry if that covers the file", async () => {
  const questions: ConsentQuestion[] = [];
  const capabilities = { fs: { read: ["$CWD/docs/**"] } };
  const optional = { fs: { read: ["$CWD/a.*"] } };
  const session = await startSession(
    { reader: { source: RUNS, manifest: { capabilities, optional } } },
    {
      ui: scriptedUi(),
      consent: (question) => {
        questions.push(question);
        return "session";
      },
    },
  );
  for (const name of ["a.txt", "b.txt"]) writeFileSync(join(session.folder, "work", name), name);
  expect(((await session.call({ soon: ["a.txt"] } as never)) as { reason: string }).reason).toBe("a.txt");
  expect(((await session.call({ soon: ["b.txt"] } as never)) as { reason: string }).reason).toBe("b.txt");
  expect(questions.map(({ grants }) => grants)).toEqual(['{"read":["$CWD/a.*"]}', '{"read":["$CWD/b.txt"]}']);
});

test("a question about a file of secrets names that file", async () => {
  const { ask, questions } = await start(({ value }) => (value.includes(".env") ? "deny" : "session"));
  expect(await ask({ soon: ["a.txt", ".env"] })).toBe("a.txt NOT_GRANTED");
  expect(questions.map(({ grants }) => grants)).toEqual(['{"read":["$CWD/a.txt"]}', '{"read":["$CWD/.env"]}']);
});

test("once is for one file and one use", async () => {
  const { ask, questions } = await start(() => "once");
  expect(await ask({ soon: ["a.txt", "a.txt"] })).toBe("a.txt a.txt");
  expect(questions).toHaveLength(2);
});

test("a question about writing names the danger", async () => {
  const { ask, questions } = await start(() => "session");
  expect(await ask({ write: ["out.txt"] })).toBe("written");
  expect(questions[0]?.text).toMatch(
    /grants \{"write":\["\$CWD\/out\.txt"\]\}, and what is written there can run code as you$/,
  );
});

test("a blocking call is refused now, and the question follows", async () => {
  const { ask, questions } = await start(() => "session");
  expect(await ask({ now: ["a.txt"] })).toBe("NOT_GRANTED");
  await expect.poll(() => questions.length).toBe(1);
  expect(await ask({ now: ["a.txt", "a.txt"] })).toBe("a.txt a.txt");
});

test("after 30 questions of a hook, further requests are denied without a question", async () => {
  const { ask, questions } = await start(() => "deny");
  const paths = Array.from({ length: 40 }, (_, at) => `/nowhere/${at}`);
  expect(await ask({ soon: paths })).toBe(paths.map(() => "NOT_GRANTED").join(" "));
  expect(questions).toHaveLength(30);
});

test("there is no question about what can never be granted", async () => {
  const { ask, questions } = await start(() => "always");
  expect(await ask({ soon: ["/proc/self/environ", "/dev/zero", "a\u0000b"] })).toMatch(/^NOT_GRANTED NOT_GRANTED/);
  expect(questions).toEqual([]);
});
