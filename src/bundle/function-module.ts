/** Modules that are a function, or a class, with the others as its members: so `require` gives them. */
export const isFunction = (specifier: string): boolean => /^(node:)?(events|stream|assert(\/strict)?)$/.test(specifier);

/** What `require` gives for such a module. */
export const functionOf = (
  path: string,
): string => `const { default: whole, ...others } = require(${JSON.stringify(path)});
for (const [name, value] of Object.entries(others)) if (!Object.hasOwn(whole, name)) whole[name] = value;
module.exports = whole;`;
