import { defineConfig } from "vitest/config";
import { LONG } from "./support/length.ts";

/** Suites of the marketplace that start a command for each step: minutes, which `npm run test:long` takes. */
const MINUTES = ["market/{hostile,journey,power-loss,real-packages,registry-,two-at-once}*.test.ts"];

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", ...(LONG ? [] : MINUTES)],
    pool: "forks",
    // Most of them wait for processes and timers: more run at once than there are cores.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
