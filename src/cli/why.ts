import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { type KeptBlock, keptBlocks } from "../audit/blocks.ts";
import { addTo, type History, newHistory } from "../audit/history.ts";
import type { AuditLine } from "../audit/line.ts";
import { runningChains } from "../audit/own-chain.ts";
import { readChains } from "../audit/read.ts";
import { attemptOr } from "../base/attempt.ts";
import { counted } from "../base/counted.ts";
import { type ErrorCode, messageOf } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
import { defaultHome, inHome } from "../disk/home.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { forbiddenBy, type PolicyInForce, policiesInForce, requiredHooks } from "../grants/policy.ts";
import { type Asks, type Capabilities, powersOf } from "../grants/schema.ts";
import { exactly } from "../powers/quoted.ts";
import { wantedIn } from "../report/refusal.ts";
import { grantCommand } from "../report/typed.ts";
import { GRANTED_SINCE } from "../session/remedies.ts";
import { remediesFor, type Why, whyLines } from "../session/why.ts";
import { readUserGrants } from "../store/grants-file.ts";
import type { Grants } from "../store/grants-text.ts";
import type { ProjectFlags } from "./common.ts";
import { hooksHere } from "./here.ts";
import { idsNamed, isOwn, type Named, shortName, UnknownHook } from "./names.ts";
import { Lines, print, printJson, printMarked } from "./print.ts";

/** What is kept of a block is written right after the audit's line. */
const TOGETHER_MS = 5000;

/** Most lines that are looked at from the end. */
const MOST_KEPT = 10_000;

/** How the reason of a refusal ends where no grant helps. */
const FORBIDDEN = /your organisation's policy does not allow it/;

const BLOCKS = new Set(["block", "withheld"]);

/** `cordon why [ID]`: the last blocks, newest first: which hook and handler, what was asked, when, and what to do about it. */
export async function why(name: string | undefined, flags: ProjectFlags & { tail?: number }): Promise<void> {
  const home = defaultHome();
  const folder = inHome(home, "audit");
  const lines: AuditLine[] = [];
  const histories = new Map<string, History>();
  const refusals = new Refusals();
  const tried: AuditLine[] = [];
  const running = runningChains(folder);
  for await (const { line, chain } of existsSync(folder) ? readChains(folder) : []) {
    const history = histories.get(line.hook) ?? newHistory();
    histories.set(line.hook, history);
    addTo(history, line, running.has(chain));
    refusals.take(line);
    if (!BLOCKS.has(line.outcome)) continue;
    const into = line.trial === true ? tried : lines;
    if (into.push(line) > MOST_KEPT) into.shift();
  }
  const grants = orProblem(() => readUserGrants(home), new Map() as Grants);
  const inForce = orProblem(policiesInForce, []);
  const found = orProblem(() => hooksHere(resolve(flags.cwd ?? "."), home, grants.value), []);
  const problem = inForce.problem ?? grants.problem ?? found.problem;
  const here = found.value;
  const ids = name === undefined ? undefined : idsOf(name, here, recorded([...lines, ...tried], here));
  // Newest first, as the lines that take them.
  const kept = new Set(keptBlocks(home).reverse());
  /** The file of a hook that was named, where another hook here has its id. */
  const apart = (id: string): string | undefined => {
    const file = fileOf(histories.get(id));
    const hook = here.find((one) => one.id === id && one.origin !== undefined);
    return hook && hook.realPath !== file ? file : undefined;
  };
  /** What a person decided on a hook, by its name in the grants or by its file. */
  const decidedOn = (id: string): GrantEntry | undefined => {
    const [key, file] = [here.find((one) => one.id === id)?.key ?? id, histories.get(id)?.file ?? ""];
    return grants.value.get(apart(id) ?? key) ?? grants.value.get(file);
  };
  // What was granted before may be void since the hook's files changed. If a policy took it, it counts again without that.
  const grantedSince = ({ hook: id, time, value = "" }: AuditLine, isTaken: boolean): Capabilities => {
    const entry = decidedOn(id);
    // A session goes on with what it began with.
    const isSince = value.includes(GRANTED_SINCE) || (entry?.grantedAt ?? "") > time;
    return isTaken || isSince ? (entry?.capabilities ?? {}) : {};
  };
  const nameFor = (id: string): string | undefined => apart(id) ?? commandName(id, here) ?? fileOf(histories.get(id));
  const required = new Set(requiredHooks(inForce.value.map(({ policy }) => policy)));
  const isAsked = ({ hook }: AuditLine): boolean => ids === undefined || ids.includes(hook);
  const blocks = lines
    .filter(isAsked)
    .slice(-(flags.tail ?? 1))
    .reverse()
    .map((line) => {
      const refused = refusals.namedIn(line);
      const by = refused?.policy;
      return whyOf(line, kept, histories.get(line.hook), {
        named: nameFor(line.hook),
        isRequired: required.has(line.hook),
        policy: shownFile(line.policy ?? (refused && forbiddenNow(refused, inForce.value))),
        lifted:
          by === undefined
            ? undefined
            : `the policy ${shownFile(by)} did not allow it then, and ${existsSync(by) ? "allows it now" : "is gone"}`,
        grant: refused && refusals.remedyFor(refused, nameFor(line.hook), grantedSince(line, by !== undefined)),
      });
    })
    .map((block) =>
      decidedOn(block.hook)?.disabled === true
        ? { ...block, remedies: ofDisabled(nameFor(block.hook) ?? block.hook) }
        : block,
    );
  if (problem !== undefined && !flags.json)
    printMarked`careful: no session starts now, and what agents ask is blocked: ${problem}; cordon doctor says more`;
  if (flags.json) printJson({ ...(problem === undefined ? {} : { problem }), blocks });
  else if (blocks.length === 0)
    print`${`${name === undefined ? "no call was blocked yet" : `${name} blocked no call yet`}${inTrials(tried.filter(isAsked).length)}`}`;
  for (const block of flags.json ? [] : blocks) printBlock(whyLines(block, nameOf(block.hook, here)));
}

/** What is read, or why it cannot be. */
function orProblem<T>(read: () => T, otherwise: T): { value: T; problem?: string } {
  try {
    return { value: read() };
  } catch (error) {
    return { value: otherwise, problem: messageOf(error) };
  }
}

/** The file of a policy that does not allow now what a hook was refused then: the one of then, or one in force here. */
function forbiddenNow(refused: AuditLine, inForce: readonly PolicyInForce[]): string | undefined {
  const { policy, wanted } = refused;
  const power = powerOf(refused);
  const grant = (wantedIn(power, wanted) as Readonly<Record<string, unknown>> | undefined)?.[power];
  if (policy === undefined || !existsSync(policy)) return forbiddenBy(inForce, power, grant);
  // An agent may have that one in force where this command has not. What cannot be compared holds on.
  const then = attemptOr(() => policiesInForce([policy]), undefined);
  if (then === undefined || grant === undefined) return policy;
  return forbiddenBy([...then, ...inForce], power, grant);
}

/** The file of a policy, on one line. */
const shownFile = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : cleanLine(file, 1000);

/** What hooks were refused, as the record has it: a hook may word the reason of its block as it likes. */
class Refusals {
  readonly #all = new Map<string, AuditLine[]>();
  /** When a person last said no to a use. */
  readonly #denied = new Map<string, string>();

  take(line: AuditLine): void {
    if (line.capability === undefined) return;
    if (line.outcome === "consent: deny") this.#denied.set(useOf(line), line.time);
    if (line.outcome !== "NOT_GRANTED") return;
    const known = this.#all.get(line.hook) ?? [];
    this.#all.set(line.hook, known);
    if (known.push(line) > MOST_REFUSED) known.shift();
  }

  /** What a block names as not granted, if the record has that. */
  namedIn({ hook, value = "" }: AuditLine): AuditLine | undefined {
    const isForbidden = FORBIDDEN.test(value);
    const all = (this.#all.get(hook) ?? []).filter(({ policy }) => (policy !== undefined) === isForbidden);
    return all.findLast((one) => isNamedIn(value, one)) ?? (isForbidden ? all.at(-1) : undefined);
  }

  /** What a person can do about a refusal, if the record says what would cover it. `since`: what was granted since. */
  remedyFor(refused: AuditLine, name: string | undefined, since: Capabilities): string | undefined {
    if (name === undefined) return undefined;
    const power = powerOf(refused);
    const { limits: _limits, ...wanted }: Asks = wantedIn(power, refused.wanted) ?? {};
    if (Object.keys(wanted).length > 0 && powersOf.covers(since, wanted))
      return "it is granted that now: sessions that start now have it";
    const command = grantCommand(
      name,
      power,
      exactly(JSON.stringify((wanted as Record<string, unknown>)[power]) ?? ""),
    );
    const denied = this.#denied.get(useOf(refused));
    const when =
      denied === undefined
        ? ""
        : `; on ${denied.slice(0, 10)} at ${denied.slice(11, 19)} UTC it was denied when the agent asked`;
    return command && `${command}: gives it what it was refused${when}`;
  }
}

const useOf = (line: AuditLine): string => [line.hook, powerOf(line), line.value].join("\n");

/** Most refusals of one hook that are looked through. */
const MOST_REFUSED = 1000;

const isNamedIn = (reason: string, line: AuditLine): boolean =>
  reason.includes(`was not granted ${powerOf(line)}`) && reason.includes(line.value ?? "");

/** `fs.read` is of fs. */
const powerOf = ({ capability = "" }: AuditLine): string => capability.split(".")[0] as string;

/** Says that blocks of `cordon run` and its like do not count. */
const inTrials = (count: number): string =>
  count === 0
    ? ""
    : ` in a session; ${counted(count, "block")} in trials, as by cordon run: cordon audit --outcome block`;

/** It blocks nothing now. */
const ofDisabled = (name: string): string[] => [
  `${command`cordon enable ${name}`}: it is disabled, and blocks nothing until then`,
];

/** Hooks that only the audit knows. */
const recorded = (lines: readonly AuditLine[], here: readonly Named[]): Named[] =>
  [...new Set(lines.map(({ hook }) => hook))]
    .filter((id) => id !== "" && !here.some((hook) => hook.id === id))
    .map((id) => ({ id, key: id, path: id, recorded: true }));

/** A hook that blocked nothing may be any. */
function idsOf(name: string, here: readonly Named[], recorded: readonly Named[]): string[] {
  try {
    return idsNamed(name, here, recorded);
  } catch (error) {
    if (error instanceof UnknownHook && isOwn(name)) return [""];
    if (error instanceof UnknownHook && here.length + recorded.length === 0) return [name];
    throw error;
  }
}

function nameOf(id: string, here: readonly Named[]): string {
  const hook = here.find((one) => one.id === id);
  return hook ? shortName(hook, here) : id;
}

/** What a command about the hook takes, if one finds it: also a file that only an agent names. */
function commandName(id: string, here: readonly Named[]): string | undefined {
  const isFound = here.some((hook) => hook.id === id) || (isAbsolute(id) && existsSync(id));
  return isFound ? nameOf(id, here) : undefined;
}

/** The file of a hook that a program names by an id. */
const fileOf = ({ file }: Partial<History> = {}): string | undefined =>
  file !== undefined && existsSync(file) ? file : undefined;

function whyOf(
  { hook, time, value = "", event }: AuditLine,
  kept: Set<KeptBlock>,
  history: History | undefined,
  about: {
    named: string | undefined;
    isRequired: boolean;
    policy: string | undefined;
    lifted: string | undefined;
    grant: string | undefined;
  },
): Why {
  const isIt = (one: KeptBlock): boolean => {
    const after = Date.parse(one.time) - Date.parse(time);
    return one.hook === hook && value.includes(one.reason.slice(0, 200)) && after >= 0 && after < TOGETHER_MS;
  };
  const known = [...kept].find(isIt);
  // Of blocks with one reason, each has an input of its own.
  if (known) kept.delete(known);
  const [tool = "", reason = value] = event === "tool_call" ? value.split(/: (.*)/s) : ["a result", value];
  const block: Omit<KeptBlock, "input"> = known ?? { time, hook, tool, reason };
  const isFine = runsAgain(block.code, time, history);
  // The file may be gone by now.
  const isThere = block.at !== undefined && existsSync(block.at.replace(/(:\d+){1,2}$/, ""));
  const { at: _at, ...others } = block;
  const remedies = remediesFor(isThere ? block : others, { ...about, typed: "cordon", isFine });
  return { ...block, time, remedies };
}

/** Failures of a single call, after which a hook that crashed is restarted by itself. */
const PASSING: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  ...(["TIMEOUT", "CPU_EXCEEDED", "OUT_OF_MEMORY", "CRASHED", "PROTOCOL_VIOLATION"] as const),
  ...(["HOOK_THREW", "BAD_RESULT", "RATE_LIMITED"] as const),
]);

/** True if a hook runs again after a failure, or in the next session, as far as the record says. */
const runsAgain = (code: string | undefined, time: string, history: History | undefined): boolean =>
  (history?.lastRun ?? "") > time || (PASSING.has(code) && history?.stopped !== "running");

/** Prints a block: in each of its lines there may be words of a hook. */
function printBlock(lines: readonly string[]): void {
  for (const line of lines) printMarked`${new Lines(line)}`;
}
