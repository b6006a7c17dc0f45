import { resolve } from "node:path";
import { createTwoFilesPatch, diffLines } from "diff";
import { commandAgent } from "../agents/command/index.ts";
import { readAdopted } from "../agents/setup/adopted.ts";
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
  scriptPath,
  uninstall as takeOut,
} from "../agents/setup/install.ts";
import type { Setup, UserPlaces } from "../agents/setup/setup.ts";
import { SETUPS, setupsOf } from "../agents/setup/setups.ts";
import { thirdPartyOf } from "../agents/setup/third-party.ts";
import { attemptOr } from "../base/attempt.ts";
import { counted } from "../base/counted.ts";
import { CordonError } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { userFolder } from "../disk/user-folder.ts";
import { workspacesOf } from "../host/find-hooks.ts";
import { installRuntime } from "../runtime/install.ts";
import { readUserGrants } from "../store/grants-file.ts";
import { findGrant } from "../store/grants-text.ts";
import { agentProgram, notOnPath, programOf, versionFault } from "./agent-version.ts";
import { askWhether } from "./ask.ts";
import { download, note, type ProjectFlags, Refused, unknownAgent } from "./common.ts";
import { openIn, openText, standings } from "./doctor-agents.ts";
import { ADD_EXAMPLE } from "./example-hook.ts";
import { type Here, hooksHere } from "./here.ts";
import { missingRuntime } from "./missing-runtime.ts";
import { Lines, print, printJson } from "./print.ts";
import { printTable } from "./table.ts";
import { onTerminal, type Terminal } from "./terminal.ts";

interface Flags extends ProjectFlags {
  project?: boolean;
  dryRun?: boolean;
  monitor?: boolean;
}

/** `cordon install AGENT`: enters Cordon first in an agent's own settings, after a person saw the change. */
export async function install(name: string, flags: Flags): Promise<void> {
  const cwd = resolve(flags.cwd ?? ".");
  const workspaces = workspacesOf(cwd);
  const named = setupNamed(name);
  const fault = placeFault(workspaces);
  if (fault !== undefined) throw new Refused(fault);
  const program = await agentProgram(named.program, workspaces);
  const version = program?.version;
  const place = placeOf(setupFor(named, version), flags, cwd);
  const { setup, places, home } = place;
  if (version === undefined && !isHere(setup, places))
    throw new Refused(
      program
        ? `${setup.title} does not say its version: ${program.path} --version wrote ${program.problem || "none"}; mend it, or start ${setup.title} once`
        : `${setup.title} is not here: ${notOnPath(setup.program)}, and no ${setup.folder(places)}`,
    );
  const older = version === undefined ? undefined : versionFault(setup, version);
  if (older !== undefined) throw new Refused(older);
  const out = setup.ownPackage?.(places);
  if (out !== undefined) throw new Refused(`${setup.title} has Cordon by its package; take that out first: ${out}`);
  if (process.platform === "win32" && commandAgent(setup.name))
    throw new Refused(`${setup.title} asks Cordon by sh and a socket of a Unix: not for Windows yet`);
  const plan = planOfInstall(place);
  const open = openIn(place, workspaces);
  const { monitor = false } = flags;
  const turns = monitor !== monitorsAt(place);
  const modes = monitor ? ", to monitor only: calls that hooks would have blocked run" : ", to block again";
  const manner = monitor || turns ? modes : "";
  const isChanged = turns || plan.some(isChange);
  const missing = await missingRuntime(home, workspaces);
  const alsoFetch = missing && `fetch what its sandboxes run on (Node 26 and isolated-vm, ${missing.megabytes} MB)`;
  const enterIt = `enter Cordon in the settings of ${setup.title}${version ? ` ${version}` : ""}${manner}`;
  const what = [...(isChanged ? [enterIt] : []), ...(alsoFetch ? [alsoFetch] : [])].join(", and ");
  await carryOut(plan, flags, {
    what: what || enterIt,
    done: isChanged ? `entered${manner}` : "entered before: nothing to change",
    also: alsoFetch,
    turns,
    open,
    act: async () => {
      if (missing) {
        const { npmOptions } = await import("../market/npm-config.ts");
        await installRuntime(home, download, await npmOptions(cwd, note));
      }
      // Also without a change: the script that the entries run may be of an older Cordon.
      enter(place, plan, { node: process.execPath, monitor });
    },
  });
  if (flags.json) return;
  if (open !== undefined) note(openText(open));
  for (const left of [setup.unseen ?? [], setup.left ?? []].flat()) note(left);
  // Settings or grants that are broken are told by cordon doctor.
  if (!flags.dryRun && !attemptOr(() => hasActive(cwd, home), true))
    note(`no hook is active yet, so nothing is judged; ${ADD_EXAMPLE}`);
  // Settings that are broken keep nobody from being told what is left to do.
  const others = attemptOr(() => thirdPartyOf(setup, places, scriptPath(home)), []).filter(
    ({ code }) => code !== undefined,
  ).length;
  if (others > 0)
    note(
      `${others} ${others > 1 ? "things" : "thing"} of others run in ${setup.title} with all its rights; run: ${command`cordon adopt ${named.name}`}`,
    );
}

/** Whether a session here would have a hook: a project's own needs a person's yes first. */
function hasActive(cwd: string, home: string): boolean {
  const grants = readUserGrants(home);
  const isProjects = ({ ofProject, origin }: Here): boolean => ofProject === true || origin?.kind === "project";
  return hooksHere(cwd, home).some((hook) => {
    const grant = findGrant(grants, hook.key, hook.realPath);
    return hook.origin !== undefined && grant?.disabled !== true && (!isProjects(hook) || grant !== undefined);
  });
}

/** `cordon uninstall AGENT`: restores what the record says. */
export async function uninstall(name: string, flags: Flags): Promise<void> {
  const cwd = resolve(flags.cwd ?? ".");
  const here = entered(defaultHome());
  const known = setupsOf(setupNamed(name).name);
  const there = known.filter((setup) => here.some(({ agent }) => agent === setup.name));
  for (const setup of there.length > 0 ? there : known.slice(0, 1)) {
    const place = placeOf(setup, flags, cwd);
    const out = there.length > 0 ? undefined : setup.ownPackage?.(place.places);
    if (out !== undefined) throw new Refused(`${setup.title} has Cordon by its package; run: ${out}`);
    const plan = planOfUninstall(place);
    await carryOut(plan, flags, {
      what: `take Cordon out of the settings of ${setup.title}`,
      done: "taken out",
      act: async () => takeOut(place, plan),
    });
    const adopted = readAdopted(place.home)
      .filter(({ agent }) => agent === setup.name)
      .flatMap(({ hooks }) => hooks);
    if (adopted.length > 0 && !flags.json)
      note(
        `${adopted.join(", ")} stay in Cordon, and ${setup.title} runs without them; to give them back: ${command`cordon adopt ${name} --undo`}`,
      );
  }
}

/** Why Cordon cannot be taken out of an agent's settings, if so. */
export function uninstallFault(setup: Setup, project: string | undefined): string | undefined {
  try {
    planOfUninstall(placeOf(setup, project === undefined ? {} : { project: true }, project ?? "."));
    return undefined;
  } catch (error) {
    if (error instanceof Refused || error instanceof CordonError) return error.message;
    throw error;
  }
}

/** `cordon install` without a name: what could be entered, and where Cordon is. */
export async function installable(flags: ProjectFlags): Promise<void> {
  const home = defaultHome();
  const places = userPlaces();
  const workspaces = workspacesOf(resolve(flags.cwd ?? "."));
  const there = standings(home, workspaces);
  const rows = SETUPS.filter(({ until }) => until === undefined).map((setup) => {
    const names = setupsOf(setup.name).map(({ name }) => name);
    const own = there.filter(({ agent }) => names.includes(agent));
    const open = own.flatMap((one) => one.open ?? []).join("; ");
    return {
      agent: setup.name,
      here: isHere(setup, places) || programOf(setup.program, workspaces) !== undefined,
      entered: own.some((one) => one.open === undefined),
      monitor: own.some(({ monitor }) => monitor === true),
      ...(setup.ownPackage?.(places) === undefined ? {} : { package: true }),
      ...(open === "" ? {} : { open }),
    };
  });
  if (flags.json) return printJson({ agents: rows });
  const stateOf = ({ agent, here, entered: is, monitor, open, ...row }: (typeof rows)[number]): string => {
    if (open !== undefined) return openText(open);
    if (row.package) return "has Cordon by its package";
    if (is) return `entered${monitor ? ", to monitor only" : ""}`;
    return here ? `here; run: ${command`cordon install ${agent}`}` : "not found";
  };
  printTable(
    rows.map((row) => [row.agent, stateOf(row)]),
    process.stdout,
  );
}

interface Act {
  what: string;
  done: string;
  /** What is done beside changing files. */
  also?: string | undefined;
  /** Why calls may pass unjudged afterwards. */
  open?: string | undefined;
  /** What hooks may do changes, beside the files. */
  turns?: boolean;
  act(): Promise<void>;
}

/** Shows a plan, asks a person, and does it. */
async function carryOut(
  plan: readonly FileChange[],
  flags: Flags,
  { what, done, also, open, act, turns = false }: Act,
): Promise<void> {
  const changes = plan.filter(isChange);
  if (!flags.json) {
    for (const change of changes) print`${new Lines(diffOf(change))}`;
    // A long change has left the screen by now.
    for (const change of changes) print`${sumOf(change)}`;
  }
  const report = (isDone: boolean): void => {
    const files = changes.map(({ file, before, after }) => ({ file, before, after }));
    if (flags.json)
      printJson({
        done: isDone,
        monitor: flags.monitor === true,
        files,
        ...(also === undefined ? {} : { also }),
        ...(open === undefined ? {} : { open }),
      });
    else if (isDone) print`${done}`;
    else if (also !== undefined) print`it would also ${also}`;
  };
  if (flags.dryRun) return report(false);
  if (changes.length === 0 && also === undefined && !turns) {
    await act();
    return report(true);
  }
  const nobody = (): never => {
    throw new Refused(`to ${what} takes a terminal with a person at it; --dry-run shows the change`);
  };
  const yes = await onTerminal(async (terminal: Terminal) => {
    return askWhether(`Shall I ${what}?`, terminal);
  }, nobody);
  if (!yes) throw new Refused("nothing was changed");
  await act();
  report(true);
}

const isChange = ({ before, after }: FileChange): boolean => before !== after;

function diffOf({ file, before, after }: FileChange): string {
  const patch = createTwoFilesPatch(file, file, before ?? "", after ?? "", undefined, undefined, { context: 2 });
  return patch.slice(patch.indexOf("--- ")).trimEnd();
}

function sumOf({ file, before, after }: FileChange): string {
  if (before === null) return `${file} is made`;
  if (after === null) return `${file} goes`;
  const parts = diffLines(before, after);
  const count = (kind: "added" | "removed"): number => parts.reduce((sum, one) => sum + (one[kind] ? one.count : 0), 0);
  return `${file}: ${counted(count("added"), "line")} come, ${count("removed")} go, and all else stays`;
}

/** The setup of an agent. Throws a `UsageError` for another name. */
export function setupNamed(name: string): Setup {
  const setup = SETUPS.find((one) => one.name === name);
  const names = SETUPS.filter(({ until }) => until === undefined).map((one) => one.name);
  if (!setup) throw unknownAgent(name, names);
  return setup;
}

/** The setup for a version of an agent, where its versions differ. */
const setupFor = (named: Setup, version: string | undefined): Setup =>
  (version !== undefined && setupsOf(named.name).find((one) => versionFault(one, version) === undefined)) || named;

const placeOf = (setup: Setup, { project }: Flags, cwd: string): Place => ({
  setup,
  home: defaultHome(),
  places: userPlaces(),
  project: project ? realPathOf(cwd) : undefined,
});

export const userPlaces = (): UserPlaces => ({ user: userFolder(), env: process.env });
