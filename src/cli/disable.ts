import { command } from "../base/shell-word.ts";
import { realPathOf } from "../disk/paths.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { readPolicies, requiredHooks } from "../grants/policy.ts";
import { mayBlock } from "../powers/events.ts";
import { requiredText } from "../session/required.ts";
import { changeGrant, readUserGrants } from "../store/grants-file.ts";
import { about, aboutHookOrGone, hookOrFile, keyOf, sure } from "./about-hook.ts";
import { type ProjectFlags, Refused } from "./common.ts";
import { powersHere } from "./here.ts";
import { printResult } from "./print.ts";

interface Flags extends ProjectFlags {
  project?: boolean;
}

/**
 * `cordon disable ID [--project]`: the hook does not run any more, in any project or in this one, also where it runs now. Its
 * powers stay as they were decided.
 */
export async function disable(name: string, flags: Flags): Promise<void> {
  const { home, cwd, path, hook, id } = await aboutHookOrGone(name, flags);
  if (requiredHooks(readPolicies()).includes(hook.id)) throw new Refused(requiredText(id));
  const folder = realPathOf(cwd);
  const where = flags.project ? `in ${folder}` : "in all projects";
  const entry = readUserGrants(home).get(keyOf(hook, home));
  const before = entry?.disabled;
  if (before === true || (flags.project && before?.includes(folder)))
    throw new Refused(`${id} is disabled ${before === true ? "in all projects" : where} already`);
  const guards = mayBlock(powersHere(hook, entry).events) ? " It may block tool calls: they run without it." : "";
  await sure(`Disable ${id} ${where}?${guards}`);
  changeGrant(path, keyOf(hook, home), (entry) => ({
    ...entry,
    disabled: flags.project ? [...projectsOf(entry), folder] : true,
  }));
  const sentence = `${id} is disabled ${where}; ${flags.project ? command`cordon enable --project ${id}` : command`cordon enable ${id}`} runs it again`;
  printResult(flags, sentence, { id: hook.id, disabled: flags.project ? folder : true });
}

/** `cordon enable ID [--project]`: runs a disabled hook again, with the powers that it had. */
export async function enable(name: string, flags: Flags): Promise<void> {
  const { home, cwd, path, hook, id } = about(name, flags, hookOrFile);
  const folder = realPathOf(cwd);
  const key = keyOf(hook, home);
  const before = readUserGrants(home).get(key)?.disabled;
  if (before === undefined) throw new Refused(`${id} is not disabled`);
  if (flags.project && before === true)
    throw new Refused(`${id} is disabled in all projects; run: ${command`cordon enable ${id}`}`);
  if (flags.project && !projectsOf({ disabled: before }).includes(folder))
    throw new Refused(`${id} is not disabled in ${folder}`);
  const where = flags.project ? `in ${folder}` : before === true ? "in all projects" : `in ${before.join(" and ")}`;
  await sure(`Enable ${id} ${where}, with the powers that it has?`);
  changeGrant(path, key, (entry) => {
    // An entry stays, also an empty one: a hook whose entry is gone has lost its powers.
    const { disabled: _disabled, ...rest } = entry ?? {};
    const left = flags.project ? projectsOf(entry).filter((one) => one !== folder) : [];
    return left.length > 0 ? { ...rest, disabled: left } : rest;
  });
  printResult(flags, `${id} is enabled ${where}`, { id: hook.id, disabled: false });
}

const projectsOf = (entry: Pick<GrantEntry, "disabled"> | undefined): string[] =>
  Array.isArray(entry?.disabled) ? entry.disabled : [];
