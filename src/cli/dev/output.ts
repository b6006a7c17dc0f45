import { relative } from "node:path";
import { counted } from "../../base/counted.ts";
import { shownName } from "../../base/text.ts";
import { positionIn } from "../../bundle/source-positions.ts";
import { withoutWayOut } from "../../session/failure-text.ts";
import type { Refusal } from "../../session/hook-error.ts";
import { withoutRemedy } from "../../session/remedies.ts";
import { placeText } from "../check-places.ts";
import { Lines, print, printJson, printMarked, type Shown, say, sayMarked, style } from "../print.ts";
import { subjectOf } from "../subject.ts";
import { warnOfUnknownEvents } from "../unknown-events.ts";
import type { Heard, Judged, Loaded } from "./dev-hook.ts";

const MEGABYTE = 1024 * 1024;

/** What `cordon dev` shows, for people or for programs. */
export class DevOutput {
  readonly #json: boolean;
  /** The last lines are about what a hook did of its own accord. */
  #isLate = false;

  constructor(json: boolean) {
    this.#json = json;
  }

  hook(file: string, { reason, heard, unknown, unseen, placeOf, doesNothing, loading }: Loaded): void {
    if (this.#json) {
      printJson({
        hook: file,
        ...(reason === undefined ? {} : { reason }),
        hears: heard,
        ...(unseen.length > 0 ? { unseen } : {}),
        ...facts(loading),
      });
      return;
    }
    this.#isLate = false;
    print``;
    const name = style.bold(relative(process.cwd(), file) || file);
    if (reason === undefined) {
      printMarked`${name}  hears ${heard.join(", ") || "nothing"}`;
      warnOfUnknownEvents(unknown, (event) => `${placeText(placeOf(event))}: it`);
      for (const event of unseen)
        sayMarked`careful: ${placeText(placeOf(event))}: its grant does not let it see ${event}; add "${event}" to events.see`;
      if (doesNothing) sayMarked`careful: ${name}: it registers no handler, and adds nothing to the agent`;
    } else printMarked`${name}  ${style.red("does not load")}: ${new Lines(reason)}`;
    this.#details(file, { ...loading, errors: loading.errors.filter(({ error }) => error !== reason) });
  }

  /** `isSeen`: its grant lets the hook see that event. */
  event(file: string, one: Judged, isSeen: boolean): void {
    const { event, result, ms, memory } = one;
    if (this.#json) {
      const figures = { ms, ...(memory === undefined ? {} : { memory }) };
      printJson({ hook: file, event: subjectOf(event), result: withoutCommandsIn(result), ...figures, ...facts(one) });
      return;
    }
    const size = memory === undefined ? "" : `, ${(memory / MEGABYTE).toFixed(1)} MB`;
    const took = style.dim(`${ms.toFixed(1)} ms${size}`);
    const mark = one.pretended.length > 0 ? " (with pretended answers)" : "";
    printMarked`  ${subjectOf(event)}  ${isSeen ? verdictOf(result, mark) : style.green("passed (no hook heard it)")}  ${took}`;
    this.#isLate = false;
    this.#details(file, one);
  }

  /** `untried`: what of it no event runs. */
  end(
    file: string,
    sum: { judged: number; refused: number; errors: number; ms: number },
    untried: readonly string[],
  ): void {
    const { judged, refused, errors, ms } = sum;
    if (this.#json) {
      printJson({ hook: file, ...sum, ...(untried.length > 0 ? { untried } : {}) });
      return;
    }
    if (untried.length > 0)
      printMarked`  ${style.dim(`no event runs ${untried.map((name) => shownName(name)).join(", ")}: cordon trace does`)}`;
    print`${`${counted(judged, "event")} judged, ${counted(refused, "refusal")}, ${counted(errors, "error")}, ${ms.toFixed(0)} ms`}`;
  }

  /** What a hook did while it was asked nothing, as in a timer. */
  late(file: string, heard: Heard): void {
    if (this.#json) {
      printJson({ hook: file, late: true, ...facts(heard) });
      return;
    }
    if (!this.#isLate) print`  later, of its own accord`;
    this.#isLate = true;
    this.#details(file, heard);
  }

  waits(hasKeys: boolean): void {
    if (hasKeys)
      say`${style.dim("g grants what was refused for this run, w writes it into the manifest, r judges again, q ends")}`;
    else say`${style.dim("waits for changes; Ctrl+C ends")}`;
  }

  note(text: string): void {
    sayMarked`${text}`;
  }

  problem(text: string): void {
    if (this.#json) printJson({ problem: text });
    else sayMarked`cordon: ${text}`;
  }

  #details(file: string, { notices, refused, errors, log, pretended }: Heard): void {
    const told = new Set(refused.map(({ message }) => message));
    for (const { text, at } of log) printMarked`    ${style.dim("says")} ${new Lines(text)} (${at ?? ""})`;
    for (const notice of notices) printMarked`    ${style.dim("notifies")} ${new Lines(notice)}`;
    for (const { event, error, code, stack } of errors)
      if (code === "NOT_GRANTED") {
        // What was refused before, and told with the grant that it takes.
        if (!told.has(error)) printMarked`    ${style.yellow("refused again")} ${withoutCommands(error)}`;
      } else {
        printMarked`    ${style.red(event === "background" ? "error later" : "error")} ${(stack && positionIn(stack)) ?? file}: ${new Lines(withoutCommands(error))} (${code})`;
      }
    for (const { message, wanted } of refused) {
      printMarked`    ${style.yellow("refused")} ${withoutRemedy(message)}`;
      if (wanted) printMarked`      allowed by ${JSON.stringify({ [wanted.capability]: wanted.grant })}`;
    }
    if (pretended.length > 0)
      printMarked`    ${style.dim(`not done, since this is a rehearsal: ${[...new Set(pretended)].join(", ")}`)}`;
  }
}

/** A hook in work has no name that a command takes: its author mends it, or grants by a key. */
const withoutCommands = (text: string): string => withoutWayOut(withoutRemedy(text));

/** `mark`: what a person should know of how it came about. */
function verdictOf(result: unknown, mark: string): Shown {
  const verdict = (result ?? {}) as { block?: boolean; cancel?: boolean; reason?: string };
  if (verdict.block) return style.red(`blocked${mark}: ${withoutCommands(verdict.reason ?? "")}`);
  if (verdict.cancel) return style.red(`cancelled${mark}`);
  return result ? style.yellow(`changed${mark} ${JSON.stringify(result)}`) : style.green(`passed${mark}`);
}

/** The same, in the result of an event. */
const withoutCommandsIn = (result: unknown): unknown => {
  const { reason } = Object(result) as { reason?: unknown };
  return typeof reason === "string" ? { ...(result as object), reason: withoutCommands(reason) } : (result ?? null);
};

const facts = ({ notices, refused, errors, log, pretended }: Heard): object => ({
  notices,
  refused: refused.map(({ message, wanted }: Refusal) => ({
    message: withoutRemedy(message),
    ...(wanted ? { wanted } : {}),
  })),
  errors: errors.map((one) => ({ ...one, error: withoutCommands(one.error) })),
  log: log.map(({ text, at }) => ({ text, at })),
  pretended: [...new Set(pretended)],
});
