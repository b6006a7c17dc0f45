/** Formats a value for a log, on one line: at most `depth` levels, and 100 members on each. */
export function inspect(value: unknown, depth = 3): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[Function: ${value.name || "anonymous"}]`;
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Error) return `[${value.name}: ${value.message}]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return "Promise {}";
  if (depth < 0) return Array.isArray(value) ? "[Array]" : "[Object]";
  if (Array.isArray(value))
    return `[${list(
      value.slice(0, 100).map((item) => inspect(item, depth - 1)),
      value.length,
    )}]`;
  if (value instanceof Map) {
    return `Map(${value.size}) {${list(
      [...value].slice(0, 100).map(([k, v]) => `${inspect(k, depth - 1)} => ${inspect(v, depth - 1)}`),
      value.size,
    )}}`;
  }
  if (value instanceof Set)
    return `Set(${value.size}) {${list(
      [...value].slice(0, 100).map((v) => inspect(v, depth - 1)),
      value.size,
    )}}`;
  const members = Object.entries(value);
  const name = value.constructor?.name;
  const shown = members
    .slice(0, 100)
    .map(([key, member]) => `${/^[\w$]+$/.test(key) ? key : JSON.stringify(key)}: ${inspect(member, depth - 1)}`);
  return `${name && name !== "Object" ? `${name} ` : ""}{${list(shown, members.length)}}`;
}

function list(parts: string[], total: number): string {
  if (total === 0) return "";
  const more = total > parts.length ? [`… ${total - parts.length} more`] : [];
  return ` ${[...parts, ...more].join(", ")} `;
}
