import { resolve } from "node:path";
import { entered, scriptPath } from "../agents/setup/install.ts";
import type { Setup, ThirdParty } from "../agents/setup/setup.ts";
import { setupsOf } from "../agents/setup/setups.ts";
import { thirdPartyOf } from "../agents/setup/third-party.ts";
import { messageOf } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { defaultHome } from "../disk/home.ts";
import type { Target } from "../market/install.ts";
import { asked } from "../market/stage.ts";
import { adoptOne, refuseUnloaded } from "./adopt-one.ts";
import { withCode } from "./adopt-source.ts";
import { giveBack } from "./adopt-undo.ts";
import { type ProjectFlags, Refused } from "./common.ts";
import { present } from "./decide.ts";
import { targetFor } from "./fetch-package.ts";
import { setupNamed, userPlaces } from "./install.ts";
import { print, printJson, printMarked, style } from "./print.ts";
import { onTerminal } from "./terminal.ts";

interface Flags extends ProjectFlags {
  dryRun?: boolean;
  undo?: boolean;
}

interface Row {
  name: string;
  where: string;
  /** Its hooks, if Cordon can contain it. */
  hooks?: { id: string; asks: string[]; uses: readonly string[]; lacks: readonly string[] }[];
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
    printMarked`${style.bold(of)} (${where})${why === undefined ? "" : `: ${why}`}`;
  if (!found.some(({ code }) => code)) return print`nothing of that can be contained`;
  if (!entered(home).some(({ agent }) => agent === setup.name) && setup.ownPackage?.(userPlaces()) === undefined)
    throw new Refused(
      `Cordon is not entered in ${setup.title}, which would lose what is moved; run: ${command`cordon install ${name}`}`,
    );
  await onTerminal(async (terminal) => {
    const target = await targetFor(home, resolve(flags.cwd ?? "."));
    const done = [];
    for (const { code, ...one } of found) if (code) done.push(await adoptOne(one, code, setup, target, terminal));
    if (done.includes("moved")) print`to give back what was moved: ${command`cordon adopt ${name} --undo`}`;
    const failed = done.filter((one) => one === "failed").length;
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
      const hooks = candidates.map(({ hook }) => ({
        id: hook.id,
        asks: Object.keys(asked(hook)),
        uses: hook.uses,
        lacks: hook.lacks,
      }));
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
  if (rows.length === 0) print`${title} runs nothing of others that Cordon knows of`;
  for (const { name, where, hooks = [], why } of rows) {
    const powers = [...new Set(hooks.flatMap(({ asks, uses }) => [...asks, ...uses]))].join(", ");
    const lacks = [...new Set(hooks.flatMap((hook) => hook.lacks))].join(", ");
    const more = [
      ...(powers ? [`asks for, or seems to use: ${powers}`] : []),
      ...(lacks ? [`uses what no hook can have: ${lacks}`] : []),
    ];
    const what = why === undefined ? ["can be contained", ...more].join("; ") : `cannot be contained: ${why}`;
    printMarked`${style.bold(name)} (${where}): ${what}`;
  }
}
