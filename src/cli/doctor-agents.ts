import { existsSync } from "node:fs";
import { entryCommand } from "../agents/command/entry-script.ts";
import { commandAgent } from "../agents/command/index.ts";
import { entered, entryPath, isHere, monitorsAt, type Place, planOfInstall } from "../agents/setup/install.ts";
import type { InstalledAgent } from "../agents/setup/record.ts";
import type { Setup } from "../agents/setup/setup.ts";
import { SETUPS } from "../agents/setup/setups.ts";
import { UNJUDGED } from "../base/daemon-wire.ts";
import { messageOf } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
import { lackingText } from "../daemon/lacking.ts";
import { userFolder } from "../disk/user-folder.ts";
import { childEnvironment } from "../powers/exec-environment.ts";
import { runProgram } from "../powers/run-program.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { agentProgram, unknownVersion, versionFault } from "./agent-version.ts";

/** What is so about one agent that Cordon was entered in. `ok: undefined`: worth knowing, and no fault. */
export interface AgentFinding {
  what: string;
  ok: boolean | undefined;
  detail: string;
  /** No command mends it. */
  isStanding?: true;
}

/** The probe's wait, in ms: a daemon may have to start. */
const PROBE_MS = 30_000;

/** Where Cordon was entered, and why calls there may pass that no hook judged. */
interface Standing extends InstalledAgent {
  open?: string;
}

/** Each place that Cordon was entered in, as far as its settings and Cordon's files say. Starts nothing. */
export const standings = (home: string, workspaces: readonly string[]): Standing[] =>
  entered(home).map((one) => {
    const setup = SETUPS.find(({ name }) => name === one.agent);
    const open = setup && settingsFault(placeOf(setup, home, one.project), workspaces);
    return open === undefined ? one : { ...one, open };
  });

/** The agents that may run calls unjudged. */
export const openAgents = (home: string, workspaces: readonly string[]): AgentFinding[] =>
  standings(home, workspaces).flatMap(({ agent, project, open }) =>
    open === undefined ? [] : [{ what: whatOf(agent, project), ok: false, detail: openText(open) }],
  );

/** Calls may pass that no hook judged. */
export const openText = (why: string): string => `OPEN: ${why}`;

const whatOf = (agent: string, project: string | undefined): string =>
  `agent ${agent}${project === undefined ? "" : ` in ${project}`}`;

const placeOf = (setup: Setup, home: string, project: string | undefined): Place => ({
  setup,
  home,
  places: { user: userFolder(), env: process.env },
  project,
});

/** Agents have their settings here, and no hook of Cordon's hears of their calls. An agent that embeds Cordon is entered nowhere. */
function noneEntered(home: string): AgentFinding[] {
  const here = SETUPS.filter(({ until }) => until === undefined).filter((setup) => {
    const { places } = placeOf(setup, home, undefined);
    return isHere(setup, places) && setup.ownPackage?.(places) === undefined;
  });
  if (here.length === 0) return [];
  const commands = here.map(({ name }) => command`cordon install ${name}`).join(", ");
  return [
    { what: "agents", ok: undefined, isStanding: true, detail: `Cordon is entered in none of those here: ${commands}` },
  ];
}

/** Agents that have Cordon as one of their own packages, which they load themselves. */
const byPackage = (home: string): AgentFinding[] =>
  SETUPS.flatMap((setup) => {
    const out = setup.ownPackage?.(placeOf(setup, home, undefined).places);
    if (out === undefined) return [];
    const detail = `has Cordon by its package, whose loading only ${setup.title} can try; to take it out: ${out}`;
    return [{ what: whatOf(setup.name, undefined), ok: undefined, isStanding: true as const, detail }];
  });

/** Looks at each agent's settings, its version, and whether an entry really blocks. */
export async function agentFindings(
  home: string,
  workspaces: readonly string[],
  hooks: () => Promise<readonly HookInfo[]>,
): Promise<AgentFinding[]> {
  const there = entered(home);
  const findings: AgentFinding[] = [...byPackage(home), ...(there.length > 0 ? [] : noneEntered(home))];
  for (const { agent, project } of there) {
    const what = whatOf(agent, project);
    const setup = SETUPS.find((one) => one.name === agent);
    if (!setup) {
      findings.push({ what, ok: false, detail: "this Cordon does not know it; update Cordon" });
      continue;
    }
    const place = placeOf(setup, home, project);
    const program = await agentProgram(setup.program, workspaces);
    const wrong = await faultOf(place, workspaces, program?.version);
    if (wrong !== undefined) findings.push({ what, ok: false, detail: wrong });
    else if (await isIdle(hooks))
      findings.push({ what, ok: undefined, detail: "entered first; no hook is active yet, so nothing is judged" });
    else if (setup.unseen !== undefined) {
      const detail = `entered first; whether you did this cannot be seen: ${setup.unseen}`;
      findings.push({ what, ok: undefined, isStanding: true, detail });
    } else findings.push({ what, ok: true, detail: "entered first; its calls are judged" });
    const unknown = unknownVersion(setup, program);
    if (unknown !== undefined) findings.push({ what, ok: undefined, detail: unknown, isStanding: true });
    if (monitorsAt(place)) {
      const block = `${command`cordon install ${agent}`}${project === undefined ? "" : " --project"}`;
      findings.push({ what, ok: undefined, detail: `it only monitors, and blocks nothing; to block again: ${block}` });
    }
    const spoken = commandAgent(agent);
    for (const hook of spoken ? await hooks() : []) {
      const lacking = lackingText(setup, hook);
      if (lacking !== undefined) findings.push({ what, ok: undefined, detail: lacking });
    }
    for (const left of setup.left ?? []) findings.push({ what, ok: undefined, detail: left, isStanding: true });
  }
  return findings;
}

/** No hook judges calls here, and none that is down blocks them. False if the hooks cannot be looked at: that is a fault by itself. */
const isIdle = async (hooks: () => Promise<readonly HookInfo[]>): Promise<boolean> => {
  const here = await hooks().catch(() => undefined);
  return here?.every(({ state, disabled }) => disabled || state === "pending") === true;
};

const againAt = ({ setup, project }: Place): string =>
  `run: ${command`cordon install ${setup.name}`}${project === undefined ? "" : " --project"}`;

/** Why the agent asks nobody, whatever is entered. Throws for settings that cannot be read. */
export const openIn = ({ setup, places, project }: Place, workspaces: readonly string[]): string | undefined =>
  setup.openIn?.(project === undefined ? workspaces : [...workspaces, project], places);

function settingsFault(place: Place, workspaces: readonly string[]): string | undefined {
  const { setup } = place;
  const again = againAt(place);
  try {
    const changed = planOfInstall(place).find(({ before, after }) => before !== after);
    if (changed) return `Cordon's entries in ${changed.file} are gone, changed or not the first; ${again}`;
    const open = openIn(place, workspaces);
    if (open !== undefined) return open;
  } catch (error) {
    return messageOf(error);
  }
  const entry = entryPath(place);
  if (!commandAgent(setup.name) || existsSync(entry)) return undefined;
  return setup.plugin?.isOpenWithout
    ? `${entry} is gone, so ${setup.title} runs without it; ${again}`
    : `${entry} is gone, so its calls are blocked; ${again}`;
}

/** Why calls of an agent pass unjudged, or none passes, if so. */
async function faultOf(
  place: Place,
  workspaces: readonly string[],
  version: string | undefined,
): Promise<string | undefined> {
  const { setup } = place;
  const again = againAt(place);
  const fault = settingsFault(place, workspaces);
  if (fault !== undefined) return openText(fault);
  const older = version === undefined ? undefined : versionFault(setup, version);
  if (older !== undefined) return openText(older);
  if (setup.loads) {
    const { stdout, code } = await run(process.execPath, setup.loads(place.places), place.home);
    if (code !== 0) return openText(`${setup.title} cannot load Cordon, and would run calls without it; ${again}`);
    return stdout === "" ? undefined : `every call is blocked: ${cleanLine(stdout, 300)}`;
  }
  if (!commandAgent(setup.name)) return undefined;
  const said = await probe(place);
  if (said === undefined) return openText(`an event that nobody can judge was not blocked; ${again}`);
  return said.includes(UNJUDGED) ? undefined : `every call is blocked: ${said}`;
}

/** What the entry says to an event that it cannot read, all the way from the agent to the daemon and back, if it blocks. */
async function probe(place: Place): Promise<string | undefined> {
  const { setup, places, home } = place;
  const [program, args] = setup.plugin
    ? [process.execPath, setup.plugin.probe(places, home)]
    : ["/bin/sh", ["-c", entryCommand(entryPath(place), setup.name, "gate", "probe", PROBE_MS)]];
  const { stdout, stderr, code } = await run(program, args, home);
  const isBlock =
    code === 2 || (code === 0 && /"cancel":true|"(decision|permissionDecision)":"deny"|"block":true/.test(stdout));
  return isBlock ? cleanLine(`${stdout}${stderr}`, 300) : undefined;
}

/** A policy on trial holds in what is started here, too: a daemon may go on afterwards. */
const { CORDON_POLICY } = process.env;
const TEST_POLICY: Record<string, string> = CORDON_POLICY === undefined ? {} : { CORDON_POLICY };

const run = (program: string, args: string[], home: string) =>
  runProgram(program, args, {
    cwd: "/",
    env: childEnvironment(process.env, [], { CORDON_HOME: home, ...TEST_POLICY }),
    timeoutMs: PROBE_MS,
    maxOutputBytes: 100_000,
    signal: new AbortController().signal,
  });
