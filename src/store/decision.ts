import { type AuditFact, DECISION } from "../audit/line.ts";
import { acceptedPowers } from "../grants/chosen.ts";
import { type GrantEntry, granted } from "../grants/grant.ts";
import { limitsOf } from "../grants/limits.ts";
import { type Asks, type Capabilities, powersOf } from "../grants/schema.ts";
import { shownPowers } from "../grants/shown-power.ts";
import { idIn, type LockEntry, projectOf } from "./hooks-lock.ts";

/** How a person took in a hook, or a version of one. */
export type Taken = "added" | "accepted" | "adopted" | "updated";

/** What the user's files say about a hook. */
export interface Standing {
  entry?: GrantEntry | undefined;
  /** Set if it is installed. */
  installed?: LockEntry | undefined;
}

/** Outcomes of decisions that give a hook more, or let it run again. */
const WIDER: ReadonlySet<string> = new Set(["added", "accepted", "adopted", "updated", "granted", "enabled"]);

export const isWider = ({ outcome }: AuditFact): boolean => WIDER.has(outcome);

/**
 * What a person decided about a hook, as lines of the audit: what its entries say before and after. What is no decision, such as the
 * record of a build, makes none.
 *
 * @param key its name in the user's lock and grants
 * @param taken what was done, if the person took in the hook or a version of it
 */
export function decisionFacts(key: string, before: Standing, after: Standing, taken?: Taken): AuditFact[] {
  const project = projectOf(key);
  const digest = after.entry?.digest ?? after.installed?.digest ?? before.entry?.digest ?? before.installed?.digest;
  const about = {
    hook: idIn(key, project) ?? key,
    ...(digest === undefined ? {} : { digest }),
    event: DECISION,
  };
  const line = (outcome: string, value?: string, capability?: string): AuditFact => ({
    ...about,
    ...(capability === undefined ? {} : { capability }),
    ...(value === undefined ? {} : { value }),
    outcome,
  });
  const isGone = (before.installed ?? before.entry) !== undefined && (after.installed ?? after.entry) === undefined;
  if (isGone) return [line("removed", versionOf(before.installed))];
  const { had, kept, has, isVoid } = powersIn(before, after, taken);
  const given = minus(has, kept).map(({ power, text }) => line("granted", text, power));
  // What went with the files that it was granted for, nobody took away.
  const how = isVoid && taken === undefined ? "lost" : "revoked";
  const revoked = minus(had, has).map(({ power, text }) => line(how, text, power));
  const isRevoked = after.entry?.revokedAt !== before.entry?.revokedAt && revoked.length === 0;
  return [
    ...(taken === undefined ? [] : [line(taken, versionOf(after.installed, before.installed))]),
    ...given,
    ...revoked,
    ...(isRevoked ? [line("revoked", "what running sessions allowed")] : []),
    // It may have a secret.
    ...(JSON.stringify(after.entry?.config) === JSON.stringify(before.entry?.config) ? [] : [line("configured")]),
    ...placesLeft(after, before).map((place) => line("disabled", place)),
    ...placesLeft(before, after).map((place) => line("enabled", place)),
  ];
}

/** `npm:some-hook 1.1.0, after 1.0.0` */
function versionOf(now: LockEntry | undefined, before?: LockEntry): string | undefined {
  if (!now) return undefined;
  return `${now.source} ${now.version}${before ? `, after ${before.version}` : ""}`;
}

/**
 * The powers before and after. `kept`: what of those before may count after. What was granted to other bytes does not, but at an
 * update it is taken over.
 */
function powersIn(
  before: Standing,
  after: Standing,
  taken: Taken | undefined,
): Record<"had" | "kept" | "has", Asks> & { isVoid: boolean } {
  const isAccepted = taken !== undefined || after.installed !== undefined;
  const [was, is] = [before.entry, after.entry];
  const isVoid = taken !== "updated" && was?.digest !== undefined && is?.digest !== was.digest;
  // That it hears and blocks as it asked to is what taking it in means.
  const whole = (one: GrantEntry | undefined, other: GrantEntry | undefined): Asks => ({
    ...(isAccepted ? acceptedPowers(other?.capabilities, one?.capabilities) : granted(one?.capabilities)),
    ...(one?.limits ? { limits: one.limits } : {}),
  });
  return { had: whole(was, is), kept: whole(isVoid ? undefined : was, is), has: whole(is, was), isVoid };
}

/** The parts of the first that the second does not have. */
function minus({ limits, ...powers }: Asks, { limits: otherLimits, ...others }: Asks) {
  const more = limitsOf.minus(limits, otherLimits);
  return shownPowers({ ...powersOf.minus(powers, others), ...(more ? { limits: more } : {}) } as Capabilities);
}

/** Where a person disabled it, and did not in the second. */
function placesLeft({ entry: one }: Standing, { entry: other }: Standing): string[] {
  const placesOf = (entry: GrantEntry | undefined): readonly string[] =>
    entry?.disabled === true ? ["in all projects"] : (entry?.disabled ?? []);
  const known = placesOf(other);
  return placesOf(one).filter((place) => !known.includes(place));
}
