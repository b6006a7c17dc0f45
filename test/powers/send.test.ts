import { expect, test } from "vitest";
import { startFacts } from "../guest/facts.ts";

const FACTS = {
  send: 'pi.send("hello \\u001b[31mthere\\u202e", [{ type: "text" }]); await new Promise((done) => setTimeout(done, 100)); return 1;',
  flood:
    'for (let at = 0; at < 20; at++) pi.send("m" + at); await new Promise((done) => setTimeout(done, 300)); return 1;',
};

test("a message reaches the session cleaned, and labelled with its hook", async () => {
  const sent: unknown[][] = [];
  const { ask, errors } = await startFacts(FACTS, {
    grant: { capabilities: { send: {} } },
    onSend: (...message) => sent.push(message),
  });
  await ask("send");
  await expect.poll(() => sent.length).toBe(1);
  const [text, attachments, origin] = sent[0] as [string, unknown[], unknown];
  expect(text).toMatch(/hook teller.*hello there$/);
  expect(attachments).toEqual([{ type: "text" }]);
  expect(origin).toEqual({ hook: "teller", text: "hello there" });
  expect(errors).toEqual([]);
});

test("a handler that is set later gets the messages", async () => {
  const sent: string[] = [];
  const { ask, host } = await startFacts(FACTS, { grant: { capabilities: { send: {} } } });
  host.setSendHandler((text) => sent.push(text));
  await ask("send");
  await expect.poll(() => sent.length).toBe(1);
});

test("no more than six messages a minute pass, or as many as were granted", async () => {
  for (const [grant, most] of [
    [{}, 6],
    [{ perMinute: 9 }, 9],
  ] as const) {
    const sent: string[] = [];
    const { ask, errors } = await startFacts(FACTS, {
      grant: { capabilities: { send: grant } },
      onSend: (text) => sent.push(text),
    });
    await ask("flood");
    await expect.poll(() => errors.length, { timeout: 5000 }).toBe(1);
    expect(sent).toHaveLength(most);
    expect(errors[0]).toMatchObject({ code: "RATE_LIMITED" });
  }
});

test("without a grant nothing is sent, and that is reported once", async () => {
  const sent: string[] = [];
  const { ask, errors } = await startFacts(FACTS, { onSend: (text) => sent.push(text) });
  await ask("flood");
  await expect.poll(() => errors.length).toBe(1);
  expect(errors[0]).toMatchObject({
    code: "NOT_GRANTED",
    error: expect.stringMatching(/; add "send": .* to the grant that its host gives it/),
  });
  expect(sent).toEqual([]);
});
