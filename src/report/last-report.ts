import { join } from "node:path";
import type { Static } from "typebox";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { EMPTY } from "../audit/line.ts";
import { messageOf } from "../base/errors.ts";
import { compile } from "../base/schema.ts";
import Type from "../base/type.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import { closed } from "../grants/schema.ts";
import { MAX_ENTRIES, MAX_HOOKS } from "./limits.ts";

const text = Type.String();
const time = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" });
const names = Type.Array(text);
const head = Type.String({ pattern: "^[0-9a-f]{64}$" });

const Shown = Type.Object(
  {
    name: text,
    origin: text,
    source: Type.Optional(text),
    version: Type.Optional(text),
    provenance: Type.Optional(Type.Enum(["none", "signed", "attested"])),
    digest: Type.Optional(text),
    state: text,
    /** Powers that were granted: each one's text. */
    granted: Type.Record(Type.String(), text),
    used: names,
    refused: names,
  },
  closed,
);

const LastReport = Type.Object(
  {
    version: Type.Literal(1),
    time,
    /** How many lines the record had then, and the hash of the last one of its shared chain. */
    lines: Type.Integer({ minimum: 0 }),
    head,
    hooks: Type.Record(Type.String(), Shown),
    /** What earlier reports saw and a later one did not find, the oldest first: kept until it is found again, or a person clears it. */
    lost: Type.Optional(Type.Array(Type.Object({ time, head }, closed), { minItems: 1, maxItems: MAX_ENTRIES })),
  },
  closed,
);

/** What a report showed, so that the next one can say what changed. */
export type LastReport = Static<typeof LastReport>;
export type ShownHook = Static<typeof Shown>;

const { Check } = compile(LastReport);
const MAX_BYTES = 16 * 1024 * 1024;

const lastReportPath = (home: string): string => join(inHome(home, "reports"), "last.json");

/** What the last report showed; `problem`: why that is not known, although there was one. */
export function readLastReport(home: string): { last?: LastReport; problem?: string } {
  const path = lastReportPath(home);
  try {
    const content = readIfThere(path, MAX_BYTES);
    if (content === undefined) return {};
    const value: unknown = readJson(content);
    if (Check(value) && Object.keys(value.hooks).length <= MAX_HOOKS) return { last: value };
    return { problem: `${path} is not what a report left there` };
  } catch (error) {
    return { problem: `${path} cannot be read: ${messageOf(error)}` };
  }
}

/** A line that was the last one of the shared chain when a report was made: its hash, and the time of the report. */
export interface SeenLine {
  time: string;
  head: string;
}

/** The lines that reports saw, the oldest first: each has to be in the log still. An empty log has none. */
export const seenLines = (last: LastReport | undefined): SeenLine[] =>
  last === undefined
    ? []
    : [...(last.lost ?? []), { time: last.time, head: last.head }].filter(({ head }) => head !== EMPTY.prev);

/** The time of a report, as people are told it. */
export const reportTime = (time: string): string => `${time.slice(0, 16).replace("T", " ")}Z`;

/** What is told of a line that is gone. First of all a person looks into it. */
export const goneText = ({ time }: SeenLine): string =>
  `the last line that the report of ${reportTime(time)} saw is gone: the log was deleted, cut off, written anew or replaced by an older copy. Find out who did it, and put the log back from a backup if there is one; cordon report --clear takes it as it is`;

/** Keeps what a report showed, with mode 0600. */
export const writeLastReport = (home: string, last: LastReport): void =>
  writeAtomically(lastReportPath(home), `${JSON.stringify(last, null, 1)}\n`);
