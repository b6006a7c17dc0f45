/** What stands in a bundle for a function or class of an agent's package that no hook can have. */

const SUFFIX = "_is_not_offered_to_hooks";

/** V8 names it where code uses a member that it lacks. */
const stubName = (name: string): string => `${name.replace(/\W/g, "_")}${SUFFIX}`;

/** Between a stub and its static member, among the names that a bundle wants. */
const MEMBER = ".";

export const isStatic = (name: string): boolean => name.includes(MEMBER);

/**
 * The code of a stub, which throws `text` where it is called.
 *
 * @param names all that the bundle wants of its module: of a static member of this one, as `X.create`, a call throws the same
 */
export function stubOf(name: string, text: string, names: readonly string[]): string {
  const stub = stubName(name);
  const error = `new Error(${JSON.stringify(text)})`;
  const code = '{ code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM" }';
  const statics = names.flatMap((one) =>
    one.startsWith(name + MEMBER) ? `${stub}${MEMBER}${one.slice(name.length + 1)} = ${stub};` : [],
  );
  return `function ${stub}() { throw Object.assign(${error}, ${code}); }\nexport { ${stub} as ${name} };${statics.join("")}`;
}

/** A use of a stub. If two modules have one of the same name, esbuild puts a number after it. */
const USE = new RegExp(`\\b(function |new )?(\\w+${SUFFIX})\\d*(?:\\.([A-Za-z_]\\w*))?(\\()?`, "g");

/**
 * The static members that a bundle calls, as `X.create`, of the stubs among these names. It has those of a stub alone with which it
 * does nothing but call: other code may look whether there is such a member, and go on without it.
 */
export function staticsCalled(code: string, names: Iterable<string>): string[] {
  if (!code.includes(SUFFIX)) return [];
  const called = new Map<string, Set<string>>();
  const askedFor = new Set<string>();
  for (const [, before, stub = "", member, call] of code.matchAll(USE)) {
    const isCall = call !== undefined || (member === undefined && before !== undefined);
    // What all functions have, such as `hasOwnProperty`, asks for others.
    if (!isCall || (member !== undefined && member in Function.prototype)) askedFor.add(stub);
    else if (member !== undefined) called.set(stub, (called.get(stub) ?? new Set()).add(member));
  }
  return [...names].flatMap((name) => {
    const stub = stubName(name);
    return askedFor.has(stub) ? [] : [...(called.get(stub) ?? [])].map((member) => name + MEMBER + member);
  });
}
