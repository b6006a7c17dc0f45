import { existsSync } from "node:fs";
import { CordonError } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { inHome } from "../disk/home.ts";
import type { AuditLine } from "./line.ts";
import { withoutCount } from "./quota.ts";
import { readAudit } from "./read.ts";
import { TIME_FORMS, timeIn } from "./since.ts";

/** Which lines of the audit are wanted. Left out: all. */
export interface AuditQuery {
  /** The id of a hook. */
  hook?: string;
  /** A power or one of its operations (`fs`, `fs.read`), or the type of an event. */
  power?: string;
  /** An outcome, with or without the count of what was repeated, or the code of a load that failed. */
  outcome?: string;
  /** Lines from then on: an ISO 8601 time, or another form that `cordon audit --since` takes. */
  since?: string;
  /** The newest so many. */
  limit?: number;
}

/** The same, read. `hooks`: the ids of hooks that are wanted. */
export type LineQuery = Pick<AuditQuery, "power" | "outcome"> & { hooks?: readonly string[]; since?: Date };

const KEYS = "hook, power, outcome, since, limit";
const USUAL_LIMIT = 1000;
const MOST = 10_000;

/** True if a line is one of those. */
export function matches({ hook, capability, event, code, outcome, time }: AuditLine, query: LineQuery): boolean {
  const isOf = (power: string): boolean => capability === power || capability?.startsWith(`${power}.`) === true;
  return (
    (query.hooks === undefined || query.hooks.includes(hook)) &&
    (query.power === undefined || isOf(query.power) || event === query.power) &&
    (query.outcome === undefined || [outcome, withoutCount(outcome), code].includes(query.outcome)) &&
    (query.since === undefined || Date.parse(time) >= query.since.getTime())
  );
}

/**
 * The newest lines of the audit that match, oldest first: 1000 of them unless the query says otherwise, at most 10,000. Rejects with
 * `BAD_GRANT` for a `since` of any other form, and for what no query has.
 */
export async function auditLines(home: string, { since, limit, hook, ...rest }: AuditQuery = {}): Promise<AuditLine[]> {
  const folder = inHome(home, "audit");
  const unknown = Object.keys(rest).find((name) => name !== "power" && name !== "outcome");
  if (unknown !== undefined)
    throw new CordonError("BAD_GRANT", `the audit's query: unknown key ${cleanLine(unknown, 100)}; allowed: ${KEYS}`);
  const from = since === undefined ? undefined : timeIn(since);
  if (since !== undefined && !from)
    throw new CordonError("BAD_GRANT", `the audit's since: ${cleanLine(since, 100)} is not ${TIME_FORMS}`);
  const query: LineQuery = {
    ...rest,
    ...(hook === undefined ? {} : { hooks: [hook] }),
    ...(from ? { since: from } : {}),
  };
  const most = Math.min(limit ?? USUAL_LIMIT, MOST);
  const found: AuditLine[] = [];
  if (most < 1 || !existsSync(folder)) return found;
  for await (const line of readAudit(folder)) {
    if (!matches(line, query)) continue;
    found.push(line);
    if (found.length > most) found.shift();
  }
  return found;
}
