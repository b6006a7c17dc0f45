import { readJson } from "../../../sandbox/wire/read-json.ts";
/** True if a value says in JSON what it says here. Properties that are undefined are left out there, and are no difference. */
export function isExact(value: unknown): boolean {
  return isSame(value, readJson(JSON.stringify(value) ?? "null"));
}

/** True if two values are the same in JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [mine, others] = [defined(one), defined(other)];
  return (
    mine.length === others.length &&
    mine.every(([name, value]) => Object.hasOwn(other, name) && isSame(value, other[name as keyof typeof other]))
  );
}

const defined = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, one]) => one !== undefined || Array.isArray(value));
