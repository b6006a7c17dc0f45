import { resolve } from "node:path";
import { realPathOf } from "../discover/paths.ts";
import { dangersOf } from "../grants/dangers.ts";
import { checkGrant, defaultCapabilities } from "../grants/grant.ts";
import { changeGrant, grantsPath, readGrants, writeGrant } from "../grants/grants-file.ts";
import { findManifest } from "../grants/manifest.ts";
import type { Capabilities } from "../grants/schema.ts";
import { refuseUnreviewable, shownPower } from "../grants/shown-power.ts";
import { defaultHome } from "../home.ts";
import { HookHost, type HookInfo } from "../host.ts";
import { lockPath, projectKey, projectOf, readLock } from "../market/hooks-lock.ts";
import { uninstall } from "../market/install.ts";
import { proposedIn } from "../market/installed.ts";
import { askWhether } from "./ask.ts";
import { Refused, UsageError } from "./common.ts";
import { print, printJson } from "./print.ts";
import { controllingTerminal } from "./terminal.ts";

interface Flags {
  cwd?: string;
  json?: boolean;
}

/**
 * `cordon grant ID CAP [VALUE]`: gives a hook one power, as its manifest asks for it or as `value` says, which is JSON. A
 * person confirms on a terminal.
 */
export async function grant(id: string, power: string, value: string | undefined, flags: Flags): Promise<void> {
  const home = defaultHome();
  const hook = await find(id, flags, home);
  if (hook.key !== undefined && hook.state === "pending")
    throw new Refused(`${id} is this project's and was never accepted; run: cordon accept`);
  const { manifest } = findManifest(hook.path.startsWith("/") ? hook.path : hook.id);
  const asked = { ...manifest?.optional, ...manifest?.capabilities } as Record<string, unknown>;
  if (value !== undefined) asked[power] = valueGiven(power, value);
  if (!Object.hasOwn(asked, power)) {
    throw new Refused(
      `${id} asks for no ${power} in a manifest that could be granted: say what, as JSON, as in cordon grant ${id} fs '{"read":["$CWD/**"]}'; cordon trace proposes it`,
    );
  }
  const key = hook.key ?? hook.id;
  const path = grantsPath(home);
  const before = readGrants(path, false).get(key);
  const capabilities = { ...(before?.capabilities ?? defaultCapabilities()), [power]: asked[power] } as Capabilities;
  refuseUnreviewable([{ [power]: asked[power] }], `${power} for ${id}`, "BAD_GRANT");
  const dangers = dangersOf(power, asked[power], capabilities).map((danger) => `, and ${danger}`);
  await sure(`Grant ${id} this: ${power} ${shownPower(power, asked[power])}${dangers.join("")}?`);
  // Of a changed hook it is the accepted version that is granted more: the other one waits to be accepted.
  const digest = hook.state === "changed" ? hook.digest : (hook.offered ?? hook.digest);
  const at = { grantedAt: new Date().toISOString(), by: "user" };
  writeGrant(path, key, { ...before, ...(digest ? { digest } : {}), capabilities, ...at });
  tell(flags, `granted ${power} to ${id}: running hosts have it when they start again`, {
    id: hook.id,
    granted: power,
  });
}

function valueGiven(power: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${text} is no JSON: a ${power} power looks like what cordon trace prints`);
  }
  checkGrant({ capabilities: { [power]: value } }, `grant ${power}`);
  return value;
}

/** `cordon revoke ID [CAP]`: takes one power from a hook, or all but what it hears and decides. Needs no person. */
export function revoke(id: string, power: string | undefined, flags: Flags): void {
  const path = grantsPath(defaultHome());
  const key = namesOf(id, flags).find((name) => readGrants(path, false).has(name));
  const entry = key === undefined ? undefined : readGrants(path, false).get(key);
  if (key === undefined || !entry) throw new Refused(`${id} has no entry in ${path}: nothing was granted to it`);
  const { events, ...powers } = entry.capabilities ?? {};
  if (power !== undefined && !Object.hasOwn(entry.capabilities ?? {}, power))
    throw new Refused(
      `${id} was not granted ${power}; it has: ${Object.keys(entry.capabilities ?? {}).join(", ") || "nothing"}`,
    );
  changeGrant(path, key, (now) => {
    const left = { ...now?.capabilities };
    for (const name of power === undefined ? Object.keys(powers) : [power]) delete left[name as keyof Capabilities];
    return { ...now, capabilities: left };
  });
  const what = power ?? (Object.keys(powers).join(", ") || "nothing");
  tell(flags, `revoked ${what} from ${key}: running hosts take it from the hook at its next event`, {
    id: key,
    revoked: what,
  });
}

/** `cordon remove ID`: takes out an installed hook, or a hook's entry in the grants; a project's hook is inactive then. */
export async function remove(id: string, flags: Flags): Promise<void> {
  const home = defaultHome();
  const path = grantsPath(home);
  const project = realPathOf(resolve(flags.cwd ?? "."));
  const installed = namesOf(id, flags).find((name) => readLock(lockPath(home)).has(name));
  const proposed = proposedIn(project, home).proposed.has(id);
  if (installed !== undefined || proposed) {
    await sure(`Take out ${id}, with what was granted to it?`);
    const key = installed ?? projectKey(project, id);
    uninstall(home, key, projectOf(key));
    tell(flags, `${id} is taken out: hosts that start from now on do not have it`, { id, removed: true });
    return;
  }
  const key = namesOf(id, flags).find((name) => readGrants(path, false).has(name));
  if (key === undefined) {
    throw new Refused(`${id} has no entry in ${path}: a hook of your own goes when you delete its file or its setting`);
  }
  await sure(`Take out ${key}, with what was granted to it?`);
  writeGrant(path, key, undefined);
  tell(flags, `${key} is taken out: hosts that start from now on do not have it`, { id: key, removed: true });
}

/** What a hook may be called in the user's grants: its id, that of a hook of this project, or its file. */
const namesOf = (id: string, { cwd = "." }: Flags): string[] => [
  id,
  projectKey(realPathOf(resolve(cwd)), id),
  resolve(id),
];

async function find(id: string, flags: Flags, home: string): Promise<HookInfo> {
  const host = await HookHost.start({ cwd: resolve(flags.cwd ?? "."), home, spare: false, log: () => {} });
  await host.close();
  const hook = host.hooks.find((one) => one.id === id || one.path === id || one.id === resolve(id));
  if (!hook)
    throw new Refused(`no hook here has the id ${id}; found: ${host.hooks.map((one) => one.id).join(", ") || "none"}`);
  return hook;
}

async function sure(message: string): Promise<void> {
  const terminal = controllingTerminal();
  if (!terminal) throw new Refused("this needs a terminal with a person at it");
  try {
    if (!(await askWhether(message, terminal))) throw new Refused("left as it was");
  } finally {
    terminal.close();
  }
}

function tell(flags: Flags, text: string, value: object): void {
  if (flags.json) printJson(value);
  else print`${text}`;
}
