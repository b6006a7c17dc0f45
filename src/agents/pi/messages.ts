import { RateLimit } from "../../base/rate-limit.ts";
import { cleanText } from "../../base/text.ts";
import { errorText, type HookError } from "../../session/hook-error.ts";
import type { LogLine } from "../../session/log-line.ts";
import { logText } from "../../session/log-line.ts";
import type { PiLink } from "./pi-link.ts";
import { reportRows } from "./rows.ts";

/** Longest report: longer ones are a hook's. */
const MAX_SAID = 4000;
/** Most errors of one hook that are told in a minute: pi keeps each notice, and draws all of them. */
const MOST_TOLD = 60;
const RUNS = /^(tool|command|shortcut) /;

/**
 * Shows a person what Cordon reports: as pi's notices where pi has a user interface, elsewhere on standard error. What hooks
 * write to their console goes there, too, but not onto pi's screen.
 */
export class PiMessages {
  readonly #link: PiLink;
  /** What was reported before pi had a screen. */
  #waiting: { text: string; level: "warning" | "error" }[] = [];

  /** What was told of each hook in the last minute. */
  readonly #told = new Map<string, RateLimit>();

  constructor(link: PiLink) {
    this.#link = link;
  }

  readonly log = (line: LogLine): void => {
    const { level, hook, at } = line;
    const isConsole = hook !== undefined && at !== undefined;
    if (isConsole || level === "debug" || level === "info") {
      if (!this.#isTerminal) process.stderr.write(`${logText(line)}\n`);
    } else this.#say(logText(line), level === "error" ? "error" : "warning");
  };

  readonly error = (error: HookError): void => {
    const { event, code } = error;
    // The model reads what a tool throws, and pi itself reports what a command does. The log has what did not load.
    if (event === "load" || (code === "HOOK_THREW" && RUNS.test(event))) return;
    const told = this.#told.get(error.hookPath) ?? new RateLimit();
    this.#told.set(error.hookPath, told);
    // Of a hook's hundred handlers, each may fail in each event.
    if (told.use(MOST_TOLD)) this.#say(errorText(error), "error");
    else if (told.count() === MOST_TOLD && told.use(MOST_TOLD + 1))
      this.#say(
        `hook ${error.hookPath} failed more than ${MOST_TOLD} times in a minute: no more is told for now`,
        "error",
      );
  };

  /** pi has a screen from now on, or none. */
  begin(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { text, level } of waiting) this.#say(text, level);
  }

  get #hasScreen(): boolean {
    return this.#link.hasBegun && this.#link.context.hasUI;
  }

  /** pi draws on the terminal, so that nothing else can. */
  get #isTerminal(): boolean {
    return this.#link.hasBegun ? this.#link.context.mode === "tui" : process.stdout.isTTY === true;
  }

  /** False where pi has no user interface, and between two sessions. */
  #isNoticed(text: string, level: "warning" | "error"): boolean {
    try {
      if (this.#hasScreen) this.#link.context.ui.notify(reportRows(this.#link, text), level);
      return this.#hasScreen;
    } catch {
      return false;
    }
  }

  #say(said: string, level: "warning" | "error"): void {
    const text = cleanText(said, MAX_SAID);
    if (!this.#link.hasBegun) this.#waiting.push({ text, level });
    else if (!this.#isNoticed(text, level)) process.stderr.write(`cordon: ${reportRows({}, text)}\n`);
  }
}
