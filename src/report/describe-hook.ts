import { acceptedPowers } from "../grants/chosen.ts";
import { dangersOf } from "../grants/dangers.ts";
import { type GrantEntry, granted } from "../grants/grant.ts";
import { widerLimits } from "../grants/limits.ts";
import { type Policy, takenBy } from "../grants/policy.ts";
import type { Asks, Capabilities } from "../grants/schema.ts";
import { shownByName, shownPowers } from "../grants/shown-power.ts";
import { staleOf } from "../grants/stale-grant.ts";
import { mayBlock, sees } from "../powers/events.ts";
import type { Origin } from "../session/hook.ts";
import type { Candidate } from "../session/required.ts";
import { entriesOf } from "./entry-uses.ts";
import type { PowerState, ReportedHook } from "./hook.ts";
import type { Recorded } from "./record.ts";
import { refusalOf } from "./refusal.ts";

/** A hook that a session would find, or that only the grants name (without `origin`). */
export interface FoundHook {
  name: string;
  id: string;
  key: string;
  path: string;
  origin: Origin | undefined;
  grant: GrantEntry | undefined;
}

const ORIGINS = { option: "named", file: "named", user: "own folder", settings: "settings", project: "project" };

/** What is known of a hook, and what the record says about it. */
export function describeHook(
  found: FoundHook,
  recorded: Recorded | undefined,
  { isShared, policies }: { isShared: boolean; policies: readonly Policy[] },
): ReportedHook {
  const { name, id, key, origin } = found;
  // The newest line about it is of other files than its grant: that one is void.
  const isVoid = isOwn(origin) && !isShared && isOther(found.grant?.digest, recorded?.digest);
  const stale = isVoid ? staleOf(found.grant) : [];
  const { digest: _digest, capabilities: _void, limits: _limits, ...rest } = found.grant ?? {};
  const grant: GrantEntry | undefined = isVoid ? rest : found.grant;
  const limits = widerLimits(grant?.limits);
  const has: Asks = {
    ...heldPowers({ origin, grant }),
    ...(limits ? { limits } : {}),
  };
  const asked: Asks = origin?.kind === "installed" ? origin.entry.requested : {};
  const decided = new Set([...Object.keys(grant?.capabilities ?? {}), "limits"]);
  return {
    name,
    id,
    ...(key === id ? {} : { key }),
    ...originOf(found, isShared ? undefined : recorded?.digest),
    ...(grant?.grantedAt === undefined ? {} : { grantedAt: grant.grantedAt }),
    state: stateOf(found, recorded),
    ...failureOf(recorded),
    ...(isShared ? { shared: true } : {}),
    ...(stale.length > 0 ? { stale } : {}),
    ...historyOf(recorded),
    powers: powerStates(has, asked, recorded, policies).map((power) =>
      power.granted === undefined || decided.has(power.power) ? power : { ...power, byDefault: true },
    ),
  };
}

const isOwn = (origin: Origin | undefined): boolean => origin?.kind === "user" || origin?.kind === "settings";

/** The powers that a hook has by its grant, or without one. */
function heldPowers({ origin, grant }: Pick<FoundHook, "origin" | "grant">): Capabilities {
  if (origin?.kind === "installed" && grant) return acceptedPowers(origin.entry.requested, grant.capabilities);
  return grant || isOwn(origin) ? granted(grant?.capabilities) : {};
}

/** What decides whether a hook may stand as one that a policy requires, as far as it is known without starting it. */
export function candidateOf(found: FoundHook, reported: ReportedHook | undefined): Candidate {
  const state = reported?.state ?? stateOf(found, undefined);
  const grant = reported?.stale ? undefined : found.grant;
  const capabilities = heldPowers({ origin: found.origin, grant });
  return {
    ...{ id: found.id, origin: found.origin, capabilities, reason: undefined },
    state: state === "pending" ? state : "active",
    disabled: state === "disabled",
    // One that fails or stopped blocks what it guards, and is a trouble of its own.
    judges:
      state !== "pending" &&
      state !== "disabled" &&
      sees(capabilities.events, "tool_call") &&
      mayBlock(capabilities.events),
  };
}

const isOther = (digest: string | undefined, other: string | undefined): boolean =>
  digest !== undefined && other !== undefined && digest !== other;

/** A hook that only the record knows: removed since, or named on a command line. */
export const recordedHook = (id: string, recorded: Recorded): ReportedHook => ({
  ...{ name: id, id, origin: "only in the audit log", state: "recorded" },
  ...(recorded.digest === undefined ? {} : { digest: recorded.digest }),
  ...historyOf(recorded),
  powers: powerStates({}, {}, recorded, []),
});

/** @param last its digest when it was last recorded */
function originOf(
  { origin, path, grant }: FoundHook,
  last: string | undefined,
): Pick<ReportedHook, "origin"> & Partial<ReportedHook> {
  const known = grant?.digest ?? last;
  const digest = known === undefined ? {} : { digest: known };
  if (origin === undefined) return { origin: "only in the grants", ...digest };
  if (origin.kind !== "installed") return { origin: ORIGINS[origin.kind], source: path, ...digest };
  const { source, version, provenance, publisher, builder, pending, digest: locked } = origin.entry;
  return {
    origin: origin.ofProject ? "installed for this project" : "installed",
    ...{ source, version, provenance, digest: locked },
    ...(publisher === undefined ? {} : { publisher }),
    ...(builder === undefined ? {} : { builder }),
    ...(pending === undefined ? {} : { pending }),
  };
}

function stateOf({ origin, grant }: FoundHook, recorded: Recorded | undefined): ReportedHook["state"] {
  if (grant?.disabled === true) return "disabled";
  if (origin === undefined) return "granted";
  const isOfProject = origin.kind === "installed" && origin.ofProject?.accepted === false;
  if ((origin.kind === "project" && grant === undefined) || isOfProject) return "pending";
  if (recorded?.history.stopped === "running") return "stopped";
  return recorded?.loaded?.outcome === "failed" ? "failed" : "active";
}

/** Why its latest load failed, if it did. */
function failureOf({ loaded }: Partial<Recorded> = {}): Pick<ReportedHook, "failure"> {
  if (loaded?.outcome !== "failed" || (loaded.value === undefined && loaded.policy === undefined)) return {};
  const { value, policy } = loaded;
  return {
    failure: { ...(value === undefined ? {} : { reason: value }), ...(policy === undefined ? {} : { policy }) },
  };
}

const historyOf = (
  recorded: Recorded | undefined,
): Pick<ReportedHook, "crashes" | "unsandboxed" | "counts" | "lastUse" | "lastBlock" | "decisions"> => ({
  crashes: recorded?.crashes ?? 0,
  unsandboxed: recorded?.unsandboxed ?? 0,
  counts: Object.fromEntries(recorded?.deeds ?? []),
  decisions: (recorded?.decisions ?? []).map(({ time, outcome, capability, value }) => ({
    ...{ time, outcome },
    ...(capability === undefined ? {} : { power: capability }),
    ...(value === undefined ? {} : { value }),
  })),
  ...(recorded?.history.lastUse === undefined ? {} : { lastUse: recorded.history.lastUse }),
  ...(recorded?.history.lastBlock === undefined ? {} : { lastBlock: recorded.history.lastBlock }),
});

/** The powers that a hook has, asked for or tried, the most dangerous grants first. */
function powerStates(
  has: Asks,
  asked: Asks,
  recorded: Recorded | undefined,
  policies: readonly Policy[],
): PowerState[] {
  const taken = new Map(Object.entries(shownByName(takenBy(policies, has))));
  const grants = shownPowers(has).map(({ power, text }) => ({
    ...{ power, granted: text },
    dangers: dangersOf(power, (has as Readonly<Record<string, unknown>>)[power], has),
  }));
  const names = new Set(grants.map(({ power }) => power));
  const open = shownPowers(asked)
    .filter(({ power }) => !names.has(power))
    .map(({ power, text }) => ({ ...{ power, asked: text }, dangers: [] }));
  for (const { power } of open) names.add(power);
  const tried = [...(recorded?.uses.keys() ?? [])].filter((power) => !names.has(power));
  return [...grants, ...open, ...tried.map((power) => ({ power, dangers: [] }))].map((one) => ({
    ...one,
    ...usedOf(one.power, recorded),
    refusals: [...(recorded?.uses.get(one.power)?.refusals.values() ?? [])]
      .map((refused) => refusalOf(one.power, refused, { has, asks: asked, policies }))
      .sort((a, b) => b.count - a.count),
    ...entriesOf(one.power, (has as Readonly<Record<string, unknown>>)[one.power], recorded?.entries.get(one.power)),
    ...(taken.has(one.power) ? { taken: taken.get(one.power) as string } : {}),
    ...(!("granted" in one) && forbids(policies, one.power) ? { forbidden: true as const } : {}),
  }));
}

const forbids = (policies: readonly Policy[], power: string): boolean =>
  power !== "events" && policies.some(({ maximum }) => maximum && !Object.hasOwn(maximum, power));

function usedOf(power: string, recorded: Recorded | undefined): Omit<PowerState, "power" | "dangers" | "refusals"> {
  const use = recorded?.uses.get(power);
  const lastUse = recorded?.lastUses.get(power);
  return {
    used: use?.used ?? 0,
    refused: use?.refused ?? 0,
    ...(lastUse === undefined ? {} : { lastUse }),
    ...(power === "limits" ? { unrecorded: true } : {}),
    operations: listOf(use?.operations),
  };
}

/** The most frequent first. */
export const listOf = (counts: ReadonlyMap<string, number> = new Map()): { name: string; count: number }[] =>
  [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
