import { CordonError } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { beyondGuard, mayDo } from "../grants/chosen.ts";
import { refuseUnreviewable, shownPowers } from "../grants/shown-power.ts";
import { HookHost } from "../host/host.ts";
import { type Rehearsal, rehearse } from "../host/rehearsal.ts";
import { sampleEvents } from "../host/sample-events.ts";
import { type Choice, chosenPowers, type Decision, keyOf, type Target } from "../market/install.ts";
import { changeLines, hookLines, type Line, meaningOf, packageLines } from "../market/screen.ts";
import { asked, mayAsk, offered, rootOf, type Staged, type StagedHook } from "../market/stage.ts";
import { type Change, differenceOf } from "../market/update.ts";
import { readUserGrants } from "../store/grants-file.ts";
import type { LockEntry } from "../store/hooks-lock.ts";
import { readInstalled } from "../store/journal.ts";
import { askOne, askSome, askWhether } from "./ask.ts";
import { progress } from "./common.ts";
import { namesakes } from "./namesakes.ts";
import type { Screen } from "./print.ts";
import { printTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { unknownEvents, unknownText } from "./unknown-events.ts";

/** Longest warning about an event that a hook waits for in vain. */
const MAX_CAREFUL = 500;

/** A hook, and what a person reads before they decide about it. */
export interface Candidate {
  hook: StagedHook;
  rehearsal: Rehearsal;
  /** How it differs from the installed version. */
  change?: Change;
  lines: Line[];
}

/**
 * Rehearses a hook that is in no package. Throws `DIGEST_MISMATCH` if it is not the hook that a person would accept: an agent
 * could swap its file while they read. Throws `BAD_MANIFEST` if it asks for more than a person can review.
 *
 * @param root the folder of its files, and the name that a person knows it by
 */
export async function candidate(
  hook: StagedHook,
  root: { folder: string; own: string },
  home: string,
): Promise<Candidate> {
  refuseUnreviewable([asked(hook), mayAsk(hook)], hook.id, "BAD_MANIFEST");
  progress(`rehearsing ${hook.id}`);
  const rehearsal = await rehearse(HookHost.start, hook, root, home, sampleEvents());
  if (rehearsal.digest !== undefined && rehearsal.digest !== hook.digest)
    throw new CordonError("DIGEST_MISMATCH", `${hook.id} changed while it was looked at; look again`);
  const unknown = unknownEvents({ ...rehearsal, events: rehearsal.hears });
  const careful = unknown.map((one): Line => ["careful", cleanLine(`it ${unknownText(one)}`, MAX_CAREFUL)]);
  return { hook, rehearsal, lines: [...hookLines(hook, rehearsal), ...careful] };
}

/** Rehearses a hook of a package. `before`: the installed version; `key`: its name in the user's grants. */
export async function candidateOf(
  staged: Staged,
  hook: StagedHook,
  { before, key }: { before: LockEntry | undefined; key: string },
  home: string,
): Promise<Candidate> {
  const found = await candidate(hook, rootOf(staged), home);
  const granted = before && readUserGrants(home).get(key);
  const change = before && differenceOf(hook, before, staged, { home, granted });
  return change ? { ...found, change, lines: [...found.lines, ...changeLines(change, before, staged)] } : found;
}

/** Rehearses hooks of a package, and shows what a person reads about the package and each of them. */
export async function present(
  staged: Staged,
  hooks: readonly StagedHook[],
  target: Target,
  screen: Screen | undefined,
): Promise<{ candidates: Candidate[]; warnings: string[] }> {
  const warnings = await namesakes(staged, target);
  const installed = readInstalled(target.home);
  const candidates = await Array.fromAsync(hooks, (hook) => {
    const key = keyOf(hook, target);
    return candidateOf(staged, hook, { before: installed.get(key), key }, target.home);
  });
  if (screen) show([packageLines(staged, warnings), ...candidates.map(({ lines }) => lines)], screen);
  return { candidates, warnings };
}

/** Shows what a person reads before they decide. */
export function show(blocks: readonly Line[][], screen: Screen): void {
  for (const lines of blocks) {
    printTable(lines, screen);
    screen.write("\n");
  }
}

/** Asks whether to take a hook. `no`: the label of the refusal, which is the first answer. */
export interface Question {
  message: string;
  no: string;
}

/** A hook, and what a person decided about it. */
export type Decided = Candidate & Decision;

/** Asks what each hook gets. */
export const chooseEach = (
  candidates: readonly Candidate[],
  question: (candidate: Candidate) => Question,
  terminal: Terminal,
): Promise<Decided[]> =>
  Array.fromAsync(candidates, async (one) => ({ ...one, choice: await choose(one, question(one), terminal) }));

/** Asks what a hook gets. The labels say what it would do without powers, as in its rehearsal. */
export async function choose(
  { hook, rehearsal }: Candidate,
  { message, no }: Question,
  terminal: Terminal,
): Promise<Choice> {
  const all = offered(hook);
  const beyond = new Set(beyondGuard(all));
  // Hearing and blocking alone is no choice: a hook that a person takes has it.
  const powers = shownPowers(all).flatMap(({ power }) => (beyond.has(power) ? [power] : []));
  const none = `Yes, without powers: ${meaningOf(rehearsal) ?? mayDo(chosenPowers(hook, []))}`;
  const names = powers.join(", ");
  const isAsked = Object.keys(asked(hook)).length > 0;
  const some = {
    some: "Yes, and choose its powers",
    all: isAsked ? `Yes, with all it asks for: ${names}` : `Yes, with ${names}: ${mayDo(chosenPowers(hook, powers))}`,
  };
  const answer = await askOne(message, { refuse: no, none, ...(powers.length > 0 ? some : {}) }, terminal);
  if (answer === undefined || answer === "refuse") return "refuse";
  if (answer === "none") return [];
  const picked =
    answer === "all"
      ? powers
      : await askSome(`Which? Whatever you choose, ${mayDo(chosenPowers(hook, []))}`, powers, terminal);
  if (picked === undefined) return "refuse";
  if (picked.includes("exec") && asked(hook).exec?.some((entry) => entry.fullAccess)) {
    const sure = "With these programs it can do whatever you can. Grant that?";
    if (!(await askWhether(sure, terminal))) return "refuse";
  }
  return picked;
}
