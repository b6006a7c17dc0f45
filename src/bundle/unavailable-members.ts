/**
 * Members of pi's API that throw in a hook, as its sources write them. Each pattern looks a limited way ahead. A source can hide a
 * use: then it is found when the hook is rehearsed, or throws by name.
 */
const MEMBERS: readonly [owner: string, shown: string, names: readonly string[]][] = [
  ["modelRegistry", "ctx.modelRegistry", ["getProviderAuth", "registerProvider", "unregisterProvider", "classify"]],
];

/** The members of pi's API that no hook has, and that a source uses. */
export function unavailableIn(source: string): string[] {
  return MEMBERS.flatMap(([owner, shown, names]) => {
    const uses = source.matchAll(new RegExp(`\\b${owner}\\s{0,20}[?!]?\\.\\s{0,20}(${names.join("|")})\\b`, "g"));
    return [...new Set([...uses].map(([, name]) => `${shown}.${name}`))];
  });
}
