import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { entered } from "../agents/setup/install.ts";
import { SETUPS } from "../agents/setup/setups.ts";
import { auditFiles } from "../audit/log-files.ts";
import { attemptOr } from "../base/attempt.ts";
import { counted } from "../base/counted.ts";
import { CordonError } from "../base/errors.ts";
import { entriesBelow } from "../disk/entries-below.ts";
import { defaultHome, inHome, isOwnName } from "../disk/home.ts";
import { recordingsIn } from "../recording/places.ts";
import { readUserGrants } from "../store/grants-file.ts";
import { lockPath, readLock } from "../store/hooks-lock.ts";
import { askWhether } from "./ask.ts";
import { note, type ProjectFlags, Refused } from "./common.ts";
import { endDaemon } from "./daemon.ts";
import { uninstall, uninstallFault, userPlaces } from "./install.ts";
import { print, printJson } from "./print.ts";
import { onTerminal } from "./terminal.ts";

interface Flags extends ProjectFlags {
  dryRun?: boolean;
}

/** `cordon uninstall`: takes Cordon out of each agent, removes its runtime, and then its home; a person decides about each. */
export async function uninstallAll(flags: Flags): Promise<void> {
  const home = defaultHome();
  const agents = entered(home);
  const runtime = inHome(home, "runtime");
  const parts = { agents, ...(existsSync(runtime) ? { runtime } : {}), ...(existsSync(home) ? { home } : {}) };
  if (flags.dryRun || flags.json) {
    if (flags.json) printJson({ done: false, ...parts });
    else show(home, agents);
    if (flags.dryRun) return;
    throw new Refused("");
  }
  if (!existsSync(home)) throw new Refused(`nothing of Cordon's is in ${home}`);
  const hasPerson = await onTerminal(
    async () => true,
    () => false,
  );
  if (!hasPerson) throw new Refused("this needs a terminal with a person at it; --dry-run shows what it would ask");
  for (const { agent, project } of agents)
    await leaveOr(() => uninstall(agent, project ? { project: true, cwd: project } : {}));
  if (existsSync(runtime) && (await yes(`Remove ${runtime} (${megabytes(runtime)} MB), which sandboxes run on?`))) {
    rmSync(runtime, { recursive: true, force: true });
    print`removed ${runtime}`;
  }
  for (const text of byPackage()) note(text);
  const left = entered(home);
  if (left.length > 0) {
    note(
      `${home} stays: ${left.map(({ agent }) => agent).join(", ")} still asks Cordon, and would run nothing without it`,
    );
    return;
  }
  const losses = lossesOf(home);
  for (const text of losses) print`${text}`;
  if (!(await yes(`Remove ${home}${losses.length > 0 ? ", with all of this" : ""}?`))) return void print`${home} stays`;
  await endDaemon(home);
  removeHome(home);
}

/** Agents that go on with Cordon, since they have it as one of their own packages. */
const byPackage = (): string[] =>
  SETUPS.flatMap(({ title, ownPackage }) => {
    const out = ownPackage?.(userPlaces());
    return out === undefined ? [] : [`${title} has Cordon by its package, and keeps it until you run: ${out}`];
  });

const yes = (message: string): Promise<boolean> =>
  onTerminal(
    (terminal) => askWhether(message, terminal),
    () => false,
  );

/** Goes on after a person's no, and after settings that cannot be read. */
async function leaveOr(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Refused || error instanceof CordonError)) throw error;
    note(error.message);
  }
}

function removeHome(home: string): void {
  const others = readdirSync(home).filter((name) => !isOwnName(name));
  for (const name of readdirSync(home)) if (isOwnName(name)) rmSync(join(home, name), { recursive: true, force: true });
  if (others.length === 0) rmdirSync(home);
  print`${others.length === 0 ? `removed ${home}` : `removed what is Cordon's in ${home}; ${others.join(", ")} stay`}`;
}

function show(home: string, agents: ReturnType<typeof entered>): void {
  for (const { agent, project } of agents) {
    const setup = SETUPS.find(({ name }) => name === agent);
    const fault = setup && uninstallFault(setup, project);
    const place = `${agent}${project ? ` in ${project}` : ""}`;
    print`${fault === undefined ? `would take Cordon out of ${place}` : `cannot take Cordon out of ${place}: ${fault}`}`;
  }
  for (const text of byPackage()) print`${text}`;
  if (existsSync(inHome(home, "runtime"))) print`would remove ${inHome(home, "runtime")}`;
  if (existsSync(home)) print`would remove ${home}`;
  for (const text of lossesOf(home)) print`${text}`;
}

/** Of a file that is damaged, nothing can be counted: it goes all the same. */
const sizeOf = (read: () => { readonly size: number }): number => attemptOr(() => read().size, 0);

/** What goes with the home. */
function lossesOf(home: string): string[] {
  if (!existsSync(home)) return [];
  const audit = inHome(home, "audit");
  const days = new Set(existsSync(audit) ? auditFiles(audit).map(({ day }) => day) : []);
  const others = readdirSync(home).filter((name) => !isOwnName(name));
  const some = (count: number, noun: string, before = ""): string[] =>
    count > 0 ? [`  ${before}${counted(count, noun)}`] : [];
  return [
    ...some(
      sizeOf(() => readLock(lockPath(home))),
      "installed hook",
    ),
    ...some(
      sizeOf(() => readUserGrants(home)),
      "hook",
      "what you granted to ",
    ),
    ...some(days.size, "day", "the audit of "),
    ...some(recordingsIn(home).length, "recorded session"),
    ...(existsSync(inHome(home, "reports")) ? ["  the last report"] : []),
    ...(others.length > 0 ? [`  what is not Cordon's stays: ${others.join(", ")}`] : []),
  ];
}

function megabytes(folder: string): number {
  const files = [...entriesBelow(folder)].filter((entry) => entry.isFile());
  return Math.ceil(files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) / 1e6);
}
