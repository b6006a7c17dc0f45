import { tmpdir } from "node:os";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { realPathOf } from "../disk/paths.ts";
import { renamePaths } from "../disk/rename-paths.ts";
import { userFolder } from "../disk/user-folder.ts";
import type { Asks } from "../grants/schema.ts";
import type { HookEvent } from "../hook-api.ts";
import { type SampleWorld, sampleEvents } from "../host/sample-events.ts";
import type { Refusal } from "../session/hook-error.ts";
import type { HookOption } from "../session/options.ts";
import { copyOf } from "./trace-copy.ts";
import { type Granted, merged } from "./trace-granted.ts";
import { proposalOf } from "./trace-proposal.ts";
import { NONE, rehearse, type Seen, type TraceFlags } from "./trace-rehearsal.ts";

/** Rounds in which a hook has what it was refused before. Most hooks ask for nothing new in the second. */
const MOST_ROUNDS = 4;

export interface Rounds {
  /** How often the hook was tried, with more granted each time. */
  count: number;
  /** It wrote in a copy of its folder. */
  hasWritten?: true;
  /** Why it was not tried until it asked for nothing new. */
  early?: string;
}

/**
 * Tries the hook with what it was refused, until it asks for nothing new. Nothing is granted that reaches beyond the copy: of what a
 * person granted neither, since a program that is real could run what the hook writes there.
 *
 * @param tried `before`: what a person granted
 */
export async function tryAgain(
  file: string,
  tried: {
    flags: TraceFlags;
    seen: Seen;
    world: SampleWorld;
    given: readonly HookEvent[] | undefined;
    before: Granted | undefined;
    worldIn: (cwd: string) => SampleWorld;
  },
): Promise<Rounds> {
  const { flags, seen, world, given, before, worldIn } = tried;
  const grantNow = (): ReturnType<typeof harmless> => {
    const { capabilities, limits } = proposalOf(seen, { world, events: given ?? [], hasWritten: false });
    const { all, missing } = merged(before, { ...capabilities, ...(limits ? { limits } : {}) });
    return harmless(missing) && harmless(all);
  };
  let grant = grantNow();
  if (grant === undefined) return { count: 1 };
  const copy = copyOf(world.cwd);
  if (!copy)
    return { count: 1, early: `${world.cwd} is too large to copy: what follows on its own writes was not tried` };
  try {
    const there = worldIn(copy.path);
    const events = given ?? sampleEvents(there);
    for (let count = 2; ; count++) {
      // Errors of the copy are none of the hook's, and what it is refused there is about the real folder.
      const own: Seen = { ...seen, refusals: [], errors: [] };
      await rehearse(file, events, flags, own, { world: there, agrees: true, mode: "tui", grant });
      seen.refusals.push(...own.refusals.map((one) => asIn(world.cwd, copy.path, one)));
      seen.heard = own.heard;
      if (own.branches) seen.branches = own.branches;
      const more = grantNow();
      if (JSON.stringify(more) === JSON.stringify(grant)) return { count, hasWritten: true };
      if (count === MOST_ROUNDS)
        return {
          count,
          hasWritten: true,
          early: `it still asked for more after ${count} rounds: trace it again with --grants`,
        };
      grant = more;
    }
  } finally {
    copy.remove();
  }
}

/** A refusal in the copy, about the folder itself. What a hook looks for beside its own file lies in that, and not in the copy. */
function asIn(cwd: string, copy: string, refusal: Refusal): Refusal {
  const text = renamePaths(JSON.stringify(refusal), [[copy, cwd]]);
  if (refusal.wanted?.capability !== "fs") return readJson(text);
  const real = realPathOf(cwd);
  const below = ([root, path]: [string, string]): string[] =>
    real.startsWith(`${path}/`) ? [root + real.slice(path.length)] : [];
  const homes: [string, string][] = [
    ["$HOME", realPathOf(userFolder())],
    ["$TMP", realPathOf(tmpdir())],
  ];
  const { wanted, ...rest } = readJson(text);
  const grant = [real, ...homes.flatMap(below)].reduce(
    (sum, name) => sum.replaceAll(`"${name}/`, '"$CWD/').replaceAll(`"${name}"`, '"$CWD"'),
    JSON.stringify(wanted.grant),
  );
  return { ...rest, wanted: { ...wanted, grant: readJson(grant) } };
}

/** What of a proposal reaches no further than a copy of the folder, if any of it may lead a hook on. */
function harmless({ limits, ...capabilities }: Asks): NonNullable<HookOption["grant"]> | undefined {
  const { see: _see, block: _block, ...rights } = capabilities.events ?? {};
  const { write = [], read = [] } = capabilities.fs ?? {};
  const inCopy = (patterns: readonly string[]): string[] => patterns.filter((one) => one.startsWith("$CWD"));
  if (inCopy(write).length === 0 && Object.keys(rights).length === 0 && !limits) return undefined;
  return {
    capabilities: {
      ...NONE,
      events: { ...NONE.events, ...rights },
      fs: { read: inCopy([...read, ...write]), write: inCopy(write) },
    },
    ...(limits ? { limits } : {}),
  };
}
