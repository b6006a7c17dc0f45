/**
 * Modules of which `require` gives one function, class or object with the others as its members. Libraries call the functions, and
 * put their own members into the objects, as `graceful-fs` does.
 */
export const isWhole = (specifier: string): boolean =>
  /^(node:)?(assert(\/strict)?|child_process|crypto|events|fs|https?|stream)$/.test(specifier);

/** What `require` gives for such a module. A namespace, whose members nobody may set, is copied. */
export const wholeOf = (
  path: string,
): string => `const { default: found, ...others } = require(${JSON.stringify(path)});
const whole = typeof found === "function" ? found : { ...found };
for (const [name, value] of Object.entries(others)) if (!Object.hasOwn(whole, name)) whole[name] = value;
module.exports = whole;`;
