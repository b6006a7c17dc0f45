import { dirname, resolve } from "node:path";
import { counted } from "../base/counted.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { dangersOf } from "../grants/dangers.ts";
import { dangersOfLimits } from "../grants/limits.ts";
import type { Asks } from "../grants/schema.ts";
import { lackingText } from "../host/lacking-text.ts";
import { type SampleWorld, sampleEvents } from "../host/sample-events.ts";
import { isInside } from "../runtime/find-program.ts";
import type { HookError } from "../session/hook-error.ts";
import { note, Refused } from "./common.ts";
import { readEvents } from "./events-file.ts";
import { hookFile } from "./hook-file.ts";
import { print, printJson, printMarked, style } from "./print.ts";
import { isInvented } from "./sample-env.ts";
import { personsModel } from "./sample-model.ts";
import { sampleSessionFile } from "./sample-session.ts";
import { type Granted, grantedTo, merged } from "./trace-granted.ts";
import { proposalOf } from "./trace-proposal.ts";
import { rehearse, type Seen, type TraceFlags } from "./trace-rehearsal.ts";
import { tryAgain } from "./trace-rounds.ts";
import { type Unreached, unreachedIn, unreachedNotes } from "./trace-unreached.ts";
import { widened } from "./widened.ts";
import { withWritten } from "./with-written.ts";
import { working } from "./working.ts";
import { additionText, addToManifest } from "./write-manifest.ts";

/**
 * `cordon trace PATH`, or the id of an installed hook: sends events to a hook without powers, and prints the least grant
 * that covers what it tried. It reads real files, and is told that all else was done; then it is tried again with what it tried to
 * change granted, in a copy of its folder, until it asks for nothing new.
 */
export async function trace(path: string, flags: TraceFlags): Promise<void> {
  const file = hookFile(path);
  // In Cordon's own home there is nothing for a hook to look at.
  const cwd = resolve(flags.cwd ?? (isInside(file, realPathOf(defaultHome())) ? "." : dirname(file)));
  const given = flags.events === undefined ? undefined : (await readEvents(flags.events)).map(({ event }) => event);
  if (given?.length === 0) throw new Refused(`${flags.events}: there is no event in it, so nothing would be tried`);
  const worldIn = (cwd: string): SampleWorld => ({ cwd, model: personsModel(), sessionFile: sampleSessionFile(cwd) });
  const world = worldIn(cwd);
  const events = given ?? sampleEvents(world);
  const tried = { tools: new Set<string>(), commands: new Set<string>(), unended: new Set<string>() };
  const seen: Seen = { refusals: [], errors: [], heard: [], lacks: [], written: {}, uses: [], ...tried };
  // A hook may act differently after a yes and after a no, after success and after failure, and without a terminal.
  const real = typeof flags.grants === "string" ? resolve(flags.grants) : undefined;
  const attempt = (manner: { agrees: boolean; mode: "tui" | "rpc"; bare?: true }): Promise<boolean> =>
    rehearse(file, events, flags, seen, { world, granted: real, ...manner });
  const asked = await attempt({ agrees: true, mode: "tui" });
  const lucky = seen.errors.length;
  if (asked) await attempt({ agrees: false, mode: "tui" });
  const unlucky = seen.errors.splice(lucky);
  if (asked) {
    await attempt({ agrees: true, mode: "rpc" });
  }
  // One that is switched off by a variable does what it does without it.
  if (asksForInvented(seen)) await attempt({ agrees: true, mode: "tui", bare: true });
  const { trouble } = seen;
  if (trouble !== undefined && seen.refusals.length === 0) throw new Refused(`${path} does not load: ${trouble}`);
  const before = flags.grants === false ? undefined : grantedTo(file, seen.id, real);
  const rounds = await tryAgain(file, { flags, seen, world, given, worldIn, before: real ? before : undefined });
  working.end();
  const { added, secrets, beyond, capabilities, limits } = proposalOf(seen, {
    world,
    events,
    hasWritten: rounds.hasWritten === true,
  });
  const { all, missing } = merged(before, { ...capabilities, ...(limits ? { limits } : {}) });
  const unreached = unreachedIn(seen.branches ?? []);
  const notes = [
    ...seen.refusals
      .filter(({ wanted }) => !(wanted && widened(wanted)))
      .map(({ message }) => message)
      // What is asked of an open database is granted with its opening.
      .filter((message) => !/ was not granted sqlite: (exec|prepare|query|rows|drop) /.test(message)),
    ...errorNotes(seen, unlucky, flags.cwd === undefined ? cwd : undefined),
    ...(trouble === undefined ? [] : [`it does not load without: ${trouble}`]),
    ...[...seen.unended].map((what) => `${what} did not end while it was tried`),
    ...(seen.lacks.length === 0 ? [] : [`it ${lackingText(seen.lacks, seen.heard)}`]),
    ...unreachedNotes(seen, all, events, unreached),
    ...unledNotes(seen, all),
    ...secrets.map((file) => `it reads what events name, ${file} too, which holds secrets and is not in the proposal`),
    ...(beyond === 0
      ? []
      : [
          `it looks at ${beyond} more places than a grant may name: a folder that holds them, as in "$HOME/bin/*", is one`,
        ]),
    ...(rounds.early === undefined ? [] : [rounds.early]),
  ];
  report(
    {
      path,
      events: events.length,
      rounds: rounds.count,
      all,
      missing,
      added,
      unreached,
      notes: [...new Set(notes)],
      before,
    },
    flags.json,
  );
  if (flags.write) note(additionText(addToManifest(file, all)));
}

/**
 * What the hook threw. `unlucky`: where all that it asked for was denied, or failed; `beside`: the folder that it was tried in, since
 * its file lies there.
 */
function errorNotes({ refusals, errors }: Seen, unlucky: readonly HookError[], beside: string | undefined): string[] {
  // A refusal that a hook does not catch comes a second time, as its error with the same text.
  const said = new Set(refusals.map(({ message }) => message));
  const unsaid = (all: readonly HookError[]): HookError[] => all.filter(({ error }) => !said.has(error));
  const text = ({ event, error, code }: HookError): string => `${event}: ${error} (${code})`;
  const own = new Set(unsaid(errors).map(text));
  return [
    ...[...own].map((one) =>
      beside !== undefined && one.includes("ENOENT") && one.includes(`${beside}/`)
        ? `${one}; it was tried in the folder of its file: --cwd names another`
        : one,
    ),
    ...unsaid(unlucky)
      .map(text)
      .filter((one) => !own.has(one))
      .map((one) => `${one}, where it was told no, and that a program or a write failed`),
  ];
}

/** Of the author's own events, the proposal has what they led to: what else the source names is refused then. */
function unledNotes({ unled = {} }: Seen, { limits: _limits, ...all }: Asks): string[] {
  const { added } = withWritten(all, unled);
  return added.length === 0 ? [] : [`not in the proposal, since these events led to none of it: ${added.join(", ")}`];
}

const asksForInvented = ({ refusals }: Seen): boolean =>
  refusals.some(({ wanted }) => wanted?.capability === "env" && (wanted.grant as string[]).some(isInvented));

interface Traced {
  path: string;
  events: number;
  rounds: number;
  all: Asks;
  missing: Asks;
  added: readonly string[];
  unreached: readonly Unreached[];
  notes: readonly string[];
  before: Granted | undefined;
}

function report({ path, events, rounds, all, missing, added, unreached, notes, before }: Traced, json = false): void {
  const { limits, ...capabilities } = all;
  const lacks = Object.keys(missing);
  const whole = [
    ...notes,
    ...(before === undefined
      ? []
      : [
          lacks.length === 0
            ? `${before.file} grants it all of this`
            : `this includes what ${before.file} grants it; not granted: ${lacks.join(", ")}`,
        ]),
    ...(added.length === 0 ? [] : [`in its source, and tried with no sample: ${added.join(", ")}`]),
    ...(limits
      ? [
          `it needs more than the usual limits; with ${JSON.stringify(limits)} ${dangersOfLimits(limits).join(", and ")}`,
        ]
      : []),
  ];
  const asks = { capabilities, ...(limits ? { limits } : {}) };
  if (json) {
    printJson({ path, events, rounds, ...asks, ...(before ? { missing } : {}), unreached, notes: whole });
    return;
  }
  const by = `${counted(events, "event")}${added.length === 0 ? "" : " and its source"}`;
  // One value: the spaces at the ends of each are cleaned away.
  const showed = `${by} showed${rounds === 1 ? "" : ` in ${counted(rounds, "round")}`}`;
  print`${style.bold(path)} would need, as far as ${showed}:`;
  printJson(asks, 2);
  for (const [power, value] of Object.entries(capabilities))
    for (const danger of dangersOf(power, value, capabilities))
      printMarked`${style.yellow("!")} ${`${power}: ${danger}`}`;
  for (const text of whole) printMarked`${style.yellow("note")} ${text}`;
}
