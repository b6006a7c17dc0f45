/**
 * How two grants of one kind relate. `undefined` is no grant at all. The laws hold for every kind, and tests prove them:
 * a grant covers itself; covering is transitive; a union covers both; what is left by `minus` and what is common by
 * `meet` are covered by where they come from; `minus` leaves nothing if, and only if, the other grant covers the one.
 */
export interface Algebra<Grant> {
  /** True only if `wide` allows whatever `narrow` allows. */
  covers(wide: Grant | undefined, narrow: Grant | undefined): boolean;
  /** Allows what either of them allows. */
  union(one: Grant | undefined, other: Grant | undefined): Grant | undefined;
  /** The parts of `one` that `other` does not cover, whole as they were granted. */
  minus(one: Grant | undefined, other: Grant | undefined): Grant | undefined;
  /** What both allow: a part of the one that the other covers stays as it is. */
  meet(one: Grant | undefined, other: Grant | undefined): Grant | undefined;
}

/** How two parts of a list relate. `meet` is for parts that overlap where neither covers the other. */
export interface Part<T> {
  covers(wide: T, narrow: T): boolean;
  meet?(one: T, other: T): T | undefined;
}

/** The algebra of lists. */
export interface ListAlgebra<T> extends Algebra<T[]> {
  /** The same as that it covers a list of this one part, without making one: events ask it again and again. */
  has(parts: readonly T[] | undefined, wanted: T): boolean;
}

/** A list whose parts each allow something. An empty list allows nothing. */
export function list<T>(part: Part<T>): ListAlgebra<T> {
  const hasOne = (parts: readonly T[], wanted: T): boolean => parts.some((one) => part.covers(one, wanted));
  const minus = (one: readonly T[] = [], other: readonly T[] = []): T[] => one.filter((item) => !hasOne(other, item));
  const union = (one: readonly T[] = [], other: readonly T[] = []): T[] => {
    const all = [...one];
    for (const item of other) if (!hasOne(all, item)) all.push(item);
    return all;
  };
  /** What `item` and a list have in common. */
  const within = (item: T, others: readonly T[]): T[] => {
    if (hasOne(others, item)) return [item];
    return others.flatMap((one) => (part.covers(item, one) ? [one] : (part.meet?.(item, one) ?? [])));
  };
  return {
    has: (parts, wanted) => parts !== undefined && hasOne(parts, wanted),
    covers: (wide, narrow) => minus(narrow, wide).length === 0,
    union: (one, other) => (one === undefined && other === undefined ? undefined : union(one, other)),
    minus: (one, other) => filled(minus(one, other)),
    meet: (one = [], other = []) => filled(one.reduce<T[]>((found, item) => union(found, within(item, other)), [])),
  };
}

const filled = <T>(parts: T[]): T[] | undefined => (parts.length > 0 ? parts : undefined);

/** Names that stand for themselves alone. */
export const names = <T extends string>(): ListAlgebra<T> => list<T>({ covers: (wide, narrow) => wide === narrow });

/** Names of which `*` stands for all. */
export const namesOrAll: ListAlgebra<string> = list({ covers: (wide, narrow) => wide === "*" || wide === narrow });

/** A right that is there or not. */
export const flag: Algebra<boolean> = {
  covers: (wide, narrow) => wide === true || narrow !== true,
  union: (one, other) => one === true || other === true || undefined,
  minus: (one, other) => (one === true && other !== true) || undefined,
  meet: (one, other) => (one === true && other === true) || undefined,
};

/** Grants of which one is always the wider. */
export const scale = <T>(isWithin: (narrow: T, wide: T) => boolean): Algebra<T> => {
  const covers = (wide: T | undefined, narrow: T | undefined): boolean =>
    narrow === undefined || (wide !== undefined && isWithin(narrow, wide));
  return {
    covers,
    union: (one, other) => (covers(one, other) ? one : other),
    minus: (one, other) => (covers(other, one) ? undefined : one),
    meet: (one, other) => (covers(one, other) ? other : one),
  };
};

type Fields<Grant> = { readonly [Name in keyof Grant]-?: Algebra<NonNullable<Grant[Name]>> };

/** Parts of several kinds, by name. A name of no known kind is covered by nothing, and nothing keeps it. */
export function record<Grant extends object>(fields: Fields<Grant>): Algebra<Grant> {
  type Any = Record<string, unknown>;
  const kinds = Object.entries(fields) as [string, Algebra<unknown>][];
  const part = (grant: Grant | undefined, name: string): unknown =>
    grant !== undefined && Object.hasOwn(grant, name) ? (grant as Any)[name] : undefined;
  const each = (operation: "union" | "minus" | "meet") => (one: Grant | undefined, other: Grant | undefined) => {
    const entries = kinds.flatMap(([name, kind]) => {
      const value = kind[operation](part(one, name), part(other, name));
      return value === undefined ? [] : [[name, value]];
    });
    return entries.length > 0 ? (Object.fromEntries(entries) as Grant) : undefined;
  };
  const isKnown = (name: string): boolean => Object.hasOwn(fields, name);
  return {
    covers: (wide, narrow) =>
      Object.keys(narrow ?? {}).every(isKnown) &&
      kinds.every(([name, kind]) => kind.covers(part(wide, name), part(narrow, name))),
    union: each("union"),
    minus: each("minus"),
    meet: each("meet"),
  };
}
