import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LONG } from "./support/length.ts";

/**
 * Suites that take long, which `npm run test:long` has: those of the marketplace that start a command for each step, tables
 * of powers that are gone through once more, beside Node and as on other systems, races, and tables whose every row is a
 * wait or a build. Other large tables are {@link sampled}.
 */
const LONG_SUITES = [
  "market/{hostile,journey,pinned-,power-loss,publishing,real-packages,registry-,two-at-once}*.test.ts",
  "powers/{fs-behaviour,fs-elsewhere,fs-races,fs-sizes,net-attacks-answers,net-attacks-requests,own-files-gaps}.test.ts",
  "bundle/impossible-builtins.test.ts",
  "cli/{doctor-layers,trace-gaps,trace-offers,trace-source}.test.ts",
  "dialects/pi-tools.test.ts",
  "differential/{examples,file-trigger}.test.ts",
  "docs/json-output.test.ts",
  "host/many-hooks.test.ts",
];

/** Suites with real agents, which are fetched from a registry. `npm run test:agents` and `npm run test:long` have them. */
const AGENT_SUITES = "agents/**/*.test.ts";
const AGENTS = process.env.CORDON_TESTS === "agents";

// `npm install` into a folder that has packages already may give the bin to the oldest Node; `npm ci` does not.
if (Number.parseInt(process.versions.node, 10) < 26)
  throw new Error(`the tests run on Node 26, and not on ${process.version}; run: npm ci`);

export default defineConfig({
  resolve: {
    alias: [
      // The example of a hook package names Cordon as its users do.
      { find: "cordon/testing", replacement: join(import.meta.dirname, "..", "dist", "src", "testing.js") },
      // The adapter finds the SDK where its users install it, and not in the folder of the tests.
      { find: /^@strands-agents\/sdk$/, replacement: fileURLToPath(import.meta.resolve("@strands-agents/sdk")) },
    ],
  },
  test: {
    root: import.meta.dirname,
    include: [AGENTS ? AGENT_SUITES : "**/*.test.ts"],
    exclude: ["**/node_modules/**", ...(LONG ? [] : LONG_SUITES), ...(LONG || AGENTS ? [] : [AGENT_SUITES])],
    reporters: ["default", join(import.meta.dirname, "support", "skipped.ts")],
    pool: "forks",
    // Most of them wait for processes and timers: more run at once than there are cores.
    maxWorkers: 4,
    maxConcurrency: 3,
    // A real agent, its tools and a sandbox start in each test of theirs.
    testTimeout: AGENTS || LONG ? 180_000 : 60_000,
    hookTimeout: 60_000,
  },
});
