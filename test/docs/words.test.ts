import { expect, test } from "vitest";
import { tablesOf } from "./page-tables.ts";
import { pageAt, pages } from "./pages.ts";

const HOME = "docs/ids-and-files.md";
const words = tablesOf(pageAt(HOME)).find(({ of }) => of === "Words")?.rows ?? [];

/** Words of the project's own, or that have a meaning of their own here, as they stand in a text. */
// biome-ignore format: a table
const JARGON: Readonly<Record<string, RegExp>> = {
  "sandbox process": /\bsandbox process/, "audit log": /\baudit log/, "tool call": /\btool call/, "to withhold": /\bwith(?:held|holds?)\b/,
  "to monitor": /\bmonitor(?:s|ed|ing)?\b/, "to contain": /\bcontained\b/, isolate: /\bisolates?\b/, dialect: /\bdialects?\b/, bundle: /\bbundles?\b/,
  host: /\bhosts?\b/, power: /\bpowers?\b/, guard: /\bguards?\b/, grant: /\bgrants?\b/, manifest: /\bmanifests?\b/, digest: /\bdigests?\b/,
  daemon: /\bdaemon\b/, provenance: /\bprovenance\b/, pending: /\bpending\b/, realm: /\brealms?\b/,
  broker: /\bbroker\b/, runtime: /\bruntime\b/, chain: /\bchains?\b/, verdict: /\bverdicts?\b/, event: /\bevents?\b/, hook: /\bhooks?\b/, agent: /\bagents?\b/,
};

/** Words that are nobody else's, and that no page may use. */
const BANNED = /\b(?:inert|poisoned|guest half|honest mistake|warm-?up isolate)\b/;

/** A text without code, which has names and no words. */
const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`]*`/g, "");

test("each word of the project's own is explained, and each that is explained is used", () => {
  expect(words.map(([word]) => word).sort()).toEqual(Object.keys(JARGON).sort());
  const others = pages().filter(({ path }) => path !== HOME);
  const used = (pattern: RegExp): boolean => others.some(({ text }) => pattern.test(prose(text)));
  expect(Object.entries(JARGON).filter(([, pattern]) => !used(pattern))).toEqual([]);
});

test.each(pages().filter(({ path }) => path !== HOME))("$path has no word that only we understand", ({ text }) => {
  expect(
    prose(text)
      .split("\n")
      .filter((line) => BANNED.test(line)),
  ).toEqual([]);
});
