import { expect, test } from "vitest";
import { cleanText } from "../../src/base/text.ts";
import { showFor } from "../../src/powers/ui-text.ts";
import { attemptAll, everywhere, placesOf, startPainter, UNSAFE } from "./ui-attack.ts";
import { attemptFlood, callFloods } from "./ui-attack-floods.ts";
import { options, pushed, spoofed } from "./ui-attack-look-alikes.ts";
import { slipped } from "./ui-attack-questions.ts";
import { commands, look } from "./ui-attack-terminal.ts";
import { characters, floods, LONGEST, sequences } from "./ui-attack-texts.ts";

// A painter for each list: a person sees at most sixty dialogs of a kind per minute.
test.each([
  { what: "sequences that a terminal obeys", texts: sequences },
  { what: "characters that move, hide or reorder others", texts: characters },
])("$what are removed from a text in every position that shows it", async ({ texts }) => {
  const { paint, errors } = await startPainter();
  for (const { name, given, shown, logged, works } of texts) {
    const painted = await paint(given);
    expect.soft(painted, name).toEqual(everywhere(shown, logged));
    expect.soft(await paint(works), `${name}: works`).toEqual(everywhere(works));
  }
  expect(errors).toEqual([]);
});

const unescaped = (text: string): string =>
  text.replace(/\\u([\da-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

test("what is not seen in a call is seen in a dialog about it: who allows the one allows the other", async () => {
  const { paintCall, errors } = await startPainter();
  const heavy = { name: "a line that Cordon alone draws with", given: "rm a\u2501b" };
  const blanks = { name: "what looks like a space", given: "tidy\u00a0# ; touch x\u3000y" };
  const marks = { name: "many marks", given: `a${"\u0301".repeat(10)}` };
  for (const { name, given } of [...sequences, ...characters, heavy, blanks, marks]) {
    const { shown } = await paintCall(given);
    for (const { kind, own = "" } of shown.filter((one) => one.kind !== "notify")) {
      expect.soft(cleanText(own, 4000), `${name}: ${kind}`).toBe(own);
      expect.soft(unescaped(own), `${name}: ${kind}`).toBe(given);
    }
  }
  expect(errors).toEqual([]);
});

test.each([
  ["plain", "ls", "⚠ Run it?"],
  ["with what looks like a space", "ls\u00a0#", "⚠ Run it?"],
  ["with a choice of a picture", "./✔\ufe0f", "⚠\\ufe0f Run it?"],
])("a hook's own choice of a picture is seen only where the call has one, too: a call %s", (_name, command, shown) => {
  expect(showFor({ text: JSON.stringify({ command }) })("⚠\ufe0f Run it?", 100)).toBe(shown);
});

test.each(Object.entries(LONGEST))(
  "a text of the maximum length of its position (%s) is shown in full, a longer one is cut",
  async (place, most) => {
    const { paint } = await startPainter();
    const shownIn = async (text: string) => placesOf(await paint(text))[place as keyof typeof LONGEST];
    expect(await shownIn("x".repeat(most))).toBe("x".repeat(most));
    expect(await shownIn("x".repeat(most + 1))).toBe(`${"x".repeat(most - 1)}…`);
  },
);

/** More than the longest position examines, if all characters are invisible. */
const FLOOD_LENGTH = 10 * LONGEST.message;

test("a repetitive text is cut in every position, at the end of a character", async () => {
  const { paint, errors } = await startPainter();
  for (const { name, unit, works } of floods) {
    const places = placesOf(await paint(unit.repeat(Math.ceil(FLOOD_LENGTH / unit.length))));
    for (const [place, most] of Object.entries(LONGEST)) {
      const text = places[place as keyof typeof LONGEST];
      expect.soft(text, `${name}: ${place}`).toMatch(/…$/);
      expect.soft(text.length, `${name}: ${place}`).toBeLessThanOrEqual(most);
      expect.soft(text.isWellFormed(), `${name}: ${place}`).toBe(true);
    }
    expect.soft(await paint(works), `${name}: works`).toEqual(everywhere(works));
  }
  expect(errors).toEqual([]);
});

test.each([
  { promise: "words of a hook's pass for nobody else's", attacks: spoofed },
  { promise: "empty lines do not push what stands before them off the screen", attacks: pushed },
  { promise: "a hook adds no line to what Cordon asks", attacks: slipped },
  { promise: "options are told apart", attacks: options },
])("$promise", ({ attacks }) => attemptAll(attacks));

test.each(callFloods)("of $name $most come through", ({ capability, most, flood, cameThrough }) =>
  attemptFlood(capability, most, flood, cameThrough),
);

test("a hook's text about itself has no effect on the terminal of its reader", async () => {
  for (const { name, source, args, input, works } of commands) {
    const [bad, good] = await Promise.all([look(source, args, input), look(works.source, args, input)]);
    expect.soft(bad, name).not.toMatch(UNSAFE);
    expect.soft(bad, name).not.toMatch(/^(cordon: all is well|tool_call bash {2}passed {2}1\.0 ms)/m);
    expect.soft(good, `${name}: works`).toMatch(works.shows);
  }
});
