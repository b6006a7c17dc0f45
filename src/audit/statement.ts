import { type AuditLine, type Head, nextLine } from "./line.ts";
import { SHARED } from "./log-files.ts";

/**
 * A line in which one chain says what the last line of another is: so none of them can be cut, replaced or put back
 * without the others. In the shared chain: `begin`, `head` and `end` of a chain, and `died`, where its process could not
 * write its `end`. In the others: what the shared chain had at their `begin`, and what was `seen` there later.
 */
export interface Statement {
  /** The id of the chain that it is about, or {@link SHARED}. */
  about: string;
  head: Head;
  outcome: "begin" | "head" | "end" | "died" | "seen";
}

const EVENT = "chain";
const SHARED_NAME = "shared";

/** Whether a line is about the log itself. A hook is never called nothing. */
export const isStatement = ({ hook, event }: AuditLine): boolean => hook === "" && event === EVENT;

/** The next line of a chain, with a statement. */
export function stated(own: Head, { about, head, outcome }: Statement): { text: string; head: Head } {
  const value = `${about || SHARED_NAME} ${head.seq} ${head.prev}`;
  return nextLine(own, new Date().toISOString(), { hook: "", event: EVENT, value, outcome });
}

const VALUE = /^(?<about>shared|[0-9a-f]{16}) (?<seq>\d{1,15}) (?<prev>[0-9a-f]{64})$/;

/** What a line states; `undefined` for one of another form. */
export function statementIn(line: AuditLine): Statement | undefined {
  const found = isStatement(line) ? VALUE.exec(line.value ?? "")?.groups : undefined;
  if (!found) return undefined;
  const { about = "", seq, prev = "" } = found;
  return {
    about: about === SHARED_NAME ? SHARED : about,
    head: { seq: Number(seq), prev },
    outcome: line.outcome as Statement["outcome"],
  };
}
