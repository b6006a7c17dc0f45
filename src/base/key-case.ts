/** A key as a parser sees it that ignores case, as that of Go does. */
const folded = (key: string): string => key.toUpperCase().toLowerCase();

/** Two keys of an object that such a parser takes for one. */
export function twinKeys(value: object): [string, string] | undefined {
  const known = new Map<string, string>();
  for (const key of Object.keys(value)) {
    const twin = known.get(folded(key));
    if (twin !== undefined) return [twin, key];
    known.set(folded(key), key);
  }
  return undefined;
}

/** A key that such a parser takes for one of these names, and others do not. */
export function nearKey(value: object, names: readonly string[]): string | undefined {
  const known = new Set(names.map(folded));
  return Object.keys(value).find((key) => known.has(folded(key)) && !names.includes(key));
}

/** The same, of an object or of any within it. */
export function nearKeyWithin(value: unknown, names: readonly string[]): string | undefined {
  const rest = [value];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (typeof one !== "object" || one === null) continue;
    const near = nearKey(one, names);
    if (near !== undefined) return near;
    rest.push(...Object.values(one).filter((member) => typeof member === "object"));
  }
  return undefined;
}
