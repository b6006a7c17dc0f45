import { CordonError } from "../base/errors.ts";
import { startBuilder } from "../bundle/build.ts";
import { policyFault, readPolicies } from "../grants/policy.ts";
import type { Pinned } from "../market/fetch.ts";
import type { Target } from "../market/install.ts";
import type { Source } from "../market/source.ts";
import { type Staged, stage, unstage } from "../market/stage.ts";
import { locateRuntime } from "../runtime/locate.ts";
import { note, progress } from "./common.ts";

/** Finds what fetches and builds packages. Rejects with `NO_RUNTIME`, or with `LOAD_FAILED` for settings of npm that cannot be read. */
export async function targetFor(home: string, cwd: string, project?: string): Promise<Target> {
  const { node } = await locateRuntime({ home, workspaces: [cwd] });
  startBuilder(node);
  const { npmOptions } = await import("../market/npm-config.ts");
  const npm = await npmOptions(cwd, note);
  return { home, cwd, node, npm, progress, ...(project === undefined ? {} : { project }) };
}

/**
 * Fetches a package into quarantine, and removes it when `act` is done. Rejects with `NOT_ACCEPTED` if a policy does not
 * allow the package, and with what `act` rejects with.
 */
export async function withPackage<T>(
  source: Source,
  target: Target,
  act: (staged: Staged) => Promise<T>,
  pinned?: Pinned,
): Promise<T> {
  return withStaged(await stage(source, target, pinned), act);
}

/** The same with a package that is in quarantine. */
export async function withStaged<T>(staged: Staged, act: (staged: Staged) => Promise<T>): Promise<T> {
  const { source } = staged;
  try {
    const fault = policyFault(readPolicies(), { source: source.origin, ...staged.fetched });
    if (fault) throw new CordonError("NOT_ACCEPTED", fault);
    return await act(staged);
  } finally {
    unstage(staged);
  }
}
