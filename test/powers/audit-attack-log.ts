import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isStatement } from "../../src/audit/statement.ts";
import { verifyAudit } from "../../src/audit/verify.ts";

export const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

const auditIn = (home: string): string => join(home, "audit");

/** The faults of a log, and how many of its lines are read. */
export async function verified(home: string): Promise<{ told: number; faults: string[]; hashes: string[] }> {
  const faults: string[] = [];
  const hashes: string[] = [];
  let told = 0;
  for await (const { line, fault } of verifyAudit(auditIn(home))) {
    if (line && !isStatement(line)) told++;
    if (line) hashes.push(line.prev);
    if (fault !== undefined) faults.push(fault);
  }
  return { told, faults, hashes };
}

/** A log of nine lines as a host would have written them, and the name of its file. */
export function makeLog(): { lines: string[]; own: string } {
  const lines: string[] = [];
  for (let seq = 1; seq <= 9; seq++) {
    const outcome = seq === 5 ? "NOT_GRANTED" : "allowed";
    const fact = { hook: seq % 2 ? "odd" : "even", capability: "fs.read", value: `read ${seq}`, outcome };
    lines.push(JSON.stringify({ seq, time: `2026-01-01T00:00:0${seq}.000Z`, ...fact, prev: hash(lines.at(-1) ?? "") }));
  }
  return { lines, own: "2026-01-01.jsonl" };
}

/** Replaces the log by these files. */
export function layFiles(home: string, files: Record<string, string>): void {
  rmSync(auditIn(home), { recursive: true, force: true });
  mkdirSync(auditIn(home), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(auditIn(home), name), content);
}
