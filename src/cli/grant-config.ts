import { readJson } from "../../sandbox/wire/read-json.ts";
import { command } from "../base/shell-word.ts";
import { visibleLine } from "../base/text.ts";
import { checkGrant, type GrantEntry } from "../grants/grant.ts";
import { staleOf } from "../grants/stale-grant.ts";
import { exactly } from "../powers/quoted.ts";
import { changeGrant, readUserGrants } from "../store/grants-file.ts";
import { about, hookOrFile, keyOf, stateOf, sure } from "./about-hook.ts";
import { type ProjectFlags, Refused, UsageError } from "./common.ts";
import { isOwn, isStale } from "./here.ts";
import { printResult } from "./print.ts";

/** A person reads a longer one in their own file. */
const MAX_SHOWN = 4000;

/** `cordon grant ID config VALUE`: configures an OpenClaw plugin with an object of JSON, in place of what it was configured with. */
export async function grantConfig(name: string, value: string | undefined, flags: ProjectFlags): Promise<void> {
  const { home, cwd, path, hook, id } = about(name, flags, hookOrFile);
  const config = configIn(name, value);
  const key = keyOf(hook, home);
  const before = readUserGrants(home).get(key);
  if (!before && hook.origin !== undefined && !isOwn(hook))
    throw new Refused(`${id} has no entry in ${path}: accept it first, or add it`);
  if (JSON.stringify(config) === JSON.stringify(before?.config)) throw new Refused(`${id} is configured so already`);
  const was = before?.config ? `, in place of ${shown(before.config)}` : "";
  const isGone = before?.digest !== undefined && isStale(hook, before, (await stateOf(hook, cwd, home)).digest);
  const gone = isGone ? staleOf(before).map(({ power }) => power) : [];
  const lost = gone.length === 0 ? "" : ` It has ${gone.join(", ")} no more: its files changed since that was granted.`;
  await sure(`Configure ${id} with ${shown(config)}${was}? What its package says holds for the rest.${lost}`);
  changeGrant(path, key, (now) => {
    if (JSON.stringify(now) !== JSON.stringify(before))
      throw new Refused(`what is granted to ${id} changed while you were asked: nothing was changed; run it again`);
    return isGone ? { config } : { ...now, config };
  });
  printResult(flags, `${id} is configured: sessions that start from now on have it`, {
    id: hook.id,
    granted: "config",
  });
}

function configIn(name: string, text: string | undefined): NonNullable<GrantEntry["config"]> {
  const example = command`cordon grant ${name} config ${'{"mode":"strict"}'}`;
  if (text === undefined) throw new UsageError(`say with what, as JSON, as in ${example}`);
  let config: unknown;
  try {
    config = readJson(text);
  } catch {
    throw new UsageError(`${text} is not JSON: a configuration looks as in ${example}`);
  }
  return checkGrant({ config }, "grant config").config ?? {};
}

const shown = (config: object): string => visibleLine(exactly(JSON.stringify(config)), MAX_SHOWN);
