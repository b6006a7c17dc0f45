/** An import of a whole module, or an export of all its names. */
const NAMESPACE = /\*\s*(?:as\s+([\w$]+)\s*)?from\s*["']([^"']+)["']/g;

/**
 * The members of modules that a source uses as `namespace.member`. A namespace that is used in any other way, as far as a search
 * for its name can tell, is one of which every member (`*`) is used.
 */
export function namespaceMembers(source: string): [specifier: string, member: string][] {
  return [...source.matchAll(NAMESPACE)].flatMap(([statement, name, specifier = ""]): [string, string][] => {
    if (name === undefined) return [[specifier, "*"]];
    const rest = source.replace(statement, "");
    const uses = [
      ...rest.matchAll(new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$&")}(?![\\w$])(?:\\.([\\w$]+))?`, "g")),
    ];
    return uses.map(([, member = "*"]) => [specifier, member]);
  });
}
