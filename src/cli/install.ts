import { homedir } from "node:os";
import { resolve } from "node:path";
import { createTwoFilesPatch } from "diff";
import type { FileChange } from "../agents/setup/change.ts";
import {
  install as enter,
  entered,
  isHere,
  monitorsAt,
  type Place,
  placeFault,
  planOfInstall,
  planOfUninstall,
  uninstall as takeOut,
} from "../agents/setup/install.ts";
import type { Setup, UserPlaces } from "../agents/setup/setup.ts";
import { SETUPS } from "../agents/setup/setups.ts";
import { didYouMean } from "../base/near-names.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { workspacesOf } from "../host/find-hooks.ts";
import { agentVersion, isOlder } from "./agent-version.ts";
import { askWhether } from "./ask.ts";
import { refuseBelowAgent } from "./below-agent.ts";
import { note, type ProjectFlags, Refused, UsageError } from "./common.ts";
import { Lines, print, printJson } from "./print.ts";
import { onTerminal, type Terminal } from "./terminal.ts";

interface Flags extends ProjectFlags {
  project?: boolean;
  dryRun?: boolean;
  monitor?: boolean;
}

/** `cordon install AGENT`: enters Cordon first in an agent's own settings, after a person saw the change. */
export async function install(name: string, flags: Flags): Promise<void> {
  const cwd = resolve(flags.cwd ?? ".");
  const place = placeOf(name, flags, cwd);
  const { setup, places } = place;
  const fault = placeFault(workspacesOf(cwd));
  if (fault !== undefined) throw new Refused(fault);
  const version = await agentVersion(setup.program, workspacesOf(cwd));
  if (version === undefined && !isHere(setup, places))
    throw new Refused(
      `${setup.title} is not here: no program ${setup.program} on PATH, and no ${setup.folder(places)}`,
    );
  const { since } = setup;
  if (since && version !== undefined && isOlder(version, since.version))
    throw new Refused(`${setup.title} ${version} lacks ${since.lacks}; update it to ${since.version} or later`);
  const plan = planOfInstall(place);
  const { monitor = false } = flags;
  const turns = monitor !== monitorsAt(place);
  const manner = monitor
    ? ", to monitor only: calls that hooks would have blocked run"
    : turns
      ? ", to block again"
      : "";
  await carryOut(plan, flags, {
    what: `enter Cordon in the settings of ${setup.title}${version ? ` ${version}` : ""}${manner}`,
    done: plan.some(isChange) || turns ? `entered${manner}` : "entered before: nothing to change",
    turns,
    // Also without a change: the script that the entries run may be of an older Cordon.
    act: () => enter(place, plan, { node: process.execPath, monitor }),
    home: place.home,
  });
  if (!flags.json) for (const left of setup.left ?? []) note(left);
}

/** `cordon uninstall AGENT`: restores what the record says. */
export async function uninstall(name: string, flags: Flags): Promise<void> {
  const place = placeOf(name, flags, resolve(flags.cwd ?? "."));
  const plan = planOfUninstall(place);
  await carryOut(plan, flags, {
    what: `take Cordon out of the settings of ${place.setup.title}`,
    done: "taken out",
    act: () => takeOut(place, plan),
    home: place.home,
  });
}

/** `cordon install` without a name: what could be entered, and where Cordon is. */
export async function installable(flags: { json?: boolean }): Promise<void> {
  const home = defaultHome();
  const places = userPlaces();
  const there = new Map(entered(home).map((one) => [one.agent, one]));
  const rows = SETUPS.map((setup) => ({
    agent: setup.name,
    here: isHere(setup, places),
    entered: there.has(setup.name),
    monitor: there.get(setup.name)?.monitor === true,
  }));
  if (flags.json) return printJson({ agents: rows });
  for (const { agent, here, entered: is, monitor } of rows) {
    const state = is
      ? `entered${monitor ? ", to monitor only" : ""}`
      : here
        ? `here; run: cordon install ${agent}`
        : "not found";
    print`${agent.padEnd(14)} ${state}`;
  }
}

interface Act {
  what: string;
  done: string;
  /** What hooks may do changes, beside the files. */
  turns?: boolean;
  act(): void;
  home: string;
}

/** Shows a plan, asks a person, and does it. */
async function carryOut(
  plan: readonly FileChange[],
  flags: Flags,
  { what, done, act, home, turns = false }: Act,
): Promise<void> {
  const changes = plan.filter(isChange);
  if (!flags.json) for (const change of changes) print`${new Lines(diffOf(change))}`;
  const report = (isDone: boolean): void => {
    const files = changes.map(({ file, before, after }) => ({ file, before, after }));
    if (flags.json) printJson({ done: isDone, monitor: flags.monitor === true, files });
    else if (isDone) print`${done}`;
  };
  if (flags.dryRun) return report(false);
  if (changes.length === 0 && !turns) {
    act();
    return report(true);
  }
  const nobody = (): never => {
    throw new Refused(`to ${what} takes a terminal with a person at it; --dry-run shows the change`);
  };
  const yes = await onTerminal(async (terminal: Terminal) => {
    await refuseBelowAgent(home, "this");
    return askWhether(`Shall I ${what}?`, terminal);
  }, nobody);
  if (!yes) throw new Refused("nothing was changed");
  act();
  report(true);
}

const isChange = ({ before, after }: FileChange): boolean => before !== after;

function diffOf({ file, before, after }: FileChange): string {
  const patch = createTwoFilesPatch(file, file, before ?? "", after ?? "", undefined, undefined, { context: 2 });
  return patch.split("\n").slice(1).join("\n").trimEnd();
}

function placeOf(name: string, { project }: Flags, cwd: string): Place {
  const setup: Setup | undefined = SETUPS.find((one) => one.name === name);
  const names = SETUPS.map((one) => one.name);
  if (!setup) throw new UsageError(`no agent ${name}${didYouMean(name, names)}; there are ${names.join(", ")}`);
  return { setup, home: defaultHome(), places: userPlaces(), project: project ? realPathOf(cwd) : undefined };
}

const userPlaces = (): UserPlaces => ({ user: homedir(), env: process.env });
