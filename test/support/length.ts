/** All suites at their full length (`npm run test:long`), or as much of them as every change has to pass in minutes. */
export const LONG = process.env.CORDON_TESTS === "long";
