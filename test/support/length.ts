/** True for all suites at their full length (`npm run test:long`), false for the part that every change must pass in minutes. */
export const LONG = process.env.CORDON_TESTS === "long";

/** For a table whose rows each take about a second: all rows at full length, otherwise every nth row, starting with the first. */
export const sampled = <Row>(rows: readonly Row[], every = 4): readonly Row[] =>
  LONG ? rows : rows.filter((_row, at) => at % every === 0);
