import { counted } from "../base/counted.ts";
import { once } from "../base/once.ts";
import { cleanLine, inQuotes } from "../base/text.ts";
import { settingsText } from "../bundle/plugin-settings.ts";
import { acceptedPowers, mayDo } from "../grants/chosen.ts";
import { dangersOf } from "../grants/dangers.ts";
import type { Capabilities } from "../grants/schema.ts";
import { shownPowers } from "../grants/shown-power.ts";
import { isAsked } from "../grants/signs.ts";
import { lackingText } from "../host/lacking-text.ts";
import type { Rehearsal } from "../host/rehearsal.ts";
import { MAX_CLAIM } from "../session/consent.ts";
import type { LockEntry } from "../store/hooks-lock.ts";
import { shownOrigin } from "./shown-origin.ts";
import { asked, mayAsk, offered, type Staged, type StagedHook } from "./stage.ts";
import { type Change, isOtherBytes } from "./update.ts";

const MAX_LISTED = 20;
/** Longest text that a hook said in its rehearsal. It is no power, and nobody decides about it. */
const MAX_CLAIMED = 300;

/** A line that a person reads before they decide: its name, and the text. */
export type Line = [name: string, text: string];

/** Where a package comes from and what is in it. `warnings`: names that a person could confuse with it. */
export function packageLines(
  { source, fetched, files, unsupported }: Staged,
  warnings: readonly string[],
  now = Date.now(),
): Line[] {
  const { name, version, publisher, published, provenance, integrity, resolved, builder, registry } = fetched;
  const dependencies = Object.values(fetched.dependencies).map((one) => `${one.name} ${one.version}`);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const days = published === undefined ? undefined : Math.floor((now - Date.parse(published)) / 86_400_000);
  return [
    ["package", `${name} ${version}`],
    ["from", shownOrigin(source.origin, registry)],
    ...line("commit", resolved),
    ["publisher", publisher ?? "not known"],
    [
      "published",
      days === undefined || Number.isNaN(days) ? "not known" : days < 1 ? "today" : `${counted(days, "day")} ago`,
    ],
    ["provenance", PROVENANCE[provenance]],
    ...line("built by", builder),
    ["integrity", integrity],
    [
      "size",
      `${counted(files.length, "file")}, ${Math.ceil(bytes / 1024)} KB, with ${counted(dependencies.length, "dependency")}`,
    ],
    ...line("with", listed(dependencies)),
    ...line("left out", unsupported.length > 0 && `${listed(unsupported)}: parts of the package that are no hooks`),
    ...warnings.map((text): Line => ["careful", text]),
  ];
}

const PROVENANCE = {
  none: "none: nothing says who built it, and from what",
  signed: "signed by the registry; nothing says from what it was built",
  attested: "attested: a build service vouches for the repository that it was built from",
} as const;

/** What a hook hears, asks for, seems to use and did in its rehearsal. */
export function hookLines(hook: StagedHook, rehearsal: Rehearsal): Line[] {
  const { state, ...seen } = rehearsal;
  const meaning = meaningOf(rehearsal);
  const [asks, optional] = [asked(hook), mayAsk(hook)];
  const silent = hook.uses.filter((power) => !isAsked({ ...optional, ...offered(hook) }, power));
  return [
    ["hook", `${hook.id} (${seen.dialect})`],
    ["digest", hook.digest],
    ["hears", seen.hears.join(", ") || "nothing"],
    ...line("left out", seen.unsupported && `${listed(seen.unsupported)}: not supported here`),
    ...line("lacks", hook.lacks.length > 0 && cleanLine(lackingText(hook.lacks, seen.hears), 1000)),
    ...line("settings", seen.dialect === "openclaw" && hook.settings.length > 0 && settingsText(hook.settings)),
    ...powerLines("asks for", asks, hook),
    ...powerLines("may ask", optional, hook),
    ...(Object.keys(asks).length === 0
      ? line("asks for", nothingBut(hook, silent))
      : line("seems to", silent.length > 0 && `use ${silent.join(", ")}, for which it does not ask`)),
    ...line("trouble", state !== "active" && `does not load: ${seen.reason ?? state}`),
    ["rehearsed", `${Math.round(seen.ms)} ms${memoryOf(seen.memory)}, with sample events and without powers`],
    ...line("so", meaning && `without powers ${meaning}`),
    // One that does not load blocks each of them.
    ...(state === "failed" ? [] : [...new Set(seen.blocks)]).map(
      (block): Line => ["blocked", cleanLine(block, MAX_CLAIMED)],
    ),
    ...seen.refused.slice(0, MAX_LISTED).map((refusal): Line => ["refused", cleanLine(refusal, MAX_CLAIMED)]),
  ];
}

/** One line, or none where there is no text for it. */
const line = (name: string, text: string | false | undefined): Line[] => (text ? [[name, text]] : []);

/** How a version differs from the installed one. */
export function changeLines(
  change: Change,
  { source: was, publisher }: LockEntry,
  { source, fetched }: Staged,
): Line[] {
  const { from, to, wider, narrower, unguarded, files, dependencies, hears } = change;
  const lines = (name: string, texts: readonly string[]): Line[] =>
    texts.map((text, at) => [at === 0 ? name : "", text]);
  return [
    ["changes", from === to ? to : `${from} → ${to}`],
    ...line("careful", isOtherBytes(change) && "the same version, with other bytes than those installed"),
    ...line("careful", was !== source.origin && `it was from ${was} before`),
    ...line("careful", publisher !== fetched.publisher && publisher && `its publisher was ${publisher} before`),
    ...lines("asks also", wider),
    ...lines("guards less", unguarded),
    ...lines("no more", narrower),
    ...lines("hearing", hears),
    ...lines("files", files),
    ...lines("packages", dependencies),
  ];
}

/** What a hook without powers would do wrong, by its rehearsal; `undefined` if nothing. */
export function meaningOf({ state, hears, blocks, calls }: Rehearsal): string | undefined {
  if (state !== "active") return "it does not load, and would block every call";
  if (hears.length === 0) return "it hears nothing, and is useless";
  return calls > 0 && blocks.length === calls ? "it would block every call" : undefined;
}

const nothingBut = (hook: StagedHook, used: readonly string[]): string =>
  used.length > 0
    ? `nothing, though its code seems to use ${used.join(", ")}: that would be refused`
    : `nothing beyond this: ${mayDo(acceptedPowers(hook.manifest?.capabilities, offered(hook)))}`;

const memoryOf = (bytes: number | undefined): string =>
  bytes === undefined ? "" : ` and ${(bytes / 1024 / 1024).toFixed(1)} MB`;

function powerLines(name: string, powers: Capabilities, { manifest }: StagedHook): Line[] {
  return shownPowers(powers).flatMap(({ power, text }): Line[] => {
    const value = (powers as Record<string, unknown>)[power];
    return [
      [name, `${power}: ${text}`],
      ...line("", mixesAlphabets(text) && `! ${MIXED}`),
      ...dangersOf(power, value, powers).map((danger): Line => ["", `! ${danger}`]),
      ...claimLines(manifest?.why?.[power]),
    ];
  });
}

/** What an author says is a claim: it is shown in quotation marks. */
const claimLines = (why: string | undefined): Line[] => [
  ...line("", why !== undefined && inQuotes(cleanLine(why, MAX_CLAIM))),
  ...line("", mixesAlphabets(why ?? "") && `! ${MIXED}`),
];

/** What a person reads about one power beside its text: what it could do with it, and what its author says of it. */
export function powerNotes(power: string, hook: StagedHook): Line[] {
  const { manifest } = hook;
  const powers = asked(hook) as Record<string, unknown>;
  const dangers = dangersOf(power, powers[power], powers).map((danger): Line => ["", `! ${danger}`]);
  return [...dangers, ...claimLines(manifest?.why?.[power])];
}

const MIXED = "a word of that has letters of several alphabets: it is not what it looks like";

/** True if a word mixes alphabets whose letters look alike. Texts in one alphabet have no such word. */
const mixesAlphabets = (text: string): boolean =>
  text.split(/[^\p{L}\p{M}]+/u).some((word) => alphabets().filter((alphabet) => alphabet.test(word)).length > 1);

/** Alphabets whose letters look alike. */
const alphabets = once(() => [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
]);

const listed = (names: readonly string[]): string =>
  cleanLine(
    `${names.slice(0, MAX_LISTED).join(", ")}${names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : ""}`,
    1000,
  );
