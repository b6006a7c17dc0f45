/** Whether a value of JSON is nested deeper than this. Whoever goes through it all could run out of stack. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));
