import { createReadStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { counted } from "../base/counted.ts";
import { command } from "../base/shell-word.ts";
import { namesText } from "../base/text.ts";
import { positionIn } from "../bundle/source-positions.ts";
import { realPathOf } from "../disk/paths.ts";
import type { HookEvent, HookUIContext } from "../hook-api.ts";
import { HookHost } from "../host/host.ts";
import { NO_UI } from "../powers/lent-session.ts";
import { recordingFault } from "../recording/recording-file.ts";
import { type HookError, withoutRepeats } from "../session/hook-error.ts";
import { called, type HostFlags, hostOptions, LATE_MS, note, Refused, UsageError } from "./common.ts";
import { terminalDialogs } from "./dialogs.ts";
import { eventsIn, refuseNoFile } from "./events-file.ts";
import { Lines, printJson, printMarked, sayMarked, style } from "./print.ts";
import { subjectOf } from "./subject.ts";
import { controllingTerminal } from "./terminal.ts";
import { unknownEvents, warnOfUnknownEvents } from "./unknown-events.ts";
import { working } from "./working.ts";

type Flags = HostFlags & { json?: boolean };

/** `cordon run [FILE]`: sends events, one per line, to the hooks, and prints their verdicts. */
export async function run(file: string | undefined, flags: Flags): Promise<void> {
  if (file === undefined) refuseInputAsRecording(flags);
  if (file === undefined && process.stdin.isTTY)
    throw new UsageError("no events: name a file with one JSON event a line, or pipe them in");
  if (file !== undefined) {
    refuseNoFile(file);
    if (/\.[cm]?[jt]sx?$/.test(file))
      throw new Refused(
        `${file}: code, and no file of events; to run it as a hook: ${command`cordon run --hook ${file}`}`,
      );
  }
  const terminal = flags.json ? undefined : controllingTerminal();
  const notify: HookUIContext["notify"] = (message, type) =>
    sayMarked`${type === "error" ? style.red(message) : style.yellow(message)}`;
  const thought = new Stopwatch();
  const ui = terminal ? timed(terminalDialogs(terminal, notify), thought) : { ...NO_UI, logNotice: notify };
  const heardOf: HookError[] = [];
  const toldOnce = new Set<string>();
  const host = await HookHost.start({
    ...hostOptions(flags),
    trial: true,
    ui,
    hasUI: terminal !== undefined,
    // States are printed below, and errors with their events. The hooks' own lines are left, and those about a recording.
    log: (line) => {
      if (!line.hook && line.level === "info") note(line.text);
      if (line.hook && line.at) sayMarked`[hook ${line.hook}] ${new Lines(line.text)} (${line.at})`;
    },
  });
  host.onError((error) => heardOf.push(error));
  let wrong = 0;
  try {
    for (const notice of host.notices) note(notice);
    tellOthers(host, flags);
    for (const hook of host.hooks) warnOfUnknownEvents(unknownEvents(hook), () => called(hook));
    for (const hook of host.hooks)
      if (hook.state !== "active")
        sayMarked`cordon: ${called(hook)}: ${`${hook.state}${hook.reason ? `: ${hook.reason}` : ""}`}`;
    let read = 0;
    for await (const { line, event } of eventsIn(file === undefined ? process.stdin : createReadStream(file))) {
      read++;
      if (typeof event === "string") {
        wrong++;
        sayMarked`cordon: line ${line} is no event: ${event}`;
        continue;
      }
      const [started, before] = [performance.now(), thought.ms];
      const heard = host.hasHandlers(event.type);
      working.step(`judging ${subjectOf(event)}`);
      const result = await (event.type === "tool_call"
        ? host.emitToolCall(event, { canRun: () => true })
        : host.emit(event));
      working.end();
      // A question that is still open would be drawn over the verdict.
      await thought.over();
      // Without the time in which a person thought.
      const ms = performance.now() - started - (thought.ms - before);
      const errors = joined(heardOf.splice(0));
      if (flags.json) printJson({ event: event.type, result: result ?? null, errors });
      else report(event, result, heard, withoutRepeats(errors).filter(unsaid(toldOnce)), ms);
    }
    if (read === 0) note("no event came, so nothing was judged: one JSON object a line");
    await sleep(LATE_MS);
    // A power that was used without waiting is refused at once, and the person is asked for the next time.
    await thought.over();
    const late = joined(heardOf.splice(0));
    if (flags.json && late.length > 0) printJson({ event: "background", result: null, errors: late });
    else if (!flags.json) printErrors(late.filter(unsaid(toldOnce)));
  } finally {
    working.end();
    await host.close();
    terminal?.close();
  }
  if (wrong > 0) throw new Refused(`${counted(wrong, "line")} ${wrong === 1 ? "was" : "were"} no event`);
}

/** Who names a hook asks what that one says: others that judge the events may block first. */
function tellOthers(host: HookHost, { hook = [], trustedHook = [], cwd = "." }: Flags): void {
  const named = new Set([...hook, ...trustedHook].map((path) => realPathOf(resolve(cwd, path))));
  const judges = host.hooks.filter(({ state, disabled }) => state !== "pending" && disabled !== true);
  const others = judges.filter(({ path }) => !named.has(realPathOf(path)));
  if (named.size > 0 && others.length > 0)
    note(`${namesText(others.map(called))} judge the events, too; without them: --no-discover`);
}

/** The name after `--record` is that of a new file, and many will mean the events in an old one. */
function refuseInputAsRecording({ record, cwd }: Flags): void {
  if (typeof record !== "string" || !existsSync(record)) return;
  const fault = recordingFault(resolve(record), resolve(cwd ?? "."));
  if (fault !== undefined)
    throw new Refused(`${fault}, or give hooks the events in it: ${command`cordon run ${record} --record`}`);
}

/** Measures for how long at least one thing went on. */
class Stopwatch {
  ms = 0;
  #open = 0;
  #since = 0;
  #over: (() => void)[] = [];

  /** Resolves when nothing goes on. */
  async over(): Promise<void> {
    while (this.#open > 0) await new Promise<void>((resolve) => this.#over.push(resolve));
  }

  async during<T>(act: () => Promise<T>): Promise<T> {
    if (this.#open++ === 0) this.#since = performance.now();
    // A person is asked on the same screen.
    working.end();
    try {
      return await act();
    } finally {
      if (--this.#open === 0) {
        this.ms += performance.now() - this.#since;
        for (const tell of this.#over.splice(0)) tell();
      }
    }
  }
}

const timed = (ui: HookUIContext, thought: Stopwatch): HookUIContext => ({
  ...ui,
  select: (...args) => thought.during(() => ui.select(...args)),
  confirm: (...args) => thought.during(() => ui.confirm(...args)),
  input: (...args) => thought.during(() => ui.input(...args)),
});

/** A refused power that the hook did not catch is one error: the refusal has the grant, and what was thrown has the place. */
function joined(errors: readonly HookError[]): HookError[] {
  const all = new Map<string, HookError>();
  for (const error of errors) {
    const key = error.code === "NOT_GRANTED" ? `${error.hookPath} ${error.error}` : `${all.size}`;
    all.set(key, { ...all.get(key), ...error });
  }
  return [...all.values()];
}

/** A refusal is told once in a session. */
const unsaid =
  (told: Set<string>) =>
  ({ hookPath, error, code }: HookError): boolean => {
    const key = `${hookPath} ${error}`;
    const isNew = code !== "NOT_GRANTED" || !told.has(key);
    told.add(key);
    return isNew;
  };

function report(event: HookEvent, result: unknown, heard: boolean, errors: readonly HookError[], ms: number): void {
  const verdict = result as { block?: boolean; reason?: string; hook?: string; cancel?: boolean } | undefined;
  const title = style.bold(subjectOf(event));
  const took = style.dim(`${ms.toFixed(1)} ms`);
  if (verdict?.block)
    printMarked`${title}  ${style.red("blocked")} by ${verdict.hook || "cordon"}: ${new Lines(verdict.reason ?? "")}  ${took}`;
  else if (verdict?.cancel) printMarked`${title}  ${style.red("cancelled")}  ${took}`;
  else if (result) printMarked`${title}  ${style.yellow("changed")} ${JSON.stringify(result)}  ${took}`;
  else printMarked`${title}  ${style.green(heard ? "passed" : "passed (no hook heard it)")}  ${took}`;
  printErrors(errors);
}

/** An error outside of events, as in a timer, can come under an event that has nothing to do with it. */
function printErrors(errors: readonly HookError[]): void {
  for (const { hookPath, event, error, code, stack } of errors)
    printMarked`  ${style.red(event === "background" ? "error later" : "error")} ${(stack && positionIn(stack)) ?? hookPath}: ${new Lines(error)} (${code})`;
}
