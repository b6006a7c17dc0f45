import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { UNHURRIED } from "../support/unhurried.ts";
import { recordingUi, type Shown, withoutHookName } from "./recording-ui.ts";
import { makeRepository, stateOf } from "./repository.ts";
import type { Capabilities, LiveSession, Observed, Scenario } from "./scenario.ts";
import { cordonSide, nameOf, piSide, type Setting, type Side } from "./sides.ts";

/** Every right over events and every dialog. A scenario names the further powers of its hooks. */
export const FULL: Capabilities = {
  events: { see: ["*"], block: true, cancel: true, compact: true, rewriteInput: ["*"], rewriteResult: ["*"] },
  ui: ["notify", "select", "confirm", "input"],
  session: ["entries"],
  send: { perMinute: 600 },
};

const EVENT_TYPES = [
  "session",
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
  "tool_call",
  "tool_result",
  "no_such_event",
];

type Who = "pi" | "cordon" | "trusted";

export interface Trace {
  paths: string[];
  hears: Record<string, boolean>;
  /** Errors of loading. */
  loading: Observed["errors"];
  steps: Observed[];
}

/** Plays a scenario through pi's runner and through Cordon, each in a repository of its own. */
export async function playBoth(scenario: Scenario): Promise<{ pi: Trace; cordon: Trace }> {
  const folder = temporaryFolder();
  const paths = hookPaths(scenario, folder);
  return { pi: await play(scenario, paths, folder, "pi"), cordon: await play(scenario, paths, folder, "cordon") };
}

/** Plays a scenario with the hooks in process (`trust: "full"`), beside pi. */
export async function expectSameTrusted(scenario: Scenario): Promise<void> {
  const folder = temporaryFolder();
  const paths = hookPaths(scenario, folder);
  const pi = await play(scenario, paths, folder, "pi");
  expect(await play(scenario, paths, folder, "trusted")).toEqual(pi);
}

/** Everything that is visible from outside must be the same on both sides. Returns it for further checks. */
export async function expectSame(scenario: Scenario): Promise<Trace> {
  const { pi, cordon } = await playBoth(scenario);
  expect(cordon).toEqual(pi);
  return pi;
}

function hookPaths({ hooks }: Scenario, folder: string): string[] {
  if (Array.isArray(hooks)) return hooks;
  writeFiles(folder, Object.fromEntries(Object.entries(hooks).map(([name, source]) => [`hooks/${name}.ts`, source])));
  return Object.keys(hooks).map((name) => join(folder, "hooks", `${name}.ts`));
}

async function play(scenario: Scenario, paths: string[], folder: string, who: Who): Promise<Trace> {
  const cwd = join(folder, who, "work");
  mkdirSync(cwd, { recursive: true });
  makeRepository(cwd);
  const now: Observed = { outcome: undefined, shown: [], errors: [], sent: [], notes: [] };
  const setting: Setting = {
    cwd,
    home: join(folder, "home"),
    paths,
    grant: { capabilities: { ...FULL, ...scenario.grant }, limits: UNHURRIED },
    hookTimeout: scenario.hookTimeout ?? 30_000,
    trusted: who === "trusted",
    errors: now.errors,
    sent: now.sent,
  };
  const side = who === "pi" ? await piSide(setting) : await cordonSide(setting);
  const session = liveSession(scenario, side, paths, cwd, now, who);
  const loading = now.errors.splice(0);
  const steps: Observed[] = [];
  for (const step of scenario.script) {
    now.outcome = undefined;
    if ("act" in step) step.act(session);
    else if ("call" in step) now.outcome = await side.decide(step.tool ?? "bash", structuredClone(step.call));
    else {
      const event = typeof step.emit === "function" ? step.emit(session) : structuredClone(step.emit);
      const shown = JSON.parse(JSON.stringify(event));
      now.outcome = meaningOf(await side.emit(event), shown);
    }
    steps.push({
      outcome: now.outcome,
      shown: now.shown.splice(0),
      // A handler of tool_call that throws blocks in both; Cordon also reports it.
      errors: now.errors.splice(0).filter(({ event }) => event !== "tool_call" || !isBlocked(now.outcome)),
      sent: now.sent.splice(0),
      notes: now.notes.splice(0),
      // Only a command can change it.
      ...(scenario.grant?.exec ? { repository: stateOf(cwd) } : {}),
    });
  }
  const trace = {
    paths: side.paths(),
    // Cordon shows the first of these to hooks that hear of sessions, too: they may register a handler then.
    hears: Object.fromEntries(
      EVENT_TYPES.map((type) => [type, side.hears(type) || (BEGIN_ONE.has(type) && side.hears("session"))]),
    ),
    loading,
    steps,
  };
  return JSON.parse(comparable(JSON.stringify(trace), cwd));
}

const BEGIN_ONE = new Set(["agent_start", "turn_start", "tool_call", "tool_result"]);

const isBlocked = (outcome: unknown): boolean =>
  typeof outcome === "object" && outcome !== null && "blocked" in outcome;

/** What repeats the event means nothing, and so does an object without keys. pi passes both on to the agent, for which they change nothing. */
function meaningOf(result: unknown, shown: Record<string, unknown>): unknown {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return result;
  const changed = Object.entries(result).filter(([member, value]) => !isDeepStrictEqual(value, shown[member]));
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/**
 * Two runs never have the same folder, and git's ids contain the time. Cordon shows no character that cannot be seen, and so
 * not the one that makes a sign coloured.
 */
const comparable = (text: string, cwd: string): string =>
  text
    .replaceAll(cwd, "<cwd>")
    .replace(/\b[0-9a-f]{40}\b/g, "<sha>")
    .replaceAll("\ufe0f", "");

function liveSession(
  scenario: Scenario,
  side: Side,
  paths: string[],
  cwd: string,
  now: Observed,
  who: Who,
): LiveSession {
  const session: LiveSession = {
    cwd,
    setSessionFile: (path) => side.setSessionFile(path),
    setHasUI: (hasUI) => (hasUI ? side.setUI(ui, true) : side.setUI(NO_UI, false)),
    note: (text) => now.notes.push(text),
    whenAsked: undefined,
  };
  const answers = (asked: Shown): unknown => {
    session.whenAsked?.();
    return scenario.answers?.(asked);
  };
  const ui = recordingUi(now.shown, answers, who === "pi" ? (title) => title : withoutHookName(paths.map(nameOf)));
  session.setHasUI(scenario.hasUI ?? true);
  return session;
}

/** What pi's print mode gives to hooks. */
const NO_UI = { select: async () => null, confirm: async () => false, input: async () => null, notify: () => {} };
