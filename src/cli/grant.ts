import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { command } from "../base/shell-word.ts";
import { realPathOf } from "../disk/paths.ts";
import { acceptedPowers } from "../grants/chosen.ts";
import { dangersOf } from "../grants/dangers.ts";
import { configOf, defaultCapabilities, granted } from "../grants/grant.ts";
import { findManifest } from "../grants/manifest.ts";
import { askedOf, onePower } from "../grants/one-power.ts";
import { forbiddenBy, policiesInForce, readPolicies, requiredHooks, withinPolicies } from "../grants/policy.ts";
import { exampleOf, refuseNoPower } from "../grants/power-example.ts";
import { type Capabilities, type Limits, powersOf, withMore } from "../grants/schema.ts";
import { refuseUnreviewable, shownPower, shownPowers } from "../grants/shown-power.ts";
import { staleOf } from "../grants/stale-grant.ts";
import { type FsGrant, meansNothing } from "../powers/fs-grant.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { changeGrant, readUserGrants, writeGrant } from "../store/grants-file.ts";
import { entryName, type Grants, readGrants } from "../store/grants-text.ts";
import { lockPath, projectKey, projectOf, readLock } from "../store/hooks-lock.ts";
import { proposedIn } from "../store/proposed.ts";
import { revokeIn } from "../store/revoke.ts";
import { about, hookOrFile, stateOf, sure } from "./about-hook.ts";
import { note, type ProjectFlags, Refused, UsageError } from "./common.ts";
import { grantConfig } from "./grant-config.ts";
import { type Here, isOwn } from "./here.ts";
import { printResult } from "./print.ts";

/**
 * `cordon grant ID CAP [VALUE]`: grants a hook one power, as its manifest asks for it or as `value` (JSON) says, beside what it has
 * of that power. A person confirms it on a terminal.
 */
export async function grant(
  name: string,
  power: string,
  value: string | undefined,
  flags: ProjectFlags,
): Promise<void> {
  if (power === "config") return grantConfig(name, value, flags);
  refuseNoPower(power);
  const { home, cwd, path, hook: known, id } = about(name, flags, hookOrFile);
  const hook = embedded(known, readGrants(path, false)) ?? (await stateOf(known, cwd, home));
  if (hook.state === "pending") throw new Refused(`${id} is this project's and was never accepted; run: cordon accept`);
  const { digest } = hook;
  if (digest === undefined) throw new Refused(`${id} cannot be granted anything: ${hook.reason ?? "it does not load"}`);
  const { manifest } = findManifest(known.realPath);
  const asked = askedOf(manifest) as Record<string, unknown>;
  if (value !== undefined) asked[power] = valueGiven(power, value);
  if (!Object.hasOwn(asked, power)) {
    const example = command`cordon grant ${name} ${power} ${exampleOf(power)}`;
    throw new Refused(
      `the manifest of ${id} asks for no ${power}: say what to grant, as JSON, as in ${example}; ${command`cordon trace ${name}`} proposes it`,
    );
  }
  // The id of a file that only an agent names may be a package's, which is another hook elsewhere.
  const usual = known.origin === undefined ? known.key : (hook.key ?? hook.id);
  const grants = readGrants(path, false);
  const key = entryName(grants, usual, known.realPath) ?? usual;
  const before = grants.get(key);
  // A grant for another digest does not carry over to this one.
  const isOfThese = before?.digest === undefined || before.digest === digest;
  const own = isOfThese ? before : configOf(before);
  const powers = hasUsual(known)
    ? (own?.capabilities ?? defaultCapabilities())
    : acceptedPowers(manifest?.capabilities, own?.capabilities);
  const added =
    power === "limits"
      ? { capabilities: powers, limits: { ...own?.limits, ...(asked.limits as Limits) } }
      : { capabilities: withMore(powers, power, asked[power]) };
  const whole = { ...added.capabilities, limits: asked.limits } as Record<string, unknown>;
  // What is asked about, and what there is afterwards.
  for (const one of [asked[power], whole[power]])
    refuseUnreviewable([{ [power]: one }], `${power} for ${id}`, "BAD_GRANT");
  if (power !== "limits") refuseForbidden({ [power]: asked[power] } as Capabilities, id);
  const dangers = dangersOf(power, asked[power], added.capabilities).map((danger) => `, and ${danger}`);
  const gone = isOfThese ? [] : staleOf(before).flatMap((one) => (one.power === power ? [] : [one.power]));
  const lost = gone.length === 0 ? "" : ` It has ${gone.join(", ")} no more: its files changed since that was granted.`;
  await sure(`Grant ${id} this: ${power} ${shownPower(power, asked[power])}${dangers.join("")}?${lost}`);
  changeGrant(path, key, (now) => {
    if (JSON.stringify(now) !== JSON.stringify(before))
      throw new Refused(`what is granted to ${id} changed while you were asked: nothing was granted; run it again`);
    const disabled = now?.disabled ? { disabled: now.disabled } : {};
    return { ...own, ...disabled, digest, ...added, grantedAt: timeNow(), by: "user" };
  });
  for (const pattern of power === "fs" ? emptyIn(asked.fs as FsGrant) : [])
    note(`${pattern} covers no file: what leads to secrets, or for writing to code, is to be named without a wildcard`);
  const sentence = `granted ${power} to ${id}: running hosts have it when they start again`;
  printResult(flags, sentence, { id: hook.id, granted: power });
}

/** Patterns that mean no file, however they are granted. */
const emptyIn = (grant: FsGrant): string[] =>
  (["read", "write", "watch"] as const).flatMap((right) =>
    (grant[right] ?? []).filter((pattern) => meansNothing(pattern, right)),
  );

/** Without a grant, it has the default powers. So has a file that a command line names. */
const hasUsual = (hook: Here): boolean => hook.origin === undefined || isOwn(hook);

/** A hook that only a program names, by an id of its own: what was granted by that name before says to which bytes. */
function embedded(
  { key, origin }: Here,
  grants: Grants,
): Pick<HookInfo, "id" | "key" | "state" | "digest" | "reason"> | undefined {
  const digest = grants.get(key)?.digest;
  const isNamed = origin === undefined && !isAbsolute(key) && projectOf(key) === undefined;
  return isNamed && digest !== undefined ? { id: key, state: "active", digest } : undefined;
}

/** What a policy takes away cannot be granted. */
function refuseForbidden(powers: Capabilities, id: string): void {
  const allowed = withinPolicies(readPolicies(), powers);
  if (powersOf.covers(allowed, powers)) return;
  const most = shownPowers(allowed).map(({ text }) => text);
  const [power = ""] = Object.keys(powers);
  const file = forbiddenBy(policiesInForce(), power, Object.values(powers)[0]);
  throw new Refused(
    `your organisation's policy ${file} does not allow ${id} this; of ${power}, it allows ${most.join(", ") || "nothing"}`,
  );
}

function valueGiven(power: string, text: string): unknown {
  let value: unknown;
  try {
    value = readJson(text);
  } catch {
    throw new UsageError(`${text} is not JSON: what is granted of ${power} looks like ${exampleOf(power)}`);
  }
  onePower(power, value);
  return value;
}

/**
 * `cordon revoke ID [CAP]`: revokes one power of a hook, or all but to hear and to block. What makes it a guard stays. What running hosts
 * allowed it for their session ends, too. Needs no person.
 */
export function revoke(name: string, power: string | undefined, flags: ProjectFlags): void {
  if (power === "config")
    throw new UsageError(`a configuration is no power; ${command`cordon grant ${name} config ${"{}"}`} empties it`);
  if (power !== undefined) refuseNoPower(power);
  const { home, path, hook, id } = about(name, flags, hookOrFile);
  const grants = readUserGrants(home);
  const known = entryName(grants, hook.key, hook.realPath);
  if (known === undefined && !hasUsual(hook)) {
    // A running session may have allowed it something.
    changeGrant(path, hook.origin?.kind === "installed" ? hook.key : hook.realPath, () => ({ revokedAt: timeNow() }));
    throw new Refused(`${id} has no entry in ${path}: nothing was granted to it for longer than a session`);
  }
  const key = known ?? hook.realPath;
  const had = revokeIn(path, key, power);
  if (power !== undefined && !had.includes(power))
    throw new Refused(
      `${id} was not granted ${power}; it has: ${had.join(", ") || "nothing"}. If a running session allowed it, that ends now`,
    );
  const revoked = power ?? (had.filter((one) => one !== "events").join(", ") || "nothing");
  printResult(flags, revokedText(id, revoked), { id: key, revoked });
}

function revokedText(id: string, revoked: string): string {
  switch (revoked) {
    case "nothing":
      return `nothing was granted to ${id} beyond hearing and blocking; what running sessions allowed it ends`;
    case "events":
      return `of events, ${id} may only hear and block what it did: running hosts take the rest at its next event`;
    case "limits":
      return `revoked limits from ${id}: running hosts have the usual ones when they start again`;
    default:
      return `revoked ${revoked} from ${id}: running hosts take it from the hook at its next event`;
  }
}

const timeNow = (): string => new Date().toISOString();

/** Whether a project's lock names this hook, and not one of the person's own that has the same id. */
const isProposed = ({ id, key }: Here, project: string, home: string): boolean =>
  key === projectKey(project, id) && proposedIn(project, home).proposed.has(id);

/** `cordon remove ID`: removes an installed hook, or a hook's entry in the grants. A project's hook is inactive then. */
export async function remove(name: string, flags: ProjectFlags): Promise<void> {
  const { home, cwd, path, hook, id } = about(name, flags, hookOrFile);
  const grants = readGrants(path, false);
  const isInstalled = readLock(lockPath(home)).has(hook.key) || isProposed(hook, realPathOf(cwd), home);
  const key = isInstalled ? hook.key : entryName(grants, hook.key, hook.realPath);
  if (key === undefined)
    throw new Refused(
      `nothing is granted to ${id} in ${path}, so nothing is removed; to be rid of the hook, delete ${hook.realPath}, or take out the setting or the option that names it`,
    );
  const required = requiredHooks(readPolicies()).includes(hook.id)
    ? " Your organisation's policy requires it: all tool calls are blocked until it is added again."
    : "";
  // A file in a folder of hooks is found as long as it lies there.
  const stays =
    !isInstalled && hook.origin !== undefined && hook.origin.kind !== "project" && existsSync(hook.realPath);
  const more = stays
    ? Object.keys(powersOf.minus(defaultCapabilities(), granted(grants.get(key)?.capabilities)) ?? {})
    : [];
  const wider =
    more.length > 0
      ? ` Without its entry it has what every hook of your own begins with, which is more of ${more.join(", ")}.`
      : "";
  const what = isInstalled ? `${id}, with what was granted to it` : `what was granted to ${id}`;
  await sure(`Remove ${what}?${wider}${required}`);
  if (isInstalled) (await import("../market/install.ts")).uninstall(home, key, projectOf(key));
  // Without the one, the other would hold.
  else for (const one of [hook.key, hook.realPath]) if (grants.has(one)) writeGrant(path, one, undefined);
  const sentence = isInstalled
    ? `${id} is removed: hosts that start from now on do not have it`
    : stays
      ? `what was granted to ${id} is gone; the hook stays${more.length > 0 ? `, with more of ${more.join(", ")}` : ""}: to be rid of it, delete ${hook.realPath}, or take out the setting that names it`
      : `what was granted to ${id} is gone: a host that names it runs it with the powers that a hook begins with`;
  printResult(flags, sentence, { id: isInstalled ? hook.id : key, removed: true });
}
