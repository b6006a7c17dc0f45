import { resolve } from "node:path";
import { counted } from "../base/counted.ts";
import { messageOf } from "../base/errors.ts";
import { meant } from "../base/near-names.ts";
import { command } from "../base/shell-word.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { isDisabledIn } from "../grants/grant.ts";
import {
  type Policy,
  policyFault,
  policyIn,
  policyPaths,
  readPolicies,
  requiredHooks,
  takenBy,
  withinPolicies,
} from "../grants/policy.ts";
import { type InstalledHook, policyNotes } from "../grants/policy-notes.ts";
import { CapabilitiesShape } from "../grants/schema.ts";
import { shownByName, shownPowers } from "../grants/shown-power.ts";
import { mayBlock } from "../powers/events.ts";
import { helpText, type Lacking } from "../session/required.ts";
import { findGrant, grantsPath, readGrants } from "../store/grants-text.ts";
import { type ProjectFlags, Refused } from "./common.ts";
import { hooksHere, powersHere, sessionHere } from "./here.ts";
import { shortName } from "./names.ts";
import { leftBy, requiredHere } from "./policy-here.ts";
import { print, printJson, printMarked, style } from "./print.ts";

/** What a policy would do to one hook. */
interface Effect {
  /** The shortest name that is unique here. */
  name: string;
  id: string;
  /** Powers that it has now and would lose, as JSON, by name. */
  loses: Record<string, string>;
  /** What is left of the powers that it has now, as JSON, by name. */
  keeps: Record<string, string>;
  /** Why it would be stopped. A stopped hook blocks the calls that it guards. */
  stopped?: string;
  /** It may not block, so it only looks on. */
  observes?: true;
  /** A person disabled it in all projects, or in this one: it blocks nothing here. */
  disabled?: true;
}

/**
 * `cordon policy check FILE [--explain]`: whether a file is a valid policy, and what it would take from the hooks of this folder,
 * beside the policies that hold already. `--explain` also says what each rule means, and names the hooks that lose nothing. Throws
 * if it is not valid, or if a required hook is missing: then every call would be blocked.
 */
export async function policyCheck(file: string, flags: ProjectFlags & { explain?: boolean }): Promise<void> {
  const path = resolve(file);
  const read = textOf(path);
  const policy = "fault" in read ? { faults: [read.fault] } : policyIn(read.text, path);
  if ("fault" in read && !flags.json) throw new Refused(`${file}: ${read.fault}`);
  if ("faults" in policy) {
    const { faults } = policy;
    if (flags.json) printJson({ valid: false, faults });
    else for (const fault of faults) print`${style.red("no")}   ${file}: ${fault}`;
    throw new Refused(flags.json ? "" : `${file} is no valid policy: with it, no session would start`);
  }
  const { effects, missing, installed } = await effectsOf(policy, path, flags);
  const warnings = policyNotes(policy, installed);
  if (flags.json) printJson({ valid: true, warnings, hooks: effects, missing });
  else report(policy, { file, effects, missing, warnings, explain: flags.explain === true });
  if (missing.length > 0) throw new Refused(flags.json ? "" : missingText(file, missing, flags.explain === true));
}

/** The text of a file, or why it cannot be read. */
function textOf(path: string): { text: string } | { fault: string } {
  try {
    const text = readIfThere(path);
    return text === undefined ? { fault: "no such file" } : { text };
  } catch (error) {
    return { fault: messageOf(error).replace(`${path}: `, "") };
  }
}

/** `isExplained`: what each rule means was said before. */
function missingText(file: string, missing: readonly Lacking[], isExplained: boolean): string {
  const near = missing.flatMap((lacking) => lacking.near ?? []);
  const runs = missing.flatMap(({ run }) => run ?? []);
  if (near.length + runs.length === 0 && !isExplained) runs.push(command`cordon policy check ${file} --explain`);
  const which = missing.map(({ id }) => id).join(", ");
  const help = runs.length > 0 ? `; run: ${runs.join(" and ")}` : "";
  return `with ${file}, every tool call here would be blocked: it requires ${which}${help}${meant(near)}`;
}

async function effectsOf(
  policy: Policy,
  path: string,
  flags: ProjectFlags,
): Promise<{ effects: Effect[]; missing: Lacking[]; installed: InstalledHook[] }> {
  const home = defaultHome();
  const cwd = resolve(flags.cwd ?? ".");
  // What the file takes also counts if the file is in force already.
  const others = readPolicies(policyPaths().filter((one) => realPathOf(one) !== realPathOf(path)));
  const grants = readGrants(grantsPath(home), false);
  const here = hooksHere(cwd, home).filter(({ origin }) => origin !== undefined);
  const effects = here.map((hook): Effect => {
    const { origin } = hook;
    const entry = findGrant(grants, hook.key, hook.realPath);
    const before = withinPolicies(others, powersHere(hook, entry));
    const after = withinPolicies([policy], before);
    const stopped = origin?.kind === "installed" ? policyFault([policy], origin.entry) : undefined;
    return {
      name: shortName(hook, here),
      id: hook.id,
      loses: shownByName(takenBy([policy], before)),
      keeps: shownByName(after),
      ...(stopped === undefined ? {} : { stopped }),
      ...(mayBlock(before.events) ? {} : { observes: true as const }),
      ...(isDisabledIn(entry, realPathOf(cwd)) ? { disabled: true as const } : {}),
    };
  });
  const required = requiredHooks([policy]);
  const { hooks } = required.length > 0 ? await sessionHere(cwd, home) : { hooks: [] };
  const missing = requiredHere([policy], hooks, here).map((lacking) => {
    const named = here.find((one) => shortName(one, here) === lacking.id);
    if (named === undefined || named.id === lacking.id) return lacking;
    return { id: lacking.id, why: `no hook here has this id; the id of ${lacking.id} is ${named.id}` };
  });
  const installed = here.flatMap(({ origin }) => (origin?.kind === "installed" ? [origin.entry] : []));
  return { effects, missing, installed };
}

interface Report {
  file: string;
  effects: readonly Effect[];
  missing: readonly Lacking[];
  warnings: readonly string[];
  explain: boolean;
}

function report(policy: Policy, { file, effects, missing, warnings, explain }: Report): void {
  print`${style.green("ok")}   ${file} is a valid policy`;
  if (explain) for (const rule of rulesOf(policy)) print`     ${rule}`;
  for (const warning of warnings) print`${style.yellow("note")} ${warning}`;
  for (const lacking of missing)
    printMarked`${style.red("no")}   required hook ${lacking.id}: ${lacking.why}; every tool call would be blocked${helpText(lacking)}`;
  for (const { name, stopped, disabled, observes, loses, keeps } of effects) {
    if (stopped !== undefined && (disabled || observes))
      printMarked`${style.yellow("stop")} ${name}: ${stopped}; it ${disabled ? "is disabled" : "only looks on"}, and blocks nothing`;
    else if (stopped !== undefined)
      printMarked`${style.red("stop")} ${name}: ${stopped}; it blocks every call that it guards until it is removed or disabled`;
    for (const [power, text] of Object.entries(loses)) {
      const kept = keeps[power];
      printMarked`${style.yellow("less")} ${name} loses ${power} ${text}${kept === undefined ? "" : `; keeps ${kept}`}`;
    }
    if (stopped === undefined && !disabled && !observes && Object.keys(loses).some((power) => power !== "ui"))
      print`${style.yellow("note")} ${name} guards calls: it may block those that it cannot judge without what it loses; try it: ${command`CORDON_POLICY=${file} cordon run`}`;
    if (explain && stopped === undefined && Object.keys(loses).length === 0)
      print`${style.green("same")} ${name} keeps all its powers`;
  }
  if (missing.length === 0 && effects.every(({ stopped, loses }) => !stopped && Object.keys(loses).length === 0))
    print`it takes nothing from the ${counted(effects.length, "hook")} here`;
}

/** What a maximum leaves, power by power, and of which it leaves nothing. */
function limitsOf(maximum: NonNullable<Policy["maximum"]>): string[] {
  const left = leftBy(maximum);
  const some = Object.fromEntries(Object.entries(maximum).filter(([power]) => left.includes(power)));
  const none = Object.keys(CapabilitiesShape.properties).filter((power) => power !== "events" && !left.includes(power));
  return [
    ...shownPowers(some).map(({ power, text }) => `  ${power} ${text}`),
    ...(none.length > 0 ? [`  nothing of ${none.join(", ")}`] : []),
  ];
}

/** What each rule of a policy means. */
function rulesOf({ sources, publishers, provenance, maximum, required }: Policy): string[] {
  const only = (how: string, what: string, items: readonly string[]): string =>
    items.length > 0 ? `${how} ${items.join(", ")}` : `no installed hook may run: no ${what} is allowed`;
  return [
    sources ? only("installed hooks come only from", "source", sources) : "installed hooks may come from anywhere",
    publishers
      ? only("installed hooks are only those of", "publisher", publishers)
      : "installed hooks may be of any publisher",
    ...(provenance ? [`packages of a registry are ${provenance}, at the least`] : []),
    ...(maximum === undefined
      ? ["no limit on powers"]
      : ["no hook has more than these powers, beside hearing events and blocking:"]),
    ...(maximum ? limitsOf(maximum) : []),
    ...(maximum ? ["trusted hooks (--trusted-hook), which have no sandbox, block what they guard"] : []),
    ...(required?.length ? [`without ${required.join(", ")}, every tool call is blocked`] : []),
  ];
}
