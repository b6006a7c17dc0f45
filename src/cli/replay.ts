import { readJson } from "../../sandbox/wire/read-json.ts";
import { counted } from "../base/counted.ts";
import { command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
import type { HookEvent } from "../hook-api.ts";
import { HookHost } from "../host/host.ts";
import { Masks, withoutNumbers } from "../recording/masks.ts";
import type { Recorded } from "../recording/recorded.ts";
import { withoutRemedy } from "../session/remedies.ts";
import { called, type HostFlags, hostOptions, note, Refused } from "./common.ts";
import { dryPowers } from "./dry-powers.ts";
import { readEvents } from "./events-file.ts";
import { Lines, print, printJson, printMarked, type Shown, sayMarked, style } from "./print.ts";
import { judge, SecondLook } from "./second-look.ts";
import { subjectOf } from "./subject.ts";
import { working } from "./working.ts";

type Flags = HostFlags & { json?: boolean; act?: boolean };

/** `cordon replay FILE`: judges a recorded session with today's hooks, and prints what would be decided otherwise. */
export async function replay(file: string, flags: Flags): Promise<void> {
  const events = await readEvents(file);
  if (!events.some(({ recorded }) => recorded))
    throw new Refused(
      `${file}: it is no recording: no line says what was decided; to judge its events: ${command`cordon run ${file}`}`,
    );
  const options = hostOptions(flags);
  const acted = new Set<string>();
  const refused = new Set<string>();
  const unanswered = new Set<string>();
  const start = (): Promise<HookHost> =>
    HookHost.start({
      ...options,
      spare: false,
      trial: true,
      ...(flags.act ? {} : { pretence: dryPowers(options.cwd, (operation) => acted.add(operation)) }),
      onRefused: ({ message }) => refused.add(withoutRemedy(message)),
      onAudit: ({ capability = "", outcome }) => {
        if (DIALOG.test(capability) && outcome === "allowed") unanswered.add(capability.replace("ui.", ""));
      },
      log: () => {},
    });
  const host = await start();
  host.onError(() => {});
  // Powers that are used in fact are used once.
  const hasMasked = events.some(({ recorded }) => (recorded?.masked ?? []).length > 0);
  const second = hasMasked && !flags.act ? await SecondLook.start(start) : undefined;
  const masks = new Masks();
  const shown = async (result: unknown): Promise<unknown> =>
    (await masks.mask(readJson(JSON.stringify(result ?? null)))).value;
  let compared = 0;
  const changes: Change[] = [];
  try {
    if (!flags.json) introduce(host, events[0]?.recorded, options.cwd);
    for (const [at, { line, event, recorded }] of events.entries()) {
      working.step(`judging event ${at + 1} of ${events.length}`);
      for (const seen of [acted, refused, unanswered]) seen.clear();
      const result = await judge(host, event);
      const meanwhile = { pretended: [...acted], refused: [...refused], unanswered: [...unanswered] };
      const other = await second?.judge(event);
      if (!recorded || !("verdict" in recorded)) continue;
      compared++;
      // What the recording hides is hidden in both.
      const today = await shown(result);
      const masked = recorded.masked ?? [];
      const change: Change = {
        line,
        event,
        recorded: recorded.verdict ?? null,
        today,
        differs: decisionOf(recorded.verdict) !== decisionOf(today),
        masked,
        readsMasked:
          masked.length > 0 && (second === undefined || decisionOf(today) !== decisionOf(await shown(other))),
        ...meanwhile,
      };
      if (change.differs) changes.push(change);
      if (flags.json || change.differs) working.clear();
      if (flags.json) printJson({ ...change, event: subjectOf(event) });
      else if (change.differs) show(change);
    }
  } finally {
    working.end();
    await host.close();
    await second?.close();
  }
  const masked = changes.filter(({ readsMasked }) => readsMasked).length;
  const mark = masked === 0 ? "" : `, ${masked} of them by what is masked`;
  if (!flags.json) print`${`${counted(compared, "event")} judged, ${changes.length} decided otherwise${mark}`}`;
  if (changes.length > 0) throw new Refused("");
}

interface Change {
  line: number;
  event: HookEvent;
  recorded: unknown;
  today: unknown;
  differs: boolean;
  /** Fields of the event that the recording masks: hooks read the stand-ins. */
  masked: readonly string[];
  /** With other stand-ins there the verdict of today is another one. With `--act` that is not tried, and assumed. */
  readsMasked: boolean;
  /** Powers that a hook used meanwhile, and that were not used in fact. */
  pretended: readonly string[];
  /** What hooks were refused meanwhile for the first time. */
  refused: readonly string[];
  /** Dialogs that nobody was there to answer: they count as a no. */
  unanswered: readonly string[];
}

function introduce(host: HookHost, recorded: Recorded | undefined, cwd: string): void {
  for (const hook of host.hooks)
    if (hook.state !== "active")
      sayMarked`cordon: ${called(hook)}: ${hook.disabled ? "disabled" : hook.state}${hook.reason ? `: ${hook.reason}` : ""}`;
  const session = recorded?.session;
  if (!session) return;
  if (session.cwd !== cwd) note(`it was recorded in ${session.cwd}, and hooks judge it in ${cwd} now`);
  const now = new Map(host.hooks.map(({ id, digest }) => [id, digest]));
  const before = new Map(session.hooks.map(({ id, digest }) => [id, digest]));
  for (const [id, digest] of before) {
    if (!now.has(id)) note(`hook ${id} was there, and is not now`);
    // Of one that was not built, nobody knows.
    else if (now.get(id) !== undefined && now.get(id) !== digest) note(`hook ${id} is another version now`);
  }
  for (const id of now.keys()) if (!before.has(id)) note(`hook ${id} is new`);
}

const DIALOG = /^ui\.(select|confirm|input|editor)$/;

/** Longest input that is shown. */
const MAX_INPUT = 300;

function show(change: Change): void {
  const { line, event, recorded, today, masked, readsMasked, pretended, refused, unanswered } = change;
  printMarked`${style.bold(subjectOf(event))} (line ${line})`;
  if ("input" in event && event.input !== undefined)
    printMarked`  input     ${cleanLine(JSON.stringify(event.input), MAX_INPUT)}`;
  printMarked`  recorded  ${verdictText(recorded)}`;
  printMarked`  today     ${verdictText(today)}`;
  if (readsMasked)
    printMarked`  ${style.yellow("masked")}    ${masked.join(", ")}: hooks read a stand-in there, and decide by it`;
  for (const one of refused) printMarked`  ${style.yellow("refused")}   ${one}`;
  for (const one of unanswered)
    printMarked`  ${style.yellow("asked")}     ${one}: nobody was there, which counts as a no`;
  if (pretended.length > 0)
    printMarked`  ${style.yellow("pretended")} ${pretended.join(", ")}: it was not used in fact`;
}

/** What was decided, for people. */
function verdictText(verdict: unknown): Shown {
  if (decisionOf(verdict) === PASSED) return style.green("passed");
  const { block, reason, hook, cancel } = verdict as {
    block?: unknown;
    reason?: unknown;
    hook?: unknown;
    cancel?: unknown;
  };
  if (block === true) return new Lines(`blocked by ${String(hook || "cordon")}: ${String(reason ?? "")}`);
  return cancel === true ? style.red("cancelled") : `changed ${JSON.stringify(verdict)}`;
}

const PASSED = "passed";

/** What was decided, for a comparison: not who said it, or in which words. */
function decisionOf(verdict: unknown): string {
  if (typeof verdict !== "object" || verdict === null || Object.keys(verdict).length === 0) return PASSED;
  if ((verdict as { block?: unknown }).block === true) return "blocked";
  return withoutNumbers(JSON.stringify(verdict, sortedKeys));
}

const sortedKeys = (_name: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
