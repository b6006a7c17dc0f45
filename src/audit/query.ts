import { existsSync } from "node:fs";
import { inHome } from "../disk/home.ts";
import type { AuditLine } from "./line.ts";
import { readAudit } from "./read.ts";

/** Which lines of the audit are wanted. Left out: all. */
export interface AuditQuery {
  /** The id of a hook. */
  hook?: string;
  /** A power or one of its operations (`fs`, `fs.read`), or the type of an event. */
  power?: string;
  outcome?: string;
  /** An ISO 8601 time: lines from then on. */
  since?: string;
  /** The newest so many. */
  limit?: number;
}

const USUAL_LIMIT = 1000;
const MOST = 10_000;

/** True if a line is one of those. */
export function matches({ hook, capability, event, outcome, time }: AuditLine, query: AuditQuery): boolean {
  const isOf = (power: string): boolean => capability === power || capability?.startsWith(`${power}.`) === true;
  return (
    (query.hook === undefined || hook === query.hook) &&
    (query.power === undefined || isOf(query.power) || event === query.power) &&
    (query.outcome === undefined || outcome === query.outcome) &&
    (query.since === undefined || Date.parse(time) >= Date.parse(query.since))
  );
}

/** The newest lines of the audit that match, oldest first: 1000 of them unless the query says otherwise, at most 10,000. */
export async function auditLines(home: string, query: AuditQuery = {}): Promise<AuditLine[]> {
  const folder = inHome(home, "audit");
  const most = Math.min(query.limit ?? USUAL_LIMIT, MOST);
  const found: AuditLine[] = [];
  if (most < 1 || !existsSync(folder)) return found;
  for await (const line of readAudit(folder)) {
    if (!matches(line, query)) continue;
    found.push(line);
    if (found.length > most) found.shift();
  }
  return found;
}
