import type { AuditLine } from "../../audit/line.ts";

interface Counts {
  readonly allowed: Map<string, number>;
  readonly refused: Map<string, number>;
}

/** Counts what each hook used, and what it was refused or stopped for. */
export class Uses {
  readonly #perHook = new Map<string, Counts>();

  count(line: AuditLine): void {
    const counts = this.#perHook.get(line.hook) ?? { allowed: new Map(), refused: new Map() };
    this.#perHook.set(line.hook, counts);
    if (line.event === "load" || line.outcome === "pass" || line.outcome.startsWith("consent")) return;
    const isOwnBlock = line.outcome === "block" && !line.value?.includes("cannot judge");
    const list = isOwnBlock || GOOD.has(line.outcome) ? counts.allowed : counts.refused;
    const name = nameOf(line, isOwnBlock);
    list.set(name, (list.get(name) ?? 0) + 1);
  }

  allowed(hook: string): string {
    return listed(this.#perHook.get(hook)?.allowed);
  }

  refused(hook: string): string {
    return listed(this.#perHook.get(hook)?.refused);
  }
}

const GOOD = new Set(["allowed", "rewrite", "cancel"]);

function nameOf({ event, outcome, capability }: AuditLine, isOwnBlock: boolean): string {
  if (event === "crash") return outcome === "restarted" ? "restarted with neighbours" : `killed: ${outcome}`;
  if (outcome === "block") return isOwnBlock ? "block" : "no verdict: blocked";
  return capability ?? outcome;
}

const listed = (counts: ReadonlyMap<string, number> | undefined): string =>
  [...(counts ?? [])].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ") || "nothing";
