import { join, resolve } from "node:path";
import { CordonError } from "../base/errors.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { policyFault, readPolicies } from "../grants/policy.ts";
import { defaultAgentDir, readSettings } from "../host/discover.ts";
import { findHooks } from "../host/find-hooks.ts";
import { type Choice, install, keyOf, type Target } from "../market/install.ts";
import { npmOptions } from "../market/npm-config.ts";
import { changeLines, type Line, meaningOf, packageLines } from "../market/screen.ts";
import { proposable, sourceOf } from "../market/source.ts";
import { placeOf, type Staged, type StagedHook, stage, unstage } from "../market/stage.ts";
import { asked, type Change, differenceOf } from "../market/update.ts";
import { locateRuntime } from "../runtime/locate.ts";
import { grantsPath, readGrants } from "../store/grants-text.ts";
import { isOwnFolder } from "../store/hooks-lock.ts";
import { readInstalled } from "../store/journal.ts";
import { note, progress, Refused, UsageError } from "./common.ts";
import { choose, type Looked, look, show } from "./decide.ts";
import { namesakes } from "./namesakes.ts";
import { print, printJson } from "./print.ts";
import { controllingTerminal } from "./terminal.ts";

interface Flags {
  /** Powers that are granted without a terminal, by name. */
  grant?: string[];
  /** For this project alone, whose lock names it. */
  project?: boolean;
  json?: boolean;
}

/**
 * `cordon add SPEC`: fetches a package without running anything of it, shows where it comes from, what it asks for and
 * what it did in a rehearsal, and installs it with the powers that a person chooses.
 */
export async function add(spec: string, flags: Flags): Promise<void> {
  if (flags.grant?.includes("none") && flags.grant.length > 1)
    throw new UsageError("--grant none stands alone: name the powers, or none");
  const home = defaultHome();
  const cwd = resolve(".");
  const project = flags.project ? realPathOf(cwd) : undefined;
  if (project !== undefined && isOwnFolder(home, project))
    throw new CordonError(
      "LOAD_FAILED",
      `${join(project, ".cordon")} is Cordon's own folder: add it without --project`,
    );
  const given = sourceOf(spec, cwd);
  const source = project === undefined ? given : proposable(given, project);
  const { node } = await locateRuntime({ home, workspaces: [cwd] });
  const target: Target = { home, node, ...(project === undefined ? {} : { project }) };
  const staged = await stage(source, { home, node, npm: await npmOptions(cwd, note), progress });
  try {
    const fault = policyFault(readPolicies(), { source: source.origin, ...staged.fetched });
    if (fault) throw new CordonError("NOT_ACCEPTED", fault);
    refuseNamesakes(staged, target, cwd);
    refuseUnasked(staged, flags);
    const warnings = await namesakes(staged, home, cwd);
    const looked = new Map<StagedHook, Looked>();
    for (const hook of staged.hooks) {
      progress(`rehearsing ${hook.id}`);
      looked.set(hook, await look(hook, placeOf(staged), home));
    }
    const changes = changesIn(staged, target);
    if (!flags.json)
      show(
        [
          packageLines(staged, warnings),
          ...[...looked].map(([hook, { lines }]) => [...lines, ...(changes.get(hook)?.lines ?? [])]),
        ],
        process.stdout,
      );
    const choices = await choicesOf(staged, looked, flags);
    await install(staged, choices, target, true);
    tell(staged, choices, looked, changes, warnings, flags);
  } finally {
    unstage(staged);
  }
}

/** What installing it changes about the hooks that are installed already. */
function changesIn(staged: Staged, target: Target): Map<StagedHook, { change: Change; lines: Line[] }> {
  const installed = readInstalled(target.home);
  const changes = new Map<StagedHook, { change: Change; lines: Line[] }>();
  for (const hook of staged.hooks) {
    const before = installed.get(keyOf(hook, target));
    if (!before || (before.digest === hook.digest && before.integrity === staged.fetched.integrity)) continue;
    const change = differenceOf(hook.id, before, hook, staged, target.home);
    changes.set(hook, { change, lines: changeLines(change, before, staged) });
  }
  return changes;
}

/** Two hooks of one id would keep every session from starting. */
function refuseNamesakes({ hooks }: Staged, target: Target, cwd: string): void {
  const agentDir = defaultAgentDir();
  const { hooks: known } = findHooks(
    { cwd },
    agentDir,
    target.home,
    readSettings(agentDir),
    readGrants(grantsPath(target.home), false),
  );
  for (const hook of hooks) {
    const other = known.find((one) => one.id === hook.id);
    if (!other || (other.origin.kind === "installed" && other.key === keyOf(hook, target))) continue;
    throw new CordonError(
      "BAD_MANIFEST",
      other.origin.kind === "installed"
        ? `${hook.id} is installed for ${other.origin.ofProject ? "this project" : "you"} already; run: cordon remove ${hook.id}`
        : `${hook.id} is the id of a hook of yours`,
    );
  }
}

/** Powers that were named for it, and that it does not want. */
function refuseUnasked({ hooks, fetched }: Staged, { grant = [] }: Flags): void {
  const known = hooks.flatMap((hook) => Object.keys(asked(hook)));
  const unknown = grant.find((power) => power !== "none" && !known.includes(power));
  if (unknown !== undefined)
    throw new Refused(`${fetched.name} does not ask for ${unknown}; it asks for: ${known.join(", ") || "nothing"}`);
}

async function choicesOf(
  staged: Staged,
  looked: ReadonlyMap<StagedHook, Looked>,
  flags: Flags,
): Promise<Map<StagedHook, Choice>> {
  const { grant } = flags;
  const named = (hook: StagedHook, powers: readonly string[]): string[] =>
    powers.filter((power) => Object.hasOwn(asked(hook), power));
  if (grant) return new Map(staged.hooks.map((hook) => [hook, named(hook, grant)]));
  const terminal = controllingTerminal();
  if (!terminal) {
    const powers = [...new Set(staged.hooks.flatMap((hook) => Object.keys(asked(hook))))].join(" ") || "none";
    throw new Refused(`there is nobody to ask: name each power with --grant (it asks for: ${powers}), or --grant none`);
  }
  const choices = new Map<StagedHook, Choice>();
  try {
    for (const [hook, { rehearsal }] of looked)
      choices.set(hook, await choose(hook, { message: `Install ${hook.id}?`, no: "No" }, rehearsal, terminal));
  } finally {
    terminal.close();
  }
  if ([...choices.values()].every((choice) => choice === "refuse")) throw new Refused("nothing was installed");
  return choices;
}

function tell(
  { fetched, source }: Staged,
  choices: ReadonlyMap<StagedHook, Choice>,
  looked: ReadonlyMap<StagedHook, Looked>,
  changes: ReadonlyMap<StagedHook, { change: Change }>,
  warnings: readonly string[],
  flags: Flags,
): void {
  const hooks = [...choices].map(([hook, choice]) => ({
    id: hook.id,
    installed: choice !== "refuse",
    digest: hook.digest,
    granted: choice === "refuse" ? [] : choice,
    rehearsal: looked.get(hook)?.rehearsal,
    ...(changes.has(hook) ? { change: changes.get(hook)?.change } : {}),
  }));
  if (flags.json) {
    const { folder: _folder, name, ...facts } = fetched;
    printJson({ package: name, source: source.origin, ...facts, warnings, hooks });
    return;
  }
  const who = flags.project ? "new sessions in this project have it" : "new sessions have it";
  for (const { id, installed, granted, rehearsal } of hooks) {
    if (!installed) {
      print`left out ${id}`;
      continue;
    }
    print`installed ${id} with ${granted.join(", ") || "no powers"}: ${who}`;
    if (granted.length > 0 || !rehearsal) continue;
    const meaning = meaningOf(rehearsal);
    if (meaning !== undefined) print`careful: with no powers ${meaning}; to take it out: cordon remove ${id}`;
    if (rehearsal.refused.length > 0)
      print`for what it was refused: cordon trace ${id} proposes it, cordon grant ${id} gives it`;
  }
}
