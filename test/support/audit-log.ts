import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Audit } from "../../src/audit/audit.ts";
import { type AuditLine, parseLine } from "../../src/audit/line.ts";
import { auditFiles } from "../../src/audit/log-files.ts";
import { isStatement } from "../../src/audit/statement.ts";

/** The audit of a host of its own, closed when the test ends: one that is left open writes again, into a home that is gone. */
export function openAudit(home: string, options: Partial<ConstructorParameters<typeof Audit>[1]> = {}): Audit {
  const log = new Audit(home, { report: () => {}, ...options });
  onTestFinished(() => log.close());
  return log;
}

/** What a home's audit says of hooks, by time: lines that break are no lines. */
export function factsIn(home: string): AuditLine[] {
  const folder = join(home, "audit");
  const lines = (existsSync(folder) ? auditFiles(folder) : [])
    .flatMap(({ name }) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter(Boolean)
    .map((text) => {
      const line = parseLine(text);
      if (!line) throw new Error(`no line of the log: ${text}`);
      return line;
    });
  return lines.filter((line) => !isStatement(line)).sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
}
