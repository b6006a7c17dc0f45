/** What it means that a hook uses what no hook can have, for a person who decides about it. */
export function lackingText(lacks: readonly string[], hears: readonly string[]): string {
  const named = lacks.join(", ");
  return hears.includes("tool_call")
    ? `guards calls and uses ${named}, which is not available: it would block every call for which it does`
    : `uses ${named}, which is not available, and throws where it is used`;
}
