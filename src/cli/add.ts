import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { CordonError } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { beyondGuard, mayDo } from "../grants/chosen.ts";
import { isDisabledIn } from "../grants/grant.ts";
import { readPolicies, takenBy } from "../grants/policy.ts";
import { refuseNoPower } from "../grants/power-example.ts";
import { shownByName } from "../grants/shown-power.ts";
import type { Rehearsal } from "../host/rehearsal.ts";
import { chosenPowers, install, keyOf, refuseOthers, type Target } from "../market/install.ts";
import { meaningOf } from "../market/screen.ts";
import { proposable, sourceOf } from "../market/source.ts";
import { ask, asked, keepIds, mayAsk, offered, type Staged, type StagedHook } from "../market/stage.ts";
import { newerHook } from "../market/update.ts";
import { readUserGrants } from "../store/grants-file.ts";
import { idIn, isOwnFolder } from "../store/hooks-lock.ts";
import { readInstalled } from "../store/journal.ts";
import { refuseBelowAgent } from "./below-agent.ts";
import { note, Refused, UsageError } from "./common.ts";
import { type Candidate, chooseEach, type Decided, present } from "./decide.ts";
import { targetFor, withPackage } from "./fetch-package.ts";
import { hooksHere } from "./here.ts";
import { print, printJson, printMarked } from "./print.ts";
import { onTerminal } from "./terminal.ts";

interface Flags {
  /** Powers to grant without asking, by name. */
  grant?: string[];
  /** Install for this project only, and name it in the project's lock. */
  project?: boolean;
  json?: boolean;
}

/**
 * `cordon add SPEC`: fetches a package without running anything of it, shows where it comes from, what it asks for and
 * what it did in a rehearsal, and installs it with the powers that a person chooses.
 */
export async function add(spec: string, flags: Flags): Promise<void> {
  if (flags.grant) refuseUnknownPowers(flags.grant);
  const home = defaultHome();
  if (flags.grant && !flags.grant.includes("none")) await refuseBelowAgent(home, "adding a hook with powers");
  const cwd = resolve(".");
  const project = flags.project ? realPathOf(cwd) : undefined;
  if (project !== undefined && isOwnFolder(home, project))
    throw new CordonError("BAD_GRANT", `${join(project, ".cordon")} is Cordon's own folder: add it without --project`);
  const given = sourceOf(spec, cwd);
  if (given.kind === "registry" && !spec.startsWith("npm:") && existsSync(resolve(cwd, spec)))
    note(`${spec} is also here; to add that: ${command`cordon add ${`./${spec}`}`}`);
  const source = project === undefined ? given : proposable(given, project);
  const target = await targetFor(home, cwd, project);
  await withPackage(source, target, async (staged) => {
    keepIds(
      staged,
      [...readInstalled(home)].flatMap(([key, entry]) => {
        const id = idIn(key, project);
        return id === undefined ? [] : [[id, entry] as const];
      }),
    );
    refuseTakenIds(staged, target);
    refuseUnasked(staged, flags);
    await refuseReplacing(staged, target, flags);
    const screen = flags.json ? undefined : process.stdout;
    const { candidates, warnings } = await present(staged, staged.hooks, target, screen);
    const able = candidates.filter(isAble);
    const refused = candidates.filter((one) => !isAble(one)).map((one): Decided => ({ ...one, choice: "refuse" }));
    if (able.length === 0) throw new CordonError("LOAD_FAILED", `${unable(refused)}; nothing was installed`);
    const decisions = [...(await decide(able, flags)), ...refused];
    if (refused.length > 0) note(unable(refused));
    await install(staged, decisions, target, "added");
    report(staged, decisions, warnings, flags);
    if (!flags.json) tellDisabled(decisions, target);
  });
}

/** It loads, or may do so with powers that it lacked in its rehearsal. Any other would block every call. */
const isAble = ({ rehearsal }: Candidate): boolean => rehearsal.state !== "failed" || rehearsal.refused.length > 0;

const unable = (hooks: readonly Candidate[]): string =>
  hooks
    .map(
      ({ hook, rehearsal }) =>
        `${hook.id} does not load, whatever it is granted (${rehearsal.reason ?? rehearsal.state})`,
    )
    .join("; ");

/** Refuses an id that another hook has: two hooks with one id keep every session from starting. */
export function refuseTakenIds(staged: Staged, target: Target): void {
  const here = hooksHere(target.cwd, target.home);
  for (const hook of staged.hooks) {
    const other = here.find(({ id, origin }) => id === hook.id && origin !== undefined);
    const origin = other?.origin;
    if (origin === undefined || (origin.kind === "installed" && other?.key === keyOf(hook, target))) continue;
    throw new CordonError(
      "BAD_GRANT",
      origin.kind === "installed"
        ? `${hook.id} is installed for ${origin.ofProject ? "this project" : "you"} already; run: ${command`cordon remove ${hook.id}`}`
        : `${hook.id} is the id of a hook of yours`,
    );
  }
  refuseOthers(staged, target);
}

/**
 * What is installed already is not replaced without a person by what `cordon update` would not take, nor by an agent: the hook may
 * guard its calls, and loses what it was granted.
 */
async function refuseReplacing(staged: Staged, target: Target, { grant }: Flags): Promise<void> {
  const installed = readInstalled(target.home);
  for (const hook of grant ? staged.hooks : []) {
    const entry = installed.get(keyOf(hook, target));
    if (!entry) continue;
    await refuseBelowAgent(target.home, `adding ${hook.id} again, which is installed,`);
    const { peek } = await import("../market/fetch.ts");
    newerHook(hook.id, entry, staged, await ask(target, (fetching) => peek(staged.source, fetching)));
  }
}

/** Refuses what no hook can ask for, before anything is fetched. */
function refuseUnknownPowers(powers: readonly string[]): void {
  if (powers.includes("none") && powers.length > 1) throw new UsageError("--grant none cannot be combined with powers");
  for (const power of powers.filter((one) => one !== "none")) {
    if (/\w,|,\w/.test(power))
      throw new Refused(
        `--grant takes powers with spaces between them, as in --grant ${power.split(",").filter(Boolean).join(" ")}`,
      );
    refuseNoPower(power);
  }
}

/** Refuses powers that no hook of the package asks for. */
function refuseUnasked({ hooks, fetched }: Staged, { grant = [] }: Flags): void {
  const known = hooks.flatMap((hook) => Object.keys(offered(hook)));
  const unasked = grant.find((power) => power !== "none" && !known.includes(power));
  if (unasked !== undefined)
    throw new Refused(`${fetched.name} does not ask for ${unasked}; it asks for: ${known.join(", ") || "nothing"}`);
}

async function decide(candidates: readonly Candidate[], { grant }: Flags): Promise<Decided[]> {
  if (grant)
    return candidates.map((one) => ({
      ...one,
      choice: grant.filter((power) => Object.hasOwn(offered(one.hook), power)),
    }));
  const decisions = await onTerminal(
    (terminal) => chooseEach(candidates, ({ hook }) => ({ message: `Install ${hook.id}?`, no: "No" }), terminal),
    () => {
      const powers = [...new Set(candidates.flatMap(({ hook }) => Object.keys(asked(hook))))].join(" ") || "none";
      throw new Refused(
        `there is nobody to ask: name each power with --grant (it asks for: ${powers}), or --grant none`,
      );
    },
  );
  if (decisions.every(({ choice }) => choice === "refuse")) throw new Refused("nothing was installed");
  return decisions;
}

function report(
  { fetched, source }: Staged,
  decisions: readonly Decided[],
  warnings: readonly string[],
  flags: Flags,
): void {
  const hooks = decisions.map(({ hook, choice, rehearsal, change }) => ({
    id: hook.id,
    installed: choice !== "refuse",
    digest: hook.digest,
    granted: choice === "refuse" ? [] : choice,
    rehearsal,
    ...(change ? { change } : {}),
  }));
  if (flags.json) {
    const { folder: _folder, name, ...facts } = fetched;
    printJson({ package: name, source: source.origin, ...facts, warnings, hooks });
    return;
  }
  const policies = readPolicies();
  const who = flags.project ? "new sessions in this project" : "new sessions";
  for (const { hook, choice, rehearsal } of decisions) {
    const { id } = hook;
    if (choice === "refuse") {
      print`left out ${id}`;
      continue;
    }
    if (choice.length > 0) {
      print`installed ${id} with ${choice.join(", ")}: ${who} have it`;
      printToGrant(hook, choice, "what else");
    } else {
      print`installed ${id} without powers: in ${who} ${mayDo(chosenPowers(hook, choice))}`;
      printWithoutPowers(hook, rehearsal, command`cordon remove ${id}`);
    }
    const taken = takenBy(policies, chosenPowers(hook, choice));
    for (const [power, text] of Object.entries(shownByName(taken)))
      printMarked`careful: your organisation's policy takes this of it: ${power} ${text}`;
  }
}

/** A hook that a person disabled does not run because it was added again. */
function tellDisabled(decisions: readonly Decided[], target: Target): void {
  const grants = readUserGrants(target.home);
  for (const { hook } of decisions)
    if (isDisabledIn(grants.get(keyOf(hook, target)), realPathOf(target.cwd)))
      printMarked`careful: ${hook.id} stays disabled; to run it: ${command`cordon enable ${hook.id}`}`;
}

/** Prints what it means that a hook has no powers. `wayOut`: the command that ends that. */
export function printWithoutPowers(hook: StagedHook, rehearsal: Rehearsal, wayOut: string): void {
  const meaning = meaningOf(rehearsal);
  if (meaning !== undefined) printMarked`careful: with no powers ${meaning}; to take it out: ${wayOut}`;
  if (rehearsal.refused.length === 0) return;
  print`for what it was refused: ${command`cordon trace ${hook.id}`} proposes what to grant`;
  printToGrant(hook, [], "what");
}

/** Prints the commands that grant what a hook asks for and does not have. `what`: how that is called. */
function printToGrant(hook: StagedHook, has: readonly string[], what: string): void {
  const powers = beyondGuard({ ...mayAsk(hook), ...asked(hook) }).filter((power) => !has.includes(power));
  if (powers.length > 0)
    print`to grant ${what} it asks for: ${powers.map((power) => command`cordon grant ${hook.id} ${power}`).join(", ")}`;
}
