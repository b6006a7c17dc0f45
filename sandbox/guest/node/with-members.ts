/** A module's default export with members of our own. Its getters stay getters: they make what is large when it is read. */
export const withMembers = (base: object, own: object): object =>
  Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(base), ...Object.getOwnPropertyDescriptors(own) });
