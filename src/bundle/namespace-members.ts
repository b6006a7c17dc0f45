/** An import of a whole module, or an export of all its names. */
const NAMESPACE = /\*\s*(?:as\s+([\w$]+)\s*)?from\s*["']([^"']+)["']/g;

/** Names in braces: of an import, an export, or an export from elsewhere. */
const NAMED = /\b(import|export)\s+(?:[\w$]+\s*,\s*)?\{([^}]*)\}(?:\s*from\s*["']([^"']+)["'])?/g;

/**
 * The names that a source of TypeScript imports and exports again. It could mean types, and so esbuild says nothing of those
 * that a module lacks.
 */
export function exportedAgain(source: string): [specifier: string, member: string][] {
  const imported = new Map<string, [specifier: string, member: string]>();
  const found: [specifier: string, member: string][] = [];
  const statements = [...source.matchAll(NAMED)].map(([, kind, list = "", specifier]) => {
    const names = list.split(",").flatMap((one): [name: string, local: string][] => {
      const [, name, local = name] = /^\s*(?:\/\/.*\n\s*)*([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(one) ?? [];
      return name === undefined || local === undefined ? [] : [[name, local]];
    });
    return { kind, names, specifier };
  });
  for (const { kind, names, specifier } of statements)
    if (specifier !== undefined)
      for (const [name, local] of names)
        if (kind === "import") imported.set(local, [specifier, name]);
        else found.push([specifier, name]);
  for (const { kind, names, specifier } of statements)
    if (kind === "export" && specifier === undefined)
      for (const [name] of names) {
        const from = imported.get(name);
        if (from) found.push(from);
      }
  return found;
}

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
