import { acceptedPowers } from "./chosen.ts";
import { defaultCapabilities } from "./grant.ts";
import type { Manifest } from "./manifest.ts";
import { type Capabilities, powersOf } from "./schema.ts";

/**
 * The powers that a newer version of a hook keeps: those granted powers that it still asks for, at once or later, and those
 * that every hook gets. A hook without a manifest asks for nothing in advance, and keeps all that a person granted.
 */
export function stillAsked(
  powers: Capabilities,
  manifest: Pick<Manifest, "capabilities" | "optional"> | undefined,
): Capabilities {
  if (!manifest) return powers;
  const asks = powersOf.union(manifest.capabilities, manifest.optional);
  const usual = manifest.capabilities ? acceptedPowers(manifest.capabilities, undefined) : defaultCapabilities();
  const left = powersOf.meet(powers, powersOf.union(usual, asks)) ?? {};
  // An entry without `events` would give the default rights to hear and decide.
  return powers.events ? { ...left, events: left.events ?? { see: [] } } : left;
}
