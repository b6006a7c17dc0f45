import type { AuditLine } from "../../audit/line.ts";
import { wrap } from "../../base/wrap.ts";
import type { HookInfo } from "../../session/hook-info.ts";
import { called } from "../common.ts";
import { NARROW, plain, print, printJson, printMarked, type Shown, style } from "../print.ts";
import { printColumns, printTable } from "../table.ts";
import { Uses } from "./uses.ts";

/** `failed`: no hook decided that, and the tool did not do it. */
type Verdict = "passed" | "changed" | "blocked" | "failed" | "done";
const PAINT: Record<Verdict | "killed" | "refused", (text: string) => Shown> = {
  passed: style.green,
  changed: style.yellow,
  blocked: style.red,
  failed: style.yellow,
  killed: style.red,
  refused: style.red,
  done: style.green,
};

/** What went wrong with a hook, since the last line. */
interface Trouble {
  hook: string;
  error: string;
  /** It did nothing wrong: it shares a process with a hook that was killed. */
  isNeighbour: boolean;
}

/** Widths of what was decided, and about what. */
const WIDTHS: readonly [number, number] = [7, 25];

/**
 * Prints what happens, as it happens: a line for each call, and with `verbose` all else. While a dialog is open nothing is
 * printed: it is printed afterwards.
 */
export class Timeline {
  readonly #started = performance.now();
  readonly #json: boolean;
  readonly #verbose: boolean;
  readonly #uses = new Uses();
  readonly #took: number[] = [];
  #troubles: Trouble[] = [];
  #held: (() => void)[] | undefined;

  constructor({ json = false, verbose = false }: { json?: boolean; verbose?: boolean }) {
    this.#json = json;
    this.#verbose = verbose && !json;
  }

  /** Keeps what would be printed, until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const act of held) act();
  }

  heading(text: string): void {
    if (this.#verbose) this.#now(() => print`\n${style.bold(text)}`);
  }

  note(text: string): void {
    if (this.#verbose) this.#now(() => printMarked`         ${style.dim(text)}`);
  }

  /** A sentence of the story. */
  say(text: string): void {
    if (this.#json) return;
    const { columns = 0 } = process.stdout;
    // A narrow screen gets its lines broken wherever they are printed.
    const lines = this.#verbose || columns < NARROW ? [text] : wrap(text, columns - 1);
    this.#now(() => {
      for (const line of lines)
        if (this.#verbose) print`         ${line}`;
        else print`${line}`;
    });
  }

  /** What went wrong with a hook, which the line of the next call tells. */
  trouble(hook: string, error: string, code: string): void {
    this.note(`error of ${hook}: ${error} (${code})`);
    this.#troubles.push({ hook, error, isNeighbour: error.startsWith("restarted, since") });
  }

  /** What a hook was refused, on one line. */
  refused(hook: string, what: string): void {
    this.#troubles = [];
    this.#line("refused", hook, what);
  }

  /** What a hook changed that is no call. */
  changedBy(hook: string, what: string): void {
    this.#line("changed", hook, what);
  }

  /** What the agent tried, what hooks decided and why, and how long they took for it, in ms. */
  entry(subject: string, verdict: Verdict, detail: string, ms: number): void {
    if (this.#json) {
      const at = Math.round(performance.now() - this.#started);
      printJson({ at, subject, verdict, detail, ms: Math.round(ms * 10) / 10 });
      return;
    }
    if (verdict !== "done" && this.#troubles.length === 0) this.#took.push(ms);
    this.#tellEntry(subject, verdict, detail, ms);
    this.#troubles = [];
  }

  #tellEntry(subject: string, verdict: Verdict, detail: string, ms: number): void {
    if (!this.#verbose) {
      const neighbours = new Set(this.#troubles.filter(({ isNeighbour }) => isNeighbour).map(({ hook }) => hook));
      const culprit = this.#troubles.find((one) => !one.isNeighbour && detail.includes(`${one.hook} cannot judge`));
      neighbours.delete(culprit?.hook ?? "");
      if (culprit && verdict === "blocked") {
        const why = `${culprit.hook}: ${culprit.error.replace(/^it used /, "")}`;
        this.#line(neighbours.size > 0 ? "killed" : verdict, subject, why);
        if (neighbours.size > 0) this.#line("", "", `started again with it: ${[...neighbours].join(", ")}`);
      } else this.#line(verdict, subject, detail.replace(/^\[?(Blocked|Changed) by hook ([^:\]]+)[:\]]/, "$2:"));
      return;
    }
    const at = `${((performance.now() - this.#started) / 1000).toFixed(2)}s`;
    this.#now(() => {
      printColumns(
        [style.dim(at), -7],
        [subject, 45],
        [PAINT[verdict](verdict), 8],
        [style.dim(`${ms.toFixed(1)} ms`), -10],
      );
      if (detail) printMarked`           ${style.dim("└")} ${detail}`;
    });
  }

  /** A line of the story. A usual screen shows as much of the reason as fits: `verbose` has all. Without a verdict it goes on. */
  #line(verdict: keyof typeof PAINT | "", subject: string, detail: string): void {
    if (this.#json || this.#verbose) return;
    this.#now(() => {
      const { columns = Number.POSITIVE_INFINITY } = process.stdout;
      if (verdict === "") {
        printTable([["", detail]], process.stdout, [WIDTHS[0]]);
        return;
      }
      const room = columns - WIDTHS[0] - Math.max(WIDTHS[1], subject.length) - 5;
      const whole = plain(detail);
      const [first = "", ...more] = columns < NARROW ? [whole] : wrap(whole, room);
      const shown = more.length > 0 ? `${wrap(whole, room - 1)[0]}…` : first;
      printTable([[PAINT[verdict](verdict), subject, shown]], process.stdout, WIDTHS);
    });
  }

  /** How long hooks took for a call, in ms: half of the calls took no longer. Without those whose hook was killed or late. */
  get median(): number {
    return this.#took.toSorted((a, b) => a - b)[Math.floor(this.#took.length / 2)] ?? 0;
  }

  /** Counts what a hook was allowed and refused. */
  count(line: AuditLine): void {
    this.#uses.count(line);
  }

  /** What a hook was refused so far. */
  refusalsOf(hook: string): string {
    return this.#uses.refused(hook);
  }

  /** A table of what each hook used, and what it was refused. */
  summary(hooks: readonly HookInfo[]): void {
    if (!this.#verbose) return;
    const rows = hooks.map((hook) => [
      called(hook),
      hook.state,
      this.#uses.allowed(hook.id),
      this.#uses.refused(hook.id),
    ]);
    this.#now(() => printTable([["hook", "state", "used", "refused or stopped"], ...rows], process.stdout));
  }

  #now(act: () => void): void {
    if (this.#held) this.#held.push(act);
    else act();
  }
}
