import { existsSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../base/errors.ts";
import type { AuditLine } from "./line.ts";
import { auditFiles } from "./log-files.ts";
import { SharedChain } from "./shared-chain.ts";
import { verifyAudit } from "./verify.ts";

/** Bytes of the newest days that are read: less than a second of work. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A disk with less room than this is as good as full. */
const LEAST_ROOM = 1024 * 1024;

/** How a record is, as far as its newest days say. */
export interface Health {
  lines: number;
  /** The first day that was read, if the record has older ones. */
  from?: string;
  /** What does not follow the line before, the first of them, and how many there are. */
  fault?: { at: string; fault: string };
  faults: number;
  /** Where a line was not written whole: its process died then. */
  torn: string[];
}

/** Checks the newest days of a record, and the last line of each chain of the days before. `each`: hears its lines, with their hashes. */
export async function healthOf(folder: string, each: (line: AuditLine, hash: string) => void): Promise<Health> {
  const from = firstDay(folder);
  const health: Health = { lines: 0, ...(from === undefined ? {} : { from }), faults: 0, torn: [] };
  for await (const { line, at, hash, fault, note } of verifyAudit(folder, from)) {
    if (fault !== undefined) {
      health.fault ??= { at, fault };
      health.faults++;
    }
    if (note !== undefined) health.torn.push(at);
    if (!line) continue;
    health.lines++;
    each(line, hash);
  }
  return health;
}

/** The first of the newest days that fit into {@link MAX_BYTES}, and at least the newest; `undefined` if all do. */
function firstDay(folder: string): string | undefined {
  let left = MAX_BYTES;
  let first: string | undefined;
  const days = [...Map.groupBy(auditFiles(folder), ({ day }) => day)].reverse();
  for (const [day, files] of days) {
    left -= files.reduce((sum, { name }) => sum + statSync(join(folder, name)).size, 0);
    if (left < 0 && first !== undefined) return first;
    first = day;
  }
  return undefined;
}

/** Why no line can be written to a record now, if so. Adds none. */
export function writeFault(folder: string): string | undefined {
  const chain = new SharedChain(folder);
  try {
    if (existsSync(folder)) {
      const { bavail, bsize } = statfsSync(folder);
      if (bavail * bsize < LEAST_ROOM) return "no space left on its disk";
    }
    chain.append(new Date().toISOString().slice(0, 10), (head) => ({ text: "", head }));
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    chain.end();
  }
}
