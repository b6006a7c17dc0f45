import type { AuditLine } from "../../audit.ts";
import { style, table } from "../terminal.ts";

/** Prints what happens as it happens, and keeps count for the table at the end. */
export class Timeline {
  readonly #started = performance.now();
  readonly #json: boolean;
  readonly #perHook = new Map<string, { allowed: Map<string, number>; refused: Map<string, number> }>();

  constructor(json: boolean) {
    this.#json = json;
  }

  heading(text: string): void {
    if (!this.#json) process.stdout.write(`\n${style.bold(text)}\n`);
  }

  note(text: string): void {
    if (!this.#json) process.stdout.write(`${" ".repeat(9)}${style.dim(text)}\n`);
  }

  /** One line: when, what the agent tried, who decided what, why, and how long the hooks took. */
  entry(
    subject: string,
    verdict: "passed" | "blocked" | "changed" | "withheld" | "done",
    detail: string,
    ms: number,
  ): void {
    if (this.#json) {
      process.stdout.write(
        `${JSON.stringify({ at: Math.round(performance.now() - this.#started), subject, verdict, detail, ms: Math.round(ms * 10) / 10 })}\n`,
      );
      return;
    }
    const paint =
      verdict === "blocked" || verdict === "withheld" ? style.red : verdict === "changed" ? style.yellow : style.green;
    const at = `${((performance.now() - this.#started) / 1000).toFixed(2)}s`.padStart(7);
    process.stdout.write(
      `${style.dim(at)}  ${subject.padEnd(44)} ${paint(verdict.padEnd(8))} ${style.dim(`${ms.toFixed(1)} ms`.padStart(10))}\n`,
    );
    if (detail) process.stdout.write(`${" ".repeat(11)}${style.dim("└")} ${detail.replaceAll("\n", " ")}\n`);
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
    process.stdout.write(
      `${table([["hook", "state", "used", "refused or stopped"], ...rows], process.stdout.columns)}\n`,
    );
  }
}
