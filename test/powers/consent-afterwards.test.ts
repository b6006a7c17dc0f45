import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ConsentAnswer, ConsentQuestion } from "../../src/session/consent.ts";
import { startFacts } from "../guest/facts.ts";
import { on, scriptedUi, startSession } from "../support/session.ts";

const READS = on(
  "agent_end",
  'try { console.log("READ " + event.messages.length); } catch (error: any) { console.log("READ " + error.code); }',
);
const EVENT = { type: "agent_end", messages: [{}, {}] } as never;

async function start(...answers: ConsentAnswer[]) {
  const questions: ConsentQuestion[] = [];
  const consent = (question: ConsentQuestion): ConsentAnswer => {
    questions.push(question);
    return answers.shift() ?? "deny";
  };
  const session = await startSession({ reader: READS }, { ui: scriptedUi(), consent });
  const emit = async () => {
    await session.host.emit(EVENT);
    return session.log.findLast(({ text }) => text.startsWith("READ "))?.text;
  };
  return { ...session, questions, emit };
}

test("a question about a field that was already withheld does not offer once: there is nothing left to allow", async () => {
  const { emit, questions } = await start("session");
  expect(await emit()).toBe("READ NOT_GRANTED");
  await expect.poll(() => questions).toHaveLength(1);
  expect(questions[0]).toMatchObject({ capability: "session", answers: ["deny", "session", "always"] });
  expect(await emit()).toBe("READ 2");
});

test("an agent that answers once anyway counts as denying, so that the question is not repeated", async () => {
  const { emit, questions } = await start("once", "session");
  expect(await emit()).toBe("READ NOT_GRANTED");
  await expect.poll(() => questions).toHaveLength(1);
  expect(await emit()).toBe("READ NOT_GRANTED");
  expect(questions).toHaveLength(1);
});

test("Cordon's own question offers once only if the use waits for the answer", async () => {
  const ui = scriptedUi({ select: () => "Deny" });
  const { ask, folder } = await startFacts(
    {
      blocks:
        'try { return require("node:fs").readFileSync("a.txt", "utf8"); } catch (error: any) { return error.code; }',
      waits: 'return require("node:fs").promises.writeFile("b.txt", "b").catch((error: any) => error.code);',
    },
    { ui },
  );
  writeFileSync(join(folder, "work", "a.txt"), "a");
  expect(await ask("blocks")).toBe("NOT_GRANTED");
  await expect.poll(() => ui.shown).toHaveLength(1);
  expect(ui.shown[0]?.rest).toEqual(["Deny", "Allow for this session", "Allow always"]);
  expect(await ask("waits")).toBe("NOT_GRANTED");
  expect(ui.shown[1]?.rest).toEqual(["Deny", "Allow once", "Allow for this session", "Allow always"]);
});
