/** `1 call`, `2 calls`, `0 entries`. `shown`: the number as it is written. */
export const counted = (count: number, what: string, shown = String(count)): string =>
  `${shown} ${count === 1 ? what : `${what.replace(/(?<=[^aeiou])y$/, "ie")}s`}`;
