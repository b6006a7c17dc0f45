import { defineConfig } from "vitest/config";

/** Suites of the marketplace that start a command for each step: minutes, which `npm run test:market` takes. */
const LONG = ["market/{hostile,journey,power-loss,registry-,two-at-once}*.test.ts"];

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: process.env.CORDON_TESTS === "market" ? ["market/*.test.ts"] : ["**/*.test.ts"],
    exclude: process.env.CORDON_TESTS === "market" ? [] : ["**/node_modules/**", ...LONG],
    pool: "forks",
    // Most of them wait for processes and timers: more run at once than there are cores.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
