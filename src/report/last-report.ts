import { join } from "node:path";
import type { Static } from "typebox";
import { messageOf } from "../base/errors.ts";
import { compile } from "../base/schema.ts";
import Type from "../base/type.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import { closed } from "../grants/schema.ts";
import { MAX_HOOKS } from "./limits.ts";

const text = Type.String();
const time = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" });
const names = Type.Array(text);

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
    head: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    hooks: Type.Record(Type.String(), Shown),
    /** The time of a report that saw a line which was gone later. A person clears it. */
    lost: Type.Optional(time),
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
    const value: unknown = JSON.parse(content);
    if (Check(value) && Object.keys(value.hooks).length <= MAX_HOOKS) return { last: value };
    return { problem: `${path} is not what a report left there` };
  } catch (error) {
    return { problem: `${path} cannot be read: ${messageOf(error)}` };
  }
}

/** Keeps what a report showed, with mode 0600. */
export const writeLastReport = (home: string, last: LastReport): void =>
  writeAtomically(lastReportPath(home), `${JSON.stringify(last, null, 1)}\n`);
