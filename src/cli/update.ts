import { resolve } from "node:path";
import { confirm } from "@clack/prompts";
import { CordonError, messageOf } from "../errors.ts";
import { policyFault, readPolicies } from "../grants/policy.ts";
import { defaultHome } from "../home.ts";
import { npmOptions } from "../market/dependencies.ts";
import { type LockEntry, lockPath, readLock } from "../market/hooks-lock.ts";
import { replace } from "../market/install.ts";
import { sourceOf } from "../market/source.ts";
import { stage, unstage } from "../market/stage.ts";
import { type Change, changeOf } from "../market/update.ts";
import { locateRuntime } from "../runtime/locate.ts";
import { cleanLine } from "../text.ts";
import { printJson, Refused } from "./common.ts";
import { controllingTerminal, style } from "./terminal.ts";

interface Outcome {
  id: string;
  outcome: "current" | "updated" | "pending" | "stopped";
  change?: Change;
  error?: string;
  code?: string;
}

/**
 * `cordon update [ID]`: takes newer versions of what is installed. One that asks for no more than before keeps what it was
 * granted; one that asks for more waits for a person, and the old one goes on.
 */
export async function update(id: string | undefined, flags: { json?: boolean }): Promise<void> {
  const home = defaultHome();
  const installed = [...readLock(lockPath(home))].filter(([one]) => id === undefined || one === id);
  if (id !== undefined && installed.length === 0) throw new Refused(`${id} is not installed; run: cordon list`);
  const runtime = await locateRuntime({ home, workspaces: [resolve(".")] });
  const outcomes: Outcome[] = [];
  for (const [source, hooks] of bySource(installed)) {
    try {
      outcomes.push(...(await updatePackage(source, hooks, home, runtime.node)));
    } catch (error) {
      const code = error instanceof CordonError ? { code: error.code } : {};
      outcomes.push(
        ...hooks.map(
          ([one]): Outcome => ({ id: one, outcome: "stopped", error: cleanLine(messageOf(error), 2000), ...code }),
        ),
      );
    }
  }
  if (flags.json) printJson({ hooks: outcomes });
  else for (const outcome of outcomes) process.stdout.write(told(outcome));
  const waiting = outcomes.filter(({ outcome }) => outcome === "pending" || outcome === "stopped");
  if (waiting.length > 0)
    throw new Refused(flags.json ? "" : `${waiting.map((one) => one.id).join(", ")}: the installed version goes on`);
}

/** One fetch for all hooks of a package. */
function bySource(installed: readonly [string, LockEntry][]): Map<string, [string, LockEntry][]> {
  const groups = new Map<string, [string, LockEntry][]>();
  for (const one of installed) groups.set(one[1].source, [...(groups.get(one[1].source) ?? []), one]);
  return groups;
}

async function updatePackage(
  origin: string,
  hooks: readonly [string, LockEntry][],
  home: string,
  node: string,
): Promise<Outcome[]> {
  const source = sourceOf(origin.replace(/^(path|git):/, ""), resolve("."));
  const progress = (step: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`${style.dim(step)}\n`);
  };
  const staged = await stage({ ...source, origin }, { home, node, npm: npmOptions(), progress });
  try {
    const fault = policyFault(readPolicies(), { source: origin, ...staged.fetched });
    if (fault) throw new CordonError("NOT_ACCEPTED", fault);
    const changes = hooks.map(([id, entry]) => ({ id, change: changeOf(id, entry, staged, home) }));
    const open = changes.flatMap(({ change }) => (change && change.wider.length > 0 ? [change] : []));
    const allowed = open.length === 0 || (await agreed(open));
    const ids = changes.flatMap(({ id, change }) => (change ? [id] : []));
    if (allowed && ids.length > 0) await replace(staged, ids, home, node);
    return changes.map(({ id, change }) => ({
      id,
      outcome: change === undefined ? "current" : allowed ? "updated" : "pending",
      ...(change ? { change } : {}),
    }));
  } finally {
    unstage(staged);
  }
}

async function agreed(changes: readonly Change[]): Promise<boolean> {
  const terminal = controllingTerminal();
  if (!terminal) return false;
  try {
    const { input, output } = terminal;
    for (const change of changes) output.write(difference(change));
    const message = "Take the newer version? It gets none of the powers that are new until you grant them.";
    return (await confirm({ message, initialValue: false, input, output })) === true;
  } finally {
    terminal.close();
  }
}

const difference = ({ id, from, to, wider, narrower, files }: Change): string =>
  [
    `${id} ${from} → ${to}`,
    ...wider.map((power) => `  asks also for ${power}`),
    ...narrower.map((power) => `  asks no more for ${power}`),
    ...files.map((file) => `  ${file}`),
    "",
  ].join("\n");

function told({ id, outcome, change, error, code }: Outcome): string {
  switch (outcome) {
    case "current":
      return `${id}: nothing newer\n`;
    case "updated":
      return `${id}: ${change?.from} → ${change?.to}: new sessions have it\n`;
    case "pending":
      return `${change ? difference(change) : ""}${id}: waits for a person: run cordon update ${id} on a terminal\n`;
    default:
      return `${style.red(id)}: ${error}${code ? ` (${code})` : ""}\n`;
  }
}
