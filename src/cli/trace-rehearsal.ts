import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { defaultHome } from "../disk/home.ts";
import type { Capabilities } from "../grants/schema.ts";
import type { HookEvent } from "../hook-api.ts";
import { HookHost } from "../host/host.ts";
import { SAMPLE_MESSAGE, type SampleWorld } from "../host/sample-events.ts";
import { OWN_TOOLS } from "../powers/tools.ts";
import { isInside } from "../runtime/find-program.ts";
import { OWN_TITLE } from "../session/consent.ts";
import type { HookError, Refusal } from "../session/hook-error.ts";
import type { HookOption } from "../session/options.ts";
import { installedIn } from "../store/hooks-lock.ts";
import { type ProjectFlags, REHEARSED_MS } from "./common.ts";
import { say } from "./print.ts";
import { sampleAgent, samplePretence } from "./sample-answers.ts";
import { operate } from "./sample-keys.ts";
import type { Found } from "./trace-proposal.ts";
import { type Counted, ranInEither } from "./trace-unreached.ts";
import { tryOffers } from "./try-offers.ts";
import { working } from "./working.ts";

export interface TraceFlags extends ProjectFlags {
  events?: string;
  /** The powers in this file are real. `false`: what the hook was granted before counts for nothing. */
  grants?: string | false;
  wait?: number;
  write?: boolean;
}

/** After its events a hook may go on in timers. It is done when it has used and asked for nothing this long. */
const QUIET_MS = 700;
const MOST_MS = 10_000;

/** A grant under which it hears all and may do nothing. */
export const NONE = {
  events: { see: [...EVENT_NAMES], block: true },
  tools: ["*", ...OWN_TOOLS],
  commands: ["*"],
} satisfies Capabilities;

/** What came out of all that was tried. */
export interface Seen extends Found {
  refusals: Refusal[];
  errors: HookError[];
  id?: string;
  heard: readonly string[];
  /** The branches of its own code, and whether each ran in any try. */
  branches?: readonly Counted[];
  /** What its bundle uses and no hook can have. */
  lacks: readonly string[];
  /** What its source names of pi's API, where the proposal is of the author's own events alone. */
  unled?: Capabilities;
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
  /** No variable is set. */
  bare?: true;
  /** What it may do in fact. */
  grant?: HookOption["grant"];
  /** The same, by the file of what a person granted. */
  granted?: string | undefined;
}

/** Sends the events to the hook once. True if it asked for something that can be answered in two ways. */
export async function rehearse(
  file: string,
  events: readonly HookEvent[],
  flags: TraceFlags,
  seen: Seen,
  { world, agrees, mode, bare, grant = { capabilities: NONE }, granted }: Manner,
): Promise<boolean> {
  let last = performance.now();
  let asked = false;
  const answer = <T>(given: T) => {
    asked = true;
    return Promise.resolve(given);
  };
  const busy = (): void => {
    last = performance.now();
  };
  const { cwd } = world;
  const host = await HookHost.start({
    cwd,
    hooks: [granted === undefined ? { path: file, grant } : { path: file }],
    ...(granted === undefined ? {} : { grantsFile: granted }),
    discover: false,
    spare: false,
    hookTimeout: REHEARSED_MS,
    trial: "alone",
    packed: isInside(file, installedIn(defaultHome())),
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
    // Nobody decides anything: a denial would be on record as a person's.
    consent: () => "later",
    model: { resolveApiKey: () => "sample-key", complete: () => SAMPLE_MESSAGE },
    agent: sampleAgent(mode, agrees, world, () => {
      asked = true;
    }),
    sessionFile: flags.events === undefined ? (world.sessionFile ?? null) : null,
    // Reads are real only while nothing is granted through which a hook could pass on what it reads.
    pretence: {
      branches: true,
      ...samplePretence({ agrees, isFirst: mode === "rpc", reads: granted === undefined, bare }, cwd, () => {
        asked = true;
      }),
    },
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
      seen.id = hook.id;
      seen.lacks = host.lacks(hook.id);
      seen.uses = host.uses(hook.id);
    }
    if (hook?.state !== "active") {
      if (!seen.hasLoaded) seen.trouble ??= hook?.reason ?? "it is no hook";
      return asked;
    }
    seen.hasLoaded = true;
    // Recorded events, and what a person granted, are taken as they are.
    if (granted === undefined && hook.dialect === "pi") {
      if (flags.events === undefined) seen.written = host.written(hook.id);
      else seen.unled = host.written(hook.id);
    }
    delete seen.trouble;
    const leaving = events.findLastIndex((event) => event.type === "session" && event.reason === "shutdown");
    const first = leaving < 0 ? events : events.slice(0, leaving);
    for (const [at, event] of first.entries()) {
      working.step(`trying ${basename(file)}: event ${at + 1} of ${events.length}`);
      await host.emit(event);
    }
    if (flags.wait !== undefined) {
      working.end();
      say`set off what the hook waits for: it is watched for ${flags.wait} s`;
      await delay(flags.wait * 1000);
    }
    working.step(`trying what ${basename(file)} offers`);
    await tryOffers(host, seen);
    // A command may have begun a mode in which the hook does other things.
    if (seen.commands.size > 0) for (const event of first) if (event.type !== "session") await host.emit(event);
    for (const event of events.slice(first.length)) await host.emit(event);
    working.step(`waiting for what ${basename(file)} does later`);
    const ended = performance.now();
    while (performance.now() - Math.max(last, ended) < QUIET_MS && performance.now() - ended < MOST_MS) await delay(50);
    seen.heard = [...new Set([...seen.heard, ...hook.events])];
    seen.branches = ranInEither(seen.branches, host.branches(hook.id));
    return asked;
  } finally {
    isOver = true;
    await host.close();
    working.clear();
  }
}
