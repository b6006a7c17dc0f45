import { Audit } from "../audit/audit.ts";
import type { AuditFact } from "../audit/line.ts";
import { CordonError } from "../base/errors.ts";
import { isWider } from "./decision.ts";

/** Where decisions are written. */
export interface DecisionLog {
  /** False if they could not be written. */
  write(facts: readonly AuditFact[]): boolean;
  /** Says to the person what they should know. */
  tell(text: string): void;
}

/**
 * Writes what a person decided to the audit, before it counts. Throws `BAD_GRANT` if that fails and the decision gives a hook
 * more. What takes something from a hook is done in any case. The returned function is called once it is done: it tells the person
 * what is not on record.
 */
export function keepDecisions(facts: readonly AuditFact[], log: DecisionLog): () => void {
  if (facts.length === 0 || log.write(facts)) return () => {};
  if (facts.some(isWider)) throw unrecorded();
  return () => log.tell("this is done, and it is not on record: the audit log cannot be written");
}

/** The error of a decision that gives a hook more, and that could not be written. */
export const unrecorded = (): CordonError =>
  new CordonError(
    "BAD_GRANT",
    "nothing was changed: the audit log cannot be written, and no hook is given anything without a record; run: cordon doctor",
  );

/** The log of a home, for commands. */
export const decisionLogOf = (home: string): DecisionLog => ({
  write: (facts) => {
    const audit = new Audit(home, { report: () => {} });
    try {
      return audit.write(...facts);
    } finally {
      audit.close();
    }
  },
  tell: (text) => void process.stderr.write(`cordon: ${text}\n`),
});
