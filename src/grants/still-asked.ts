import { defaultCapabilities } from "./grant.ts";
import type { Manifest } from "./manifest.ts";
import { type Capabilities, powersOf } from "./schema.ts";

/**
 * What a newer version of a hook keeps: of what was granted, the part that it asks for at once or when it needs it, or that
 * any hook gets. One without a manifest asks for nothing in advance, and keeps what a person allowed it.
 */
export function stillAsked(
  powers: Capabilities,
  manifest: Pick<Manifest, "capabilities" | "optional"> | undefined,
): Capabilities {
  if (!manifest) return powers;
  const asks = powersOf.union(manifest.capabilities, manifest.optional);
  const left = powersOf.meet(powers, powersOf.union(defaultCapabilities(), asks)) ?? {};
  // An entry without `events` would have all that hooks hear and decide by default.
  return powers.events ? { ...left, events: left.events ?? { see: [] } } : left;
}
