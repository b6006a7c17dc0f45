import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { Masks, Unmaskable } from "../../src/recording/masks.ts";
import { SecretIndex } from "../../src/recording/secret-index.ts";

/** The rule that no change may weaken: every occurrence of each known secret is hidden, the longest secret first. */
function hiddenByRule(text: string, secrets: Iterable<string>): boolean[] {
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, secret) => left.replaceAll(secret, "*".repeat(secret.length)), text);
  return rest.split("").map((letter) => letter === "*");
}

/** Each letter of each occurrence. */
function hiddenAtAll(text: string, secrets: Iterable<string>): boolean[] {
  const hidden = Array<boolean>(text.length).fill(false);
  for (const secret of secrets)
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
      hidden.fill(true, at, at + secret.length);
  return hidden;
}

const hiddenByIndex = (text: string, index: SecretIndex): boolean[] => {
  const hidden = Array<boolean>(text.length).fill(false);
  for (const { start, end } of index.find(text)) hidden.fill(true, start, end);
  return hidden;
};

/** Two letters alone: such secrets overlap, repeat and contain each other. */
const ab = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom("A", "B"), minLength, maxLength });

test("the index hides what the rule hides, and every letter of an occurrence, whenever a secret becomes known", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.array(ab(1, 9), { maxLength: 5 }), ab(0, 60)), { maxLength: 6 }), (steps) => {
      const index = new SecretIndex();
      const known = new Set<string>();
      for (const [secrets, text] of steps) {
        for (const secret of secrets) if (!known.has(secret)) index.add(secret);
        for (const secret of secrets) known.add(secret);
        const hidden = hiddenByIndex(text, index);
        expect(hidden).toEqual(hiddenAtAll(text, known));
        for (const [at, isHidden] of hiddenByRule(text, known).entries()) if (isHidden) expect(hidden[at]).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});

/** Ways in which a text shows that a part of it is a secret. */
const SHOWN = [
  (secret: string) => `token=${secret} `,
  (secret: string) => `Bearer ${secret} `,
  (secret: string) => `https://me:${secret}@host `,
];
/** One way: in a member of that name. */
const FIELDS = ["token", "x-api-key", "authorization"];

test("nothing that a recording knows shows in an event, bare, in parts of others, or in the name of a member", async () => {
  const secret = ab(8, 14);
  const bare = fc.array(fc.oneof(secret, ab(0, 4), fc.constantFrom(" ", "/", "~")), { maxLength: 6 });
  const texts = bare.map((parts) => parts.join(""));
  const shown = fc.record({
    secret,
    way: fc.constantFrom(...SHOWN),
    before: fc.constantFrom("", "see "),
    after: texts,
  });
  const event = fc.record({
    shown: fc.array(shown, { maxLength: 3 }),
    field: fc.constantFrom(...FIELDS),
    secret,
    texts,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(secret, { maxLength: 3 }), fc.array(event, { maxLength: 5 }), async (values, events) => {
      const masks = new Masks(values);
      const known = new Set(values);
      for (const { shown, field, secret, texts } of events) {
        const given = {
          [texts]: [texts, { deep: texts }],
          lines: shown.map(({ before, way, secret, after }) => before + way(secret) + after),
          headers: { [field]: secret },
          last: texts,
        };
        known.add(secret);
        for (const { secret } of shown) known.add(secret);
        const { value } = await masks.mask(given);
        const text = JSON.stringify(value);
        for (const one of known) expect(text).not.toContain(one);
      }
    }),
    { numRuns: 300 },
  );
});

test("a member is hidden whole where its name hides a secret", async () => {
  const { value, masked } = await new Masks(["correct-horse"]).mask({
    "token=abcdefgh": "plain",
    "correct-horse": "also",
  });
  expect(value).toEqual({ "token=masked-secret-0002": "masked-secret-0003", "masked-secret-0001": "also" });
  expect(masked).toEqual(["/token=masked-secret-0002", "/masked-secret-0001"]);
});

test("a member that is a list, or a number, is hidden where its name hides a secret", async () => {
  const masks = new Masks(["829117720461"]);
  const { value, masked } = await masks.mask({
    headers: { "set-cookie": ["sid=abcdef", "b=c"], "x-api-key": ["key"], accept: ["text"] },
    password: 4711,
    usage: { totalTokens: 4711, token: 12, passwordLength: 12345, secret: 3 },
    tokens: ["the", "quick"],
    passwords: [{ name: "a" }, "battery"],
    port: 4711,
    pin: 829117720461,
  });
  expect(value).toEqual({
    headers: {
      "set-cookie": ["masked-secret-0002", "masked-secret-0003"],
      ...{ "x-api-key": ["masked-secret-0004"], accept: ["text"] },
    },
    password: "masked-secret-0005",
    usage: { totalTokens: 4711, token: 12, passwordLength: 12345, secret: 3 },
    tokens: ["the", "quick"],
    passwords: [{ name: "a" }, "masked-secret-0006"],
    port: 4711,
    pin: "masked-secret-0001",
  });
  expect(masked).toEqual(
    ["headers/set-cookie/0", "headers/set-cookie/1", "headers/x-api-key/0", "password", "passwords/1", "pin"].map(
      (at) => `/${at}`,
    ),
  );
});

/** Of a kind that secretlint alone knows. */
const SENDGRID = `SG.${"aB3".repeat(7)}c.${"dE4".repeat(14)}f`;
const PIECE = 64 * 1024;

test.each([
  ["within a piece", [`${"x ".repeat(28_000)}${SENDGRID} ${"y ".repeat(40_000)}`]],
  ["over the end of a piece", [`${" ".repeat(PIECE - 20)}${SENDGRID}`, "after"]],
  ["at the very end", [`${" ".repeat(2 * PIECE)}${SENDGRID}`]],
])("a secret of a known kind is found in a long event: %s", async (_where, texts) => {
  expect(JSON.stringify((await new Masks().mask(texts)).value)).not.toContain(SENDGRID);
});

const tokens = (count: number, start = 0): string[] =>
  Array.from({ length: count }, (_, at) => `token=abcdefgh${String(at + start).padStart(6, "0")}`);

describe("a recording keeps so many secrets", () => {
  test.each([
    ["10,000", tokens(10_000)],
    ["1,000,000 letters", ["a", "b", "c", "d"].map((letter) => `token=${letter.repeat(250_000)}`)],
  ])("%s", async (_most, texts) => {
    const masks = new Masks();
    const { value } = await masks.mask(texts);
    expect(JSON.stringify(value)).not.toMatch(/token=[^m]/);
    await expect(masks.mask("token=one-more")).rejects.toThrow(Unmaskable);
    // What is known already needs no room.
    expect((await masks.mask(texts.at(-1))).value).toMatch(/^token=masked-secret-\d+$/);
  });
});

/** How often letters of texts are looked at meanwhile. */
function lettersRead(act: () => void): number {
  const read = vi.spyOn(String.prototype, "charCodeAt");
  try {
    act();
    return read.mock.calls.length;
  } finally {
    read.mockRestore();
  }
}

describe("the work for an event", () => {
  test.each([
    ["secrets that differ at their end", (at: number) => `token=abcdefgh${at}`],
    ["secrets that are parts of each other", (at: number) => "a".repeat(8 + (at % 200)) + at],
  ])("is one look at each of its letters, however many are known: %s", (_what, secret) => {
    const text = "token=abcdefgh aaaaaaaa".repeat(100);
    const perLetter = [500, 1000, 2000, 4000].map((count) => {
      const index = new SecretIndex();
      for (let at = 0; at < count; at++) index.add(secret(at));
      index.find("");
      return lettersRead(() => index.find(text)) / text.length;
    });
    expect(perLetter).toEqual([1, 1, 1, 1]);
  });

  test("grows little where each event shows one more secret", () => {
    const index = new SecretIndex();
    const text = "token=abcdefgh ".repeat(10);
    let letters = 0;
    const read = lettersRead(() => {
      for (let at = 0; at < 1024; at++) {
        const secret = `token=abcdefgh${String(at).padStart(4, "0")}`;
        letters += secret.length + text.length;
        index.add(secret);
        index.find(text);
      }
    });
    // Each secret moves to a longer group at most once for each doubling, and a text is read once for each group.
    expect(read).toBeLessThan(letters * Math.log2(1024));
  });

  test("leaves the agent its turns", async () => {
    const masks = new Masks();
    await masks.mask("secretlint is loaded");
    let turns = 0;
    let isOpen = true;
    const agent = (async () => {
      for (; isOpen; turns++) await turn();
    })();
    await masks.mask(Array.from({ length: 32 }, () => "some words of an event ".repeat(3000)));
    isOpen = false;
    await agent;
    expect(turns).toBeGreaterThan(30);
  });

  test("leaves no marks in the process", async () => {
    const marks = (): number => performance.getEntriesByType("mark").length;
    const masks = new Masks();
    await masks.mask("secretlint is loaded");
    const before = marks();
    await masks.mask("an event");
    expect(marks()).toBe(before);
  });

  test("is no list of names longer than a line", async () => {
    const { masked } = await new Masks().mask({ ["n".repeat(300_000)]: tokens(1000) });
    expect(masked.join("").length).toBeLessThan(1.5 * 1024 * 1024);
  });
});
