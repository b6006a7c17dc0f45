import type { DialectName } from "../../sandbox/wire/messages.ts";

/** Modules that only hooks of one dialect import. */
const MODULES: readonly [specifiers: RegExp, dialect: DialectName][] = [
  [/^cordon\/interceptors$|^(\.\.\/)+interceptors\//, "interceptors"],
  [/^openclaw(\/|$)/, "openclaw"],
  [/^@strands-agents\/sdk$/, "strands"],
  [/^cordon\/hooks$|\/pi-(coding-agent|ai|tui)(\/|$)/, "pi"],
];

/**
 * The dialect that a hook's manifest names, or that its imports belong to. Empty if there is no answer, or more than one:
 * then the hook's exports decide. (Imports of types alone vanish in the build.)
 */
export function namedDialect(named: DialectName | undefined, imports: readonly string[]): DialectName | "" {
  if (named) return named;
  const found = MODULES.filter(([specifiers]) => imports.some((specifier) => specifiers.test(specifier)));
  return found.length === 1 && found[0] ? found[0][1] : "";
}
