import type { Capabilities } from "./schema.ts";

type Plain = Record<string, unknown>;

const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const has = (list: unknown, item: unknown): boolean =>
  Array.isArray(list) && list.some((one) => JSON.stringify(one) === JSON.stringify(item));

/**
 * What is left of a hook's powers when its entry, which was `before`, is `now`: each part that stood in the entry and does
 * not any more is gone, and nothing is added. What makes a hook a guard stays: a file that an agent can delete must not
 * take a gate away.
 */
export function subtract(powers: Capabilities, before: Capabilities, now: Capabilities): Capabilities {
  const left = reduce(powers as Plain, before as Plain, now as Plain) as Capabilities;
  if (!powers.events) return left;
  const { see, block, guardResult } = powers.events;
  const guarding = { see, ...(block === undefined ? {} : { block }), ...(guardResult ? { guardResult } : {}) };
  return { ...left, events: { ...left.events, ...guarding } };
}

function reduce(current: Plain, before: Plain, now: Plain): Plain {
  const left: Plain = {};
  for (const [name, value] of Object.entries(current)) {
    const [old, next] = [before[name], now[name]];
    const kept = part(value, old, next);
    if (kept !== undefined) left[name] = kept;
  }
  return left;
}

function part(value: unknown, old: unknown, next: unknown): unknown {
  // It was never the entry's: a person allowed it for this session.
  if (old === undefined) return value;
  if (Array.isArray(value)) {
    if (has(old, "*") && !has(next, "*")) return Array.isArray(next) ? next : [];
    return value.filter((item) => !has(old, item) || has(next, item));
  }
  if (isPlain(value) && isPlain(old))
    return next === undefined ? undefined : reduce(value, old, isPlain(next) ? next : {});
  if (value === true) return next === true ? true : undefined;
  return next;
}
