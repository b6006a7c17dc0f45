/** What a person is asked while other things change: the answer is about what they were shown. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ConsentAnswer, ConsentQuestion } from "../../src/session/consent.ts";
import { readUserGrants } from "../../src/store/grants-file.ts";
import { eventually } from "../support/eventually.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

const reader = (tag: string): string =>
  onToolCall(
    `let said; try { said = await fs.promises.readFile("diary", "utf8"); } catch (e: any) { said = e.code; }
     return { block: true, reason: "${tag}: " + said };`,
    `import fs from "node:fs";`,
  );

/** A person who answers a question when the test says so. */
function slowPerson() {
  const asked: { question: ConsentQuestion; answer: (given: ConsentAnswer) => void }[] = [];
  const consent = (question: ConsentQuestion): Promise<ConsentAnswer> =>
    new Promise((answer) => void asked.push({ question: { ...question }, answer }));
  return { asked, options: { ui: scriptedUi(), hasUI: true, consent } };
}

test.each<ConsentAnswer>(["once", "session", "always"])(
  "an answer about a hook that was replaced meanwhile gives nothing to what took its place: %s",
  async (given) => {
    const { asked, options } = slowPerson();
    const { call, host, folder, log } = await startSession({ h: reader("old") }, options);
    writeFileSync(join(folder, "work", "diary"), "a secret");
    const first = call("x");
    await eventually(() => expect(asked).toHaveLength(1));
    writeFileSync(join(folder, "hooks", "h.ts"), reader("new"));
    await host.reload("h");
    const second = call("x");
    asked[0]?.answer(given);
    await first;
    await eventually(() => expect(asked).toHaveLength(2));
    expect(JSON.stringify([...readUserGrants(join(folder, "home"))])).not.toContain("diary");
    asked[1]?.answer("deny");
    expect(await second).toMatchObject({ reason: "new: NOT_GRANTED" });
    if (given !== "once") expect(log.map(({ text }) => text).join()).toContain("replaced by other bytes");
  },
);

test("what was denied to a hook is not asked again by what took its place", async () => {
  const { asked, options } = slowPerson();
  const { call, host, folder } = await startSession({ h: reader("old") }, options);
  const first = call("x");
  await eventually(() => expect(asked).toHaveLength(1));
  asked[0]?.answer("deny");
  await first;
  writeFileSync(join(folder, "hooks", "h.ts"), reader("new"));
  await host.reload("h");
  expect(await call("x")).toMatchObject({ reason: "new: NOT_GRANTED" });
  expect(asked).toHaveLength(1);
});

test("a question that waited says what the answer before it made dangerous", async () => {
  const { asked, options } = slowPerson();
  const source = onToolCall(
    `await Promise.allSettled([fs.promises.readFile("diary", "utf8"), fetch("http://127.0.0.1:1/")]);`,
    `import fs from "node:fs";`,
  );
  const { call, folder } = await startSession({ h: source }, options);
  writeFileSync(join(folder, "work", "diary"), "a secret");
  const both = call("x");
  await eventually(() => expect(asked).toHaveLength(1));
  asked[0]?.answer("session");
  await eventually(() => expect(asked).toHaveLength(2));
  expect(asked.map(({ question }) => question.capability)).toEqual(["fs", "net"]);
  expect(asked[1]?.question.text).toMatch(/, and it can send files \(\$CWD\/diary\) to 127\.0\.0\.1/);
  asked[1]?.answer("deny");
  await both;
});
