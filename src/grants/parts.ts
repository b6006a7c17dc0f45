import type { Capabilities } from "./schema.ts";
import { shownPower } from "./shown-power.ts";

/** One entry of a grant, such as a pattern of paths or a command line, as a grant of its own. */
export interface Part {
  powers: Capabilities;
  /** In the form in which people see it. */
  text: string;
}

/** The entries of one power, in their order. What is no list is one entry. */
export function partsOf(power: string, grant: unknown): Part[] {
  const part = (value: unknown): Part => ({
    powers: { [power]: value } as Capabilities,
    text: shownPower(power, value),
  });
  if (grant === undefined) return [];
  if (Array.isArray(grant)) return grant.map((item) => part([item]));
  if (typeof grant !== "object" || grant === null) return [part(grant)];
  return Object.entries(grant).flatMap(([key, value]) =>
    Array.isArray(value) ? value.map((item) => part({ [key]: [item] })) : [part({ [key]: value })],
  );
}

/** Entries of one power as one grant again. */
function joined(power: string, parts: readonly Part[]): unknown {
  const grants = parts.map(({ powers }) => (powers as Readonly<Record<string, unknown>>)[power]);
  if (grants.every(Array.isArray)) return grants.flat();
  const sum: Record<string, unknown> = {};
  for (const grant of grants)
    for (const [key, value] of Object.entries(grant as object)) {
      const before = sum[key];
      sum[key] = Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value;
    }
  return sum;
}

/** Most entries of which several are looked for that cover something together: each costs one more check. */
const MAX_TOGETHER = 16;

/**
 * The least entries that cover something together, as one grant's text: one that does so alone, or else those without which the
 * others do not. `undefined` if that cannot be told.
 *
 * @param parts all entries of the power, which cover it together
 */
export function coveringText(
  power: string,
  parts: readonly Part[],
  covers: (powers: Capabilities) => boolean,
): string | undefined {
  const alone = parts.length === 1 ? parts[0] : parts.find(({ powers }) => covers(powers));
  if (alone || parts.length > MAX_TOGETHER) return alone?.text;
  const coverTogether = (some: readonly Part[]): boolean =>
    some.length > 0 && covers({ [power]: joined(power, some) } as Capabilities);
  const needed = parts.filter((one) => !coverTogether(parts.filter((other) => other !== one)));
  return coverTogether(needed) ? shownPower(power, joined(power, needed)) : undefined;
}
