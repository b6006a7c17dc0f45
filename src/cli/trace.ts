import { dirname, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { dangersOfLimits, limitsOf } from "../grants/limits.ts";
import { type Capabilities, type Limits, withMore } from "../grants/schema.ts";
import type { HookEvent } from "../hook-api.ts";
import { HookHost } from "../host/host.ts";
import { lackingText } from "../host/lacking-text.ts";
import { type SampleWorld, sampleEvents } from "../host/sample-events.ts";
import { OWN_TOOLS } from "../powers/tools.ts";
import { OWN_TITLE } from "../session/consent.ts";
import type { HookError, Refusal, Wanted } from "../session/reporter.ts";
import { type ProjectFlags, Refused } from "./common.ts";
import { readEvents } from "./events-file.ts";
import { hookFile } from "./hook-file.ts";
import { print, printJson, say, style } from "./print.ts";
import { sampleAgent, samplePretence } from "./sample-answers.ts";
import { SAMPLE_MESSAGE } from "./sample-entries.ts";
import { operate } from "./sample-keys.ts";
import { personsModel } from "./sample-model.ts";
import { sampleSessionFile } from "./sample-session.ts";
import { type Tried, tryOffers } from "./try-offers.ts";
import { withVaried } from "./varied-arguments.ts";
import { widened } from "./widened.ts";
import { withWritten } from "./with-written.ts";

interface Flags extends ProjectFlags {
  events?: string;
  grants?: string;
  wait?: number;
}

/** After its events a hook may go on in timers. It is done when it has used and asked for nothing this long. */
const QUIET_MS = 700;
const MOST_MS = 10_000;

/**
 * `cordon trace PATH`, or the id of an installed hook: sends events to a hook without powers, and prints the least grant
 * that covers what it tried. Nothing of that is done: it reads real files, and is told that all else was done.
 */
export async function trace(path: string, flags: Flags): Promise<void> {
  const file = hookFile(path);
  const cwd = resolve(flags.cwd ?? dirname(file));
  const world: SampleWorld = { cwd, model: personsModel(), sessionFile: sampleSessionFile(cwd) };
  const events =
    flags.events === undefined ? sampleEvents(world) : (await readEvents(flags.events)).map(({ event }) => event);
  const tried = { tools: new Set<string>(), commands: new Set<string>(), unended: new Set<string>() };
  const seen: Seen = { refusals: [], errors: [], heard: [], lacks: [], written: {}, uses: [], ...tried };
  // A hook may act differently after a yes and after a no, after success and after failure, and without a terminal.
  const asked = await rehearse(file, events, flags, seen, { world, agrees: true, mode: "tui" });
  if (asked) {
    await rehearse(file, events, flags, seen, { world, agrees: false, mode: "tui" });
    await rehearse(file, events, flags, seen, { world, agrees: true, mode: "rpc" });
  }
  const { refusals, errors, trouble } = seen;
  if (trouble !== undefined && refusals.length === 0) throw new Refused(`${path} does not load: ${trouble}`);
  const refused = new Set(refusals.map(({ message }) => message));
  const proposals = refusals.map(({ message, wanted }) => ({ message, wanted: wanted && widened(wanted) }));
  const notes = [
    ...proposals.filter(({ wanted }) => !wanted).map(({ message }) => message),
    // A refusal that a hook does not catch comes a second time, as its error with the same text.
    ...errors
      .filter(({ error }) => !refused.has(error))
      .map(({ event, error, code }) => `${event}: ${error} (${code})`),
    ...(trouble === undefined ? [] : [`it does not load without: ${trouble}`]),
    ...[...seen.unended].map((what) => `${what} did not end while it was tried`),
    ...(seen.lacks.length === 0 ? [] : [`it ${lackingText(seen.lacks, seen.heard)}`]),
  ];
  const wanted = proposals.flatMap((one) => one.wanted ?? []);
  report(path, { ...seen, wanted, world }, events.length, [...new Set(notes)], flags.json);
}

interface Seen extends Tried {
  refusals: Refusal[];
  errors: HookError[];
  /** The types of events that the hook hears. */
  heard: readonly string[];
  /** What its bundle uses and no hook can have. */
  lacks: readonly string[];
  /** What its source names of pi's API. */
  written: Capabilities;
  /** Powers and limits that its code seems to use. */
  uses: readonly string[];
  /** It did, with some of the answers. */
  hasLoaded?: boolean;
  /** Why it does not load, with any. */
  trouble?: string;
}

/** How a hook is answered, and where its agent runs. */
interface Manner {
  world: SampleWorld;
  agrees: boolean;
  mode: "tui" | "rpc";
}

/** Sends the events to the hook once. True if it asked for something that can be answered in two ways. */
async function rehearse(
  file: string,
  events: readonly HookEvent[],
  flags: Flags,
  seen: Seen,
  { world, agrees, mode }: Manner,
): Promise<boolean> {
  let last = performance.now();
  let asked = false;
  const answer = <T>(given: T) => {
    asked = true;
    return Promise.resolve(given);
  };
  const none = {
    capabilities: { events: { see: [...EVENT_NAMES], block: true }, tools: ["*", ...OWN_TOOLS], commands: ["*"] },
  };
  const busy = (): void => {
    last = performance.now();
  };
  const { cwd } = world;
  const host = await HookHost.start({
    cwd,
    hooks: [flags.grants === undefined ? { path: file, grant: none } : { path: file }],
    ...(flags.grants === undefined ? {} : { grantsFile: resolve(flags.grants) }),
    discover: false,
    spare: false,
    // There is a person to ask, who grants nothing: some hooks ask only if there is one.
    hasUI: true,
    ui: {
      select: (title, options) =>
        title.startsWith(OWN_TITLE) ? Promise.resolve(null) : answer((agrees ? options[0] : options.at(-1)) ?? null),
      confirm: () => answer(agrees),
      input: () => answer(agrees ? "" : null),
      editor: () => answer(agrees ? "sample" : null),
      notify: () => {},
      custom: (screen) => {
        asked = true;
        void operate(screen, agrees).then(busy);
      },
      mount: (screen) => void screen.render({ width: 80, rows: 24 }),
      edit: (editor) => {
        asked = true;
        void operate(editor, agrees).then(busy);
      },
    },
    consent: () => "deny",
    model: { resolveApiKey: () => "sample-key", complete: () => SAMPLE_MESSAGE },
    agent: sampleAgent(mode, agrees, world),
    sessionFile: flags.events === undefined ? (world.sessionFile ?? null) : null,
    // Reads are real only while nothing is granted through which a hook could pass on what it reads.
    pretence: samplePretence({ agrees, isFirst: mode === "rpc", reads: flags.grants === undefined }, cwd, () => {
      asked = true;
    }),
    onRefused: (refusal) => {
      busy();
      seen.refusals.push(refusal);
    },
    // A granted power that it uses keeps it busy, too.
    onAudit: busy,
    log: () => {},
  });
  let isOver = false;
  host.onError((error) => {
    // What was left behind fails at the end.
    if (!isOver) seen.errors.push(error);
  });
  try {
    const [hook] = host.hooks;
    if (hook) {
      seen.lacks = host.lacks(hook.id);
      seen.uses = host.uses(hook.id);
    }
    if (hook?.state !== "active") {
      if (!seen.hasLoaded) seen.trouble ??= hook?.reason ?? "it is no hook";
      return asked;
    }
    seen.hasLoaded = true;
    // Recorded events, and what a person granted, are taken as they are.
    if (flags.events === undefined && flags.grants === undefined && hook.dialect === "pi")
      seen.written = host.written(hook.id);
    delete seen.trouble;
    const leaving = events.findLastIndex((event) => event.type === "session" && event.reason === "shutdown");
    const first = leaving < 0 ? events : events.slice(0, leaving);
    for (const event of first) await host.emit(event);
    if (flags.wait !== undefined) {
      say`set off what the hook waits for: it is watched for ${flags.wait} s`;
      await delay(flags.wait * 1000);
    }
    await tryOffers(host, seen);
    // A command may have begun a mode in which the hook does other things.
    if (seen.commands.size > 0) for (const event of first) if (event.type !== "session") await host.emit(event);
    for (const event of events.slice(first.length)) await host.emit(event);
    const ended = performance.now();
    while (performance.now() - Math.max(last, ended) < QUIET_MS && performance.now() - ended < MOST_MS) await delay(50);
    seen.heard = [...new Set([...seen.heard, ...hook.events])];
    return asked;
  } finally {
    isOver = true;
    await host.close();
  }
}

function report(
  path: string,
  { heard, wanted, tools, commands, written, uses, world }: Seen & { wanted: readonly Wanted[]; world: SampleWorld },
  events: number,
  failures: readonly string[],
  json = false,
): void {
  const powers = wanted.filter(({ capability }) => capability !== "limits");
  const lifted = wanted.flatMap(({ capability, grant }) => (capability === "limits" ? [grant as Limits] : []));
  if (uses.includes("limits.wasm")) lifted.push({ wasm: true });
  const limits = lifted.reduce<Limits | undefined>((sum, more) => limitsOf.union(sum, more), undefined);
  const tried = powers.reduce<Capabilities>((sum, { capability, grant }) => withMore(sum, capability, grant), {
    events: { see: [...heard].sort(), ...(heard.includes("tool_call") ? { block: true } : {}) },
    ...(tools.size > 0 ? { tools: [...tools] } : {}),
    ...(commands.size > 0 ? { commands: [...commands] } : {}),
  });
  if (tried.exec) tried.exec = withVaried(tried.exec, world.model);
  // Nothing was written, and so nothing was read again that had been.
  const files = tried.fs?.write ?? [];
  if (files.length > 0) Object.assign(tried, withMore(tried, "fs", { read: files }));
  const { capabilities, added } = withWritten(tried, written);
  const notes = [
    ...failures,
    ...(added.length === 0 ? [] : [`in its source, and tried with no sample: ${added.join(", ")}`]),
    ...(limits
      ? [`it was tried with the usual limits; with ${JSON.stringify(limits)} ${dangersOfLimits(limits).join(", and ")}`]
      : []),
  ];
  if (json) {
    printJson({ path, events, capabilities, ...(limits ? { limits } : {}), notes });
    return;
  }
  const by = added.length === 0 ? "" : " and its source";
  print`${style.bold(path)} would need, as far as ${events} events${by} showed:`;
  printJson({ capabilities, ...(limits ? { limits } : {}) }, 2);
  for (const note of notes) print`${style.yellow("note")} ${note}`;
}
