import { type Capabilities, withMore } from "../grants/schema.ts";

/**
 * A proposal with what the hook's source names of pi's API and no sample tried. Says what was added. A right over tools stays
 * as it was tried: a source says less well of which tools it speaks.
 */
export function withWritten(
  tried: Capabilities,
  written: Capabilities,
): { capabilities: Capabilities; added: readonly string[] } {
  const { events, ...names } = written;
  const rights = Object.entries(events ?? {}).filter(
    ([right]) => right !== "see" && !Object.hasOwn(tried.events ?? {}, right),
  );
  const added = rights.map(([right]) => `events.${right}`);
  let capabilities =
    rights.length === 0 ? tried : withMore(tried, "events", { see: [], ...Object.fromEntries(rights) });
  for (const [power, grant] of Object.entries(names)) {
    const more = withMore(capabilities, power, grant);
    const before = new Map(Object.entries(capabilities)).get(power);
    if (JSON.stringify(new Map(Object.entries(more)).get(power)) === JSON.stringify(before)) continue;
    const known: readonly unknown[] = Array.isArray(before) ? before : [];
    const fresh = Array.isArray(grant) ? grant.filter((name) => !known.includes(name)) : [];
    added.push(fresh.length === 0 ? power : `${power} ${fresh.join(" ")}`);
    capabilities = more;
  }
  return { capabilities, added };
}
