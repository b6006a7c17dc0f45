/** All suites at their full length (`npm run test:long`), or as much of them as every change has to pass in minutes. */
export const LONG = process.env.CORDON_TESTS === "long";

/** Of a table whose rows each take about a second: all at full length, else one of so many, from the first on. */
export const sampled = <Row>(rows: readonly Row[], every = 4): readonly Row[] =>
  LONG ? rows : rows.filter((_row, at) => at % every === 0);
