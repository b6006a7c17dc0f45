/** The lines that a `read` asks for, behind the name of its file: ":5-9", ":5", or nothing if it asks for all or for no number. */
export function formatReadLineRange(offset: unknown, limit: unknown): string {
  if ((offset ?? limit ?? null) === null) return "";
  const start = numberOf(offset ?? 1);
  if (start === undefined) return "";
  if ((limit ?? null) === null) return `:${start}`;
  const lines = numberOf(limit);
  if (lines === undefined) return "";
  const end = start + lines - 1;
  return end === 0 ? `:${start}` : `:${start}-${end}`;
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
