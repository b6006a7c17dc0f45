import { readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type Adopted, putBack, readAdopted, takeOut } from "../agents/setup/adopted.ts";
import { entered, scriptPath } from "../agents/setup/install.ts";
import type { Entry, Setup, ThirdParty } from "../agents/setup/setup.ts";
import { setupsOf } from "../agents/setup/setups.ts";
import { thirdPartyOf } from "../agents/setup/third-party.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { defaultHome } from "../disk/home.ts";
import { type Decision, install, type Target, uninstall } from "../market/install.ts";
import { asked, type Staged } from "../market/stage.ts";
import { readInstalled } from "../store/journal.ts";
import { refuseTakenIds } from "./add.ts";
import { withCode } from "./adopt-source.ts";
import { askWhether } from "./ask.ts";
import { refuseBelowAgent } from "./below-agent.ts";
import { type ProjectFlags, Refused } from "./common.ts";
import { type Candidate, chooseEach, present, type Question } from "./decide.ts";
import { targetFor } from "./fetch-package.ts";
import { setupNamed, userPlaces } from "./install.ts";
import { print, printJson, style } from "./print.ts";
import { onTerminal, type Terminal } from "./terminal.ts";

interface Flags extends ProjectFlags {
  dryRun?: boolean;
  undo?: boolean;
}

interface Row {
  name: string;
  where: string;
  /** Its hooks, if Cordon can contain it. */
  hooks?: { id: string; asks: string[]; uses: readonly string[] }[];
  source?: string;
  /** Why it cannot, else. */
  why?: string;
}

/**
 * `cordon adopt AGENT`: lists what an agent runs of others, and moves into Cordon what a person accepts on the screen of
 * `cordon add`. The agent's own entry is taken out last.
 */
export async function adopt(name: string, flags: Flags): Promise<void> {
  const home = defaultHome();
  if (flags.undo) return giveBack(name, home, flags);
  const setup = setupHere(name, home);
  const found = thirdPartyOf(setup, userPlaces(), scriptPath(home));
  const nobody = (): never => {
    throw new Refused("moving code into Cordon takes a terminal with a person at it; --dry-run lists it");
  };
  if (flags.dryRun || flags.json) {
    const target = await targetFor(home, resolve(flags.cwd ?? "."));
    return report(await Array.fromAsync(found, (one) => rowOf(one, target)), setup, flags);
  }
  if (found.length === 0) return print`${setup.title} runs nothing of others that Cordon knows of`;
  for (const { name: of, where, why } of found)
    print`${style.bold(of)} (${where})${why === undefined ? "" : `: ${why}`}`;
  if (!found.some(({ code }) => code)) return print`nothing of that can be contained`;
  if (!entered(home).some(({ agent }) => agent === setup.name) && setup.already?.(userPlaces()) === undefined)
    throw new Refused(
      `Cordon is not entered in ${setup.title}, which would lose what is moved; run: cordon install ${name}`,
    );
  await onTerminal(async (terminal) => {
    await refuseBelowAgent(home, "this");
    const target = await targetFor(home, resolve(flags.cwd ?? "."));
    let failed = 0;
    for (const one of found) if (one.code && !(await adoptOne(one, one.code, setup, target, terminal))) failed++;
    print`to give back what was moved: cordon adopt ${name} --undo`;
    if (failed > 0) throw new Refused(`${failed} of them cannot be contained, or could not be moved`);
  }, nobody);
}

/** The setup that is entered, where an agent has several. */
function setupHere(name: string, home: string): Setup {
  const all = setupsOf(setupNamed(name).name);
  const there = new Set(entered(home).map(({ agent }) => agent));
  return all.find((one) => there.has(one.name)) ?? setupNamed(name);
}

/** Builds and rehearses one for the list. */
async function rowOf({ name, where, code, why }: ThirdParty, target: Target): Promise<Row> {
  if (!code) return { name, where, why: why ?? "" };
  try {
    return await withCode(name, code.path, target, async (staged) => {
      const { candidates } = await present(staged, staged.hooks, target, undefined);
      refuseUnloaded(candidates);
      const hooks = candidates.map(({ hook }) => ({ id: hook.id, asks: Object.keys(asked(hook)), uses: hook.uses }));
      return { name, where, source: staged.source.origin, hooks };
    });
  } catch (error) {
    return { name, where, why: messageOf(error) };
  }
}

function report(rows: readonly Row[], { title }: Setup, { json }: Flags): void {
  if (json) {
    printJson({ agent: title, found: rows });
    return;
  }
  for (const { name, where, hooks = [], why } of rows) {
    const powers = [...new Set(hooks.flatMap(({ asks, uses }) => [...asks, ...uses]))].join(", ");
    const what =
      why === undefined
        ? `can be contained${powers ? `; asks for, or seems to use: ${powers}` : ""}`
        : `cannot be contained: ${why}`;
    print`${style.bold(name)} (${where}): ${what}`;
  }
}

/** A hook that does not load would block every call. */
function refuseUnloaded(candidates: readonly Candidate[]): void {
  const broken = candidates.find(({ rehearsal }) => rehearsal.state !== "active");
  if (broken)
    throw new CordonError(
      "LOAD_FAILED",
      `${broken.hook.id} does not load: ${cleanLine(broken.rehearsal.reason ?? "", 500)}`,
    );
}

/** Moves one, if a person says so. Whatever fails on the way, the agent stays as it was. Resolves with false if something failed. */
async function adoptOne(
  { name }: ThirdParty,
  { path, entry }: NonNullable<ThirdParty["code"]>,
  setup: Setup,
  target: Target,
  terminal: Terminal,
): Promise<boolean> {
  try {
    const isMoved = await withCode(name, path, target, async (staged) => {
      refuseTakenIds(staged, target);
      const { candidates } = await present(staged, staged.hooks, target, terminal.output);
      refuseUnloaded(candidates);
      const question = ({ hook }: Candidate): Question => ({
        message: `Move ${hook.id} from ${setup.title} into Cordon?`,
        no: `No: ${setup.title} goes on running it with all its rights`,
      });
      const decisions = await chooseEach(candidates, question, terminal);
      if (decisions.some(({ choice }) => choice === "refuse")) return false;
      refuseChanged(path, staged);
      await move(staged, decisions, { setup, entry }, target);
      return true;
    });
    print`${name}: ${isMoved ? "moved into Cordon" : "left as it is"}`;
    return true;
  } catch (error) {
    print`${name}: left as it is: ${messageOf(error)}`;
    return false;
  }
}

/** Installs it, and takes it out of the agent. If that fails, it is removed again, unless it was there before. */
async function move(
  staged: Staged,
  decisions: readonly Decision[],
  { setup, entry }: { setup: Setup; entry: Entry },
  target: Target,
): Promise<void> {
  const { home } = target;
  const before = readInstalled(home);
  const hooks = decisions.map(({ hook }) => hook.id);
  await install(staged, decisions, target, true);
  try {
    takeOut(home, { agent: setup.name, hooks }, entry, leftOf(entry, staged));
  } catch (error) {
    for (const hook of hooks) if (!before.has(hook)) uninstall(home, hook);
    throw error;
  }
}

/** A file of which a person did not see what it has by now. Of a package, what they saw is what was taken. */
function refuseChanged(path: string, { source, fetched }: Staged): void {
  if (source.kind !== "file") return;
  const seen = readFileSync(join(fetched.folder, basename(path)));
  if (!statSync(path).isFile() || !readFileSync(path).equals(seen))
    throw new CordonError("DIGEST_MISMATCH", `${path} changed while it was looked at; look again`);
}

/** What stays of an entry: a package's other parts, without its extensions. */
function leftOf(entry: Entry, { unsupported }: Staged): object | undefined {
  if (entry.kind !== "item" || entry.list !== "packages" || unsupported.length === 0) return undefined;
  const whole = typeof entry.value === "string" ? { source: entry.value } : entry.value;
  return { ...(whole as object), extensions: [] };
}

/** `--undo`: puts everything back, and removes it from Cordon. */
async function giveBack(name: string, home: string, flags: Flags): Promise<void> {
  const { title } = setupNamed(name);
  const names = new Set(setupsOf(name).map((one) => one.name));
  const all = readAdopted(home).filter(({ agent }) => names.has(agent));
  if (flags.dryRun || flags.json) return printJson({ agent: title, adopted: all });
  if (all.length === 0) return print`nothing of ${title} was moved into Cordon`;
  for (const one of all) print`${one.hooks.join(", ")}: from ${one.entry.file}`;
  const message = `Shall ${title} run this again, with all its rights and without Cordon?`;
  const yes = await onTerminal(
    async (terminal) => {
      await refuseBelowAgent(home, "this");
      return askWhether(message, terminal);
    },
    () => {
      throw new Refused("giving code back to an agent takes a terminal with a person at it; --dry-run lists it");
    },
  );
  if (!yes) throw new Refused("nothing was changed");
  for (const one of all.reverse()) giveOneBack(one, home);
  print`given back`;
}

/** First the agent has it: there is no moment in which nobody runs it. */
function giveOneBack(one: Adopted, home: string): void {
  const installed = readInstalled(home);
  putBack(home, one);
  for (const hook of one.hooks) if (installed.has(hook)) uninstall(home, hook);
}
