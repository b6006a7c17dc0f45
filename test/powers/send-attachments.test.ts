/** What a hook attaches to a message is made fit to be shown. */
import { expect, test } from "vitest";
import { startFacts } from "../guest/facts.ts";
import { longestPause } from "../support/longest-pause.ts";

/** Sends a message with these attachments, and returns what reached the session, and how long the agent stood still. */
async function sent(attachments: string) {
  const got: unknown[][] = [];
  const { ask } = await startFacts(
    {
      warm: 'pi.send("warm", ["\u00e9"]); await new Promise((done) => setTimeout(done, 100));',
      send: `pi.send("text", ${attachments}); await new Promise((done) => setTimeout(done, 300));`,
    },
    { grant: { capabilities: { send: {} } }, onSend: (_text, given) => got.push(given ?? []) },
  );
  await ask("warm");
  const pause = await longestPause(async () => {
    await ask("send");
    await expect.poll(() => got.length, { timeout: 5000 }).toBe(2);
  });
  return { got: got[1] as unknown[], pause };
}

test.each([
  ["marks", "\u0301"],
  ["characters that are not seen between others", "\u00e9\u200b"],
])("many %s hold the agent up no longer than many letters", async (_name, part) => {
  const letters = await sent('["\u00e9".repeat(2_000_000)]');
  const pauses: number[] = [];
  for (let time = 0; time < 3; time++)
    pauses.push((await sent(`["a" + ${JSON.stringify(part)}.repeat(2_000_000 / ${part.length})]`)).pause);
  // It was three to five times as long.
  expect(Math.min(...pauses)).toBeLessThan(2 * letters.pause + 20);
});

test.each([
  ["at the limit of what is cleaned are whole", 100_000, ["\u00e9".repeat(100_000)]],
  ["one over it are cut, and one can see that", 100_001, [`${"\u00e9".repeat(100_000)}…`]],
])("texts %s", async (_name, length, expected) => {
  const { got } = await sent(`["\u00e9".repeat(${length})]`);
  expect(got).toEqual(expected);
});

test("all texts are cleaned, wherever they stand, and what follows too many is cut", async () => {
  const { got } = await sent(
    `[{ type: "text", text: "a\\u202eb" }, "\u00e9".repeat(99_997), ["\u00e9"], "\u00e9\u00e9", { data: "iVBOR" }, 1, null]`,
  );
  expect(got).toEqual([{ type: "text", text: "ab" }, "\u00e9".repeat(99_997), ["…"], "…", { data: "iVBOR" }, 1, null]);
});

test("an image has its size", async () => {
  const { got } = await sent('[{ type: "image", data: "iVBORw0K".repeat(200_000), mimeType: "image/png" }]');
  expect(got).toEqual([{ type: "image", data: "iVBORw0K".repeat(200_000), mimeType: "image/png" }]);
});
