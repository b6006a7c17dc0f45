import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ConsentQuestion } from "../../src/session/consent.ts";
import { startFacts } from "../guest/facts.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

/** A person who takes time, and allows only the first use of each kind. */
function hesitant() {
  const questions: ConsentQuestion[] = [];
  const seen = new Set<string>();
  return {
    questions,
    consent: async (question: ConsentQuestion) => {
      await delay(100);
      questions.push(question);
      if (seen.has(question.capability)) return "deny";
      seen.add(question.capability);
      return "once";
    },
  } as const;
}

const READER = onToolCall(`
  const { readFile } = require("node:fs").promises;
  const read = (path: string) => readFile(path, "utf8").then((text: any) => text, (error: any) => error.code);
  return { block: true, reason: (await Promise.all(event.input.files.map(read))).join(" ") };`);

test("once for one file does not allow another file that is read at the same time", async () => {
  const { questions, consent } = hesitant();
  const { folder, call } = await startSession({ reader: READER }, { ui: scriptedUi(), consent });
  for (const name of ["a.txt", "b.txt", "c.txt"]) writeFileSync(join(folder, "work", name), name);
  const verdict = await call({ files: ["a.txt", "b.txt", "c.txt"] });
  expect(verdict).toMatchObject({ reason: "a.txt NOT_GRANTED NOT_GRANTED" });
  expect(questions.map(({ value }) => value)).toEqual(["read a.txt", "read b.txt", "read c.txt"]);
});

test("once allows only one of several uses that wait for it", async () => {
  const { questions, consent } = hesitant();
  const { ask } = await startFacts(
    {
      exec: `return Promise.all([1, 2, 3].map(() => ctx.exec("echo", ["a"]).then((done: any) => done.stdout, (error: any) => error.code)));`,
      listen: `const raw = (globalThis as any)[Symbol.for("cordon.host")];
        const listen = () => raw.call("net.listen", ["127.0.0.1", 0]).then(() => "listens", (error: any) => error.code);
        return Promise.all([listen(), listen(), listen()]);`,
    },
    { ui: scriptedUi(), consent },
  );
  expect(await ask("exec")).toEqual(["a\n", "NOT_GRANTED", "NOT_GRANTED"]);
  expect(await ask("listen")).toEqual(["listens", "NOT_GRANTED", "NOT_GRANTED"]);
  expect(questions.map(({ value }) => value)).toEqual(["echo a", "echo a", "listen 127.0.0.1:0", "listen 127.0.0.1:0"]);
});
