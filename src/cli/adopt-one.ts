import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { takeOut } from "../agents/setup/adopted.ts";
import type { Entry, Setup, ThirdParty } from "../agents/setup/setup.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
import { type Decision, install, type Target, uninstall } from "../market/install.ts";
import type { Staged } from "../market/stage.ts";
import { readInstalled } from "../store/journal.ts";
import { printWithoutPowers, refuseTakenIds } from "./add.ts";
import { withCode } from "./adopt-source.ts";
import { type Candidate, chooseEach, present, type Question } from "./decide.ts";
import { print, printMarked } from "./print.ts";
import type { Terminal } from "./terminal.ts";

/** A hook that does not load would block every call. */
export function refuseUnloaded(candidates: readonly Candidate[]): void {
  const broken = candidates.find(({ rehearsal }) => rehearsal.state !== "active");
  if (broken)
    throw new CordonError(
      "LOAD_FAILED",
      `${broken.hook.id} does not load: ${cleanLine(broken.rehearsal.reason ?? "", 500)}`,
    );
}

/** Moves one, if a person says so. Whatever fails on the way, the agent stays as it was. */
export async function adoptOne(
  { name }: ThirdParty,
  { path, entry }: NonNullable<ThirdParty["code"]>,
  setup: Setup,
  target: Target,
  terminal: Terminal,
): Promise<"moved" | "left" | "failed"> {
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
      for (const { hook, choice, rehearsal } of decisions)
        if (choice.length === 0) printWithoutPowers(hook, rehearsal, command`cordon adopt ${setup.program} --undo`);
      return true;
    });
    print`${name}: ${isMoved ? "moved into Cordon" : "left as it is"}`;
    return isMoved ? "moved" : "left";
  } catch (error) {
    printMarked`${name}: left as it is: ${messageOf(error)}`;
    return "failed";
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
  await install(staged, decisions, target, "adopted");
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
