import { join, resolve } from "node:path";
import { confirm, isCancel, multiselect, select } from "@clack/prompts";
import { defaultAgentDir, readSettings } from "../discover/discover.ts";
import { CordonError } from "../errors.ts";
import { findHooks } from "../find-hooks.ts";
import { readGrants } from "../grants/grants-file.ts";
import { policyFault, readPolicies } from "../grants/policy.ts";
import { powersIn } from "../grants/signs.ts";
import { defaultHome } from "../home.ts";
import { npmOptions } from "../market/dependencies.ts";
import { type Choice, install } from "../market/install.ts";
import { type Rehearsal, rehearse } from "../market/rehearsal.ts";
import { hookLines, type Line, packageLines } from "../market/screen.ts";
import { sourceOf } from "../market/source.ts";
import { type Staged, type StagedHook, stage, unstage } from "../market/stage.ts";
import { asked } from "../market/update.ts";
import { locateRuntime } from "../runtime/locate.ts";
import { printJson, Refused } from "./common.ts";
import { sampleEvents } from "./sample-events.ts";
import { controllingTerminal, style, type Terminal, table } from "./terminal.ts";

interface Flags {
  /** Powers that are granted without a terminal, by name. */
  grant?: string[];
  json?: boolean;
}

/**
 * `cordon add SPEC`: fetches a package without running anything of it, shows where it comes from, what it asks for and
 * what it did in a rehearsal, and installs it with the powers that a person chooses.
 */
export async function add(spec: string, flags: Flags): Promise<void> {
  const home = defaultHome();
  const source = sourceOf(spec, resolve("."));
  const runtime = await locateRuntime({ home, workspaces: [resolve(".")] });
  const progress = (step: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`${style.dim(step)}\n`);
  };
  const staged = await stage(source, { home, node: runtime.node, npm: npmOptions(), progress });
  try {
    const fault = policyFault(readPolicies(), { source: source.origin, ...staged.fetched });
    if (fault) throw new CordonError("NOT_ACCEPTED", fault);
    refuseNamesakes(staged, home);
    const looked = await look(staged, home, progress);
    if (!flags.json) show(staged, looked);
    const choices = await choose(staged, flags);
    await install(staged, choices, home, runtime.node);
    tell(staged, choices, looked, flags);
  } finally {
    unstage(staged);
  }
}

/** Two hooks of one id would keep every session from starting. */
function refuseNamesakes({ hooks }: Staged, home: string): void {
  const agentDir = defaultAgentDir();
  const grants = readGrants(join(home, "grants.json"), false);
  const known = findHooks({ cwd: resolve(".") }, agentDir, home, readSettings(agentDir), grants);
  const taken = hooks.find(({ id }) => known.some(({ hook }) => hook.id === id && hook.origin.kind !== "installed"));
  if (taken) throw new CordonError("BAD_MANIFEST", `${taken.id} is the id of a hook of yours`);
}

async function look(
  staged: Staged,
  home: string,
  progress: (step: string) => void,
): Promise<Map<StagedHook, { rehearsal: Rehearsal; lines: Line[] }>> {
  const looked = new Map<StagedHook, { rehearsal: Rehearsal; lines: Line[] }>();
  for (const hook of staged.hooks) {
    progress(`rehearsing ${hook.id}`);
    const { folder } = staged.fetched;
    const rehearsal = await rehearse(hook, folder, home, sampleEvents());
    const sources = staged.files.map(({ path }) => path).filter((path) => /\.[cm]?[jt]sx?$/.test(path));
    looked.set(hook, { rehearsal, lines: hookLines(hook, powersIn(folder, sources), rehearsal) });
  }
  return looked;
}

function show(staged: Staged, looked: Map<StagedHook, { lines: Line[] }>): void {
  const blocks = [packageLines(staged), ...[...looked.values()].map(({ lines }) => lines)];
  for (const lines of blocks)
    process.stdout.write(
      `${table(
        lines.map(([name, text]) => [name, text]),
        process.stdout.columns ?? 80,
      )}\n\n`,
    );
}

async function choose(staged: Staged, flags: Flags): Promise<Map<StagedHook, Choice>> {
  const choices = new Map<StagedHook, Choice>();
  if (flags.grant) {
    for (const hook of staged.hooks) choices.set(hook, granted(hook, flags.grant));
    const known = staged.hooks.flatMap((hook) => Object.keys(asked(hook)));
    const unknown = flags.grant.find((power) => power !== "none" && !known.includes(power));
    if (unknown !== undefined)
      throw new Refused(
        `${staged.fetched.name} does not ask for ${unknown}; it asks for: ${known.join(", ") || "nothing"}`,
      );
    return choices;
  }
  const terminal = controllingTerminal();
  if (!terminal) {
    const powers = [...new Set(staged.hooks.flatMap((hook) => Object.keys(asked(hook))))].join(" ") || "none";
    throw new Refused(`there is nobody to ask: name each power with --grant (it asks for: ${powers}), or --grant none`);
  }
  try {
    for (const hook of staged.hooks) choices.set(hook, await chooseFor(hook, terminal));
  } finally {
    terminal.close();
  }
  if ([...choices.values()].every((choice) => choice === "refuse")) throw new Refused("nothing was installed");
  return choices;
}

async function chooseFor(hook: StagedHook, { input, output }: Terminal): Promise<Choice> {
  const powers = Object.keys(asked(hook));
  const answer = await select({
    message: `Install ${hook.id}?`,
    options: [
      { value: "refuse", label: "No" },
      { value: "none", label: "Yes, without powers: it may hear, ask and block" },
      ...(powers.length > 0
        ? [
            { value: "some", label: "Yes, and choose its powers" },
            { value: "all", label: `Yes, with all it asks for: ${powers.join(", ")}` },
          ]
        : []),
    ],
    input,
    output,
  });
  if (isCancel(answer) || answer === "refuse") return "refuse";
  if (answer === "none") return [];
  const options = powers.map((value) => ({ value, label: value }));
  const picked =
    answer === "all" ? powers : await multiselect({ message: "Which?", options, required: false, input, output });
  if (isCancel(picked)) return "refuse";
  if (picked.includes("exec") && asked(hook).exec?.some((entry) => entry.fullAccess)) {
    const message = "With these programs it can do whatever you can. Grant that?";
    if ((await confirm({ message, initialValue: false, input, output })) !== true) return "refuse";
  }
  return picked;
}

const granted = (hook: StagedHook, powers: readonly string[]): string[] =>
  powers.filter((power) => Object.hasOwn(asked(hook), power));

function tell(
  staged: Staged,
  choices: ReadonlyMap<StagedHook, Choice>,
  looked: ReadonlyMap<StagedHook, { rehearsal: Rehearsal }>,
  flags: Flags,
): void {
  const done = [...choices].map(([hook, choice]) => ({
    id: hook.id,
    installed: choice !== "refuse",
    digest: hook.digest,
    granted: choice === "refuse" ? [] : choice,
    rehearsal: looked.get(hook)?.rehearsal,
  }));
  if (flags.json) printJson({ package: staged.fetched.name, version: staged.fetched.version, hooks: done });
  else
    for (const { id, installed, granted: powers } of done)
      process.stdout.write(
        installed
          ? `installed ${id} with ${powers.join(", ") || "no powers"}: new sessions have it\n`
          : `left out ${id}\n`,
      );
}
