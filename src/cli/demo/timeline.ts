import type { AuditLine } from "../../audit/audit.ts";
import { print, printJson, type Shown, style } from "../print.ts";
import { printColumns, printTable } from "../table.ts";

type Verdict = "passed" | "changed" | "blocked" | "done";
const PAINT: Record<Verdict, (text: string) => Shown> = {
  passed: style.green,
  changed: style.yellow,
  blocked: style.red,
  done: style.green,
};

/** Prints what happens as it happens, and counts it for the table at the end. */
export class Timeline {
  readonly #started = performance.now();
  readonly #json: boolean;
  readonly #perHook = new Map<string, { allowed: Map<string, number>; refused: Map<string, number> }>();

  constructor(json: boolean) {
    this.#json = json;
  }

  heading(text: string): void {
    if (!this.#json) print`\n${style.bold(text)}`;
  }

  note(text: string): void {
    if (!this.#json) print`         ${style.dim(text)}`;
  }

  /** One line: when, what the agent tried, who decided what, why, and how long the hooks took. */
  entry(subject: string, verdict: Verdict, detail: string, ms: number): void {
    if (this.#json) {
      const at = Math.round(performance.now() - this.#started);
      printJson({ at, subject, verdict, detail, ms: Math.round(ms * 10) / 10 });
      return;
    }

    const at = `${((performance.now() - this.#started) / 1000).toFixed(2)}s`;
    const took = `${ms.toFixed(1)} ms`;
    printColumns([style.dim(at), -7], [subject, 45], [PAINT[verdict](verdict), 8], [style.dim(took), -10]);
    if (detail) print`           ${style.dim("└")} ${detail}`;
  }

  /** Counts what a hook was allowed and refused. */
  count(line: AuditLine): void {
    const counts = this.#perHook.get(line.hook) ?? { allowed: new Map(), refused: new Map() };
    this.#perHook.set(line.hook, counts);
    if (line.event === "load" || line.outcome === "pass" || line.outcome.startsWith("consent")) return;
    const what =
      line.event === "crash"
        ? line.outcome === "restarted"
          ? "restarted with neighbours"
          : `killed: ${line.outcome}`
        : (line.capability ?? line.outcome);
    const good =
      line.outcome === "allowed" ||
      line.outcome === "rewrite" ||
      line.outcome === "cancel" ||
      (line.outcome === "block" && !line.value?.includes("cannot judge"));
    const list = good ? counts.allowed : counts.refused;
    const name = line.outcome === "block" ? (good ? "block" : "no verdict: blocked") : what;
    list.set(name, (list.get(name) ?? 0) + 1);
  }

  summary(hooks: readonly { id: string; state: string }[]): void {
    if (this.#json) return;
    const list = (counts: Map<string, number> | undefined): string =>
      [...(counts ?? [])].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ") || "nothing";
    const rows = hooks.map(({ id, state }) => [
      id,
      state,
      list(this.#perHook.get(id)?.allowed),
      list(this.#perHook.get(id)?.refused),
    ]);
    printTable([["hook", "state", "used", "refused or stopped"], ...rows], process.stdout);
  }
}
