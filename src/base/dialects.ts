import type { DialectName } from "../../sandbox/wire/messages.ts";

/** Modules that only hooks of one dialect import. */
const MODULES: readonly [specifiers: RegExp, dialect: DialectName][] = [
  [/^cordon\/interceptors$|^(\.\.\/)+interceptors\//, "interceptors"],
  [/^openclaw(\/|$)/, "openclaw"],
  [/^@strands-agents\/sdk$/, "strands"],
  [/^cordon\/hooks$|\/pi-(coding-agent|ai|tui)(\/|$)/, "pi"],
];

/**
 * The dialect that a hook's manifest names, or that the modules it imports belong to; empty where nothing says it, or
 * several do: then what it exports decides. (Types vanish before anybody sees that they were imported.)
 */
export function namedDialect(named: DialectName | undefined, imports: readonly string[]): DialectName | "" {
  if (named) return named;
  const found = MODULES.filter(([specifiers]) => imports.some((specifier) => specifiers.test(specifier)));
  return found.length === 1 && found[0] ? found[0][1] : "";
}
