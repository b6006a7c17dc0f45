import { hash } from "node:crypto";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";

/** What is written about an act of a hook, or about the hook. */
export interface AuditFact {
  hook: string;
  digest?: string;
  event?: string;
  capability?: string;
  value?: string;
  /** The entries of the grant that covered a use, as JSON. */
  grant?: string;
  /**
   * The file of the policy that does not allow what was refused, or the hook that did not load, whatever is granted; of a block,
   * the one that requires a hook which does not judge.
   */
  policy?: string;
  /** Of a hook that did not load, or a policy that cannot be read: the error code of the reason, which is the value. */
  code?: string;
  /** Of a refusal: the least grant that would cover it, as JSON. */
  wanted?: string;
  outcome: string;
}

/** The event of lines about what a person decided. */
export const DECISION = "decision";

/** Whether a line is about what a person decided, and not about what a hook did. */
export const isDecision = ({ event, outcome }: Pick<AuditFact, "event" | "outcome">): boolean =>
  event === DECISION || DECIDED.has(event ?? "") || outcome.startsWith("consent: ");

/** Events of lines about what a decision did to a hook that was running. */
const DECIDED: ReadonlySet<string> = new Set(["grant", "disable", "enable"]);

/** In what kind of session a line was written. No fact has these: the host alone says so. */
export interface Marks {
  /** Hooks only monitored then. */
  monitor?: true;
  /** Hooks were only tried out: the line says nothing about work with an agent. */
  trial?: true;
}

export interface AuditLine extends AuditFact, Marks {
  /** Its number in its chain. */
  seq: number;
  time: string;
  /** SHA-256 of the line before in its chain, in hexadecimal; for the first, that of an empty text. */
  prev: string;
}

/** The number and the hash of the last line of a chain, which its next line follows. */
export interface Head {
  seq: number;
  prev: string;
}

export const EMPTY: Head = { seq: 0, prev: hash("sha256", "") };

/** The head of a chain whose last line is this one; without a number that can be read, the next line shows the fault. */
export const headAfter = (last: string): Head => ({ seq: parseLine(last)?.seq ?? 0, prev: hash("sha256", last) });

/** Longest line: a value, a path and the other fields, escaped. */
export const MAX_LINE = 64 * 1024;

/** The next line of a chain, as JSON of {@link AuditLine}: an object of each line would cost more than its text. */
export function nextLine({ seq, prev }: Head, time: string, fact: AuditFact & Marks): { text: string; head: Head } {
  const text = `{"seq":${seq + 1},"time":"${time}",${JSON.stringify(fact).slice(1, -1)},"prev":"${prev}"}`;
  return { text: `${text}\n`, head: { seq: seq + 1, prev: hash("sha256", text) } };
}

/** Parses a line of the log; returns `undefined` for any other text. */
export function parseLine(text: string): AuditLine | undefined {
  const line = attemptOr(() => Object(readJson(text)) as AuditLine, undefined);
  if (!line || !Number.isSafeInteger(line.seq)) return undefined;
  const {
    prev,
    hook,
    outcome,
    time,
    digest = "",
    event = "",
    capability = "",
    value = "",
    grant = "",
    policy = "",
    code = "",
    wanted = "",
  } = line;
  return [prev, hook, outcome, time, digest, event, capability, value, grant, policy, code, wanted].every(isText)
    ? line
    : undefined;
}

const isText = (value: unknown): boolean => typeof value === "string";
