import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LONG } from "./support/length.ts";
import LongestFirst from "./support/longest-first.ts";

/**
 * Suites that take long, which `npm run test:long` has: those of the marketplace that start a command for each step, tables
 * of powers that are gone through once more, beside Node and as on other systems, races, and tables whose every row is a
 * wait or a build. Other large tables are {@link sampled}.
 */
const LONG_SUITES = [
  "market/{hostile,inner-package,journey,linked-home,pinned-,power-loss,publishing,real-packages}*.test.ts",
  "market/{registry-,two-at-once,updated-meanwhile}*.test.ts",
  "powers/{fs-behaviour,fs-elsewhere,fs-large-reads,fs-races,fs-sizes,own-files-gaps}.test.ts",
  "powers/{net-attacks-answers,net-attacks-requests}.test.ts",
  "powers/{provider-answers,typing}.test.ts",
  "bundle/impossible-builtins.test.ts",
  "cli/{adopt,completion,doctor-layers,main-screens,trace,trace-gaps,trace-offers,trace-source,trace-varied}.test.ts",
  "dialects/{fold-properties,pi-tools}.test.ts",
  "command-agents/openclaw-closed.test.ts",
  "differential/{examples,file-trigger}.test.ts",
  "docs/json-output.test.ts",
  "guest/conversions-memory.test.ts",
  "host/many-hooks.test.ts",
];

/** Suites that need a process of their own. The others share one for each worker, with the modules that they load. */
const ALONE = [
  // pi's libraries keep the colours that they found when they were loaded.
  "dialects/{pi-agent-helpers,pi-components,pi-helpers}.test.ts",
  // They count processes and descriptors, those of suites before them too.
  "bundle/{builder,one-process}.test.ts",
  "failure/{chaos,descriptors}.test.ts",
  // They measure this process's memory.
  "failure/host-floods.test.ts",
  "guest/zlib-bombs.test.ts",
  "powers/net-socket-limits.test.ts",
  // They load modules as on another system, which suites after them would get.
  "powers/{fs-elsewhere,fs-windows-names}.test.ts",
  // Its hooks are trusted with this process.
  "host/trusted.test.ts",
];

/** Suites with real agents, which are fetched from a registry. `npm run test:agents` and `npm run test:long` have them. */
const AGENT_SUITES = "agents/**/*.test.ts";
const AGENTS = process.env.CORDON_TESTS === "agents";

// `npm install` into a folder that has packages already may give the bin to the oldest Node; `npm ci` does not.
if (Number.parseInt(process.versions.node, 10) < 26)
  throw new Error(`the tests run on Node 26, and not on ${process.version}; run: npm ci`);

const NONE = ["**/node_modules/**"];
const EXCLUDED = LONG ? NONE : [...NONE, ...LONG_SUITES, AGENT_SUITES];

const suites = (name: string, options: { include: string[]; exclude: string[]; isolate: boolean }) => ({
  extends: true as const,
  test: { name, ...options, provide: { alone: options.isolate } },
});

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
    // pi's own runner of hooks leaves a timer behind for each handler that did not answer, which rejects for nobody.
    onUnhandledError: ({ message, stack }) =>
      !(message.startsWith("Hook timed out") && stack?.includes("pi-coding-agent/dist/core/hooks/runner.js")),
    projects: AGENTS
      ? [suites("agents", { include: [AGENT_SUITES], exclude: NONE, isolate: true })]
      : [
          suites("alone", { include: ALONE, exclude: EXCLUDED, isolate: true }),
          suites("shared", { include: ["**/*.test.ts"], exclude: [...EXCLUDED, ...ALONE], isolate: false }),
        ],
    reporters: ["default", join(import.meta.dirname, "support", "skipped.ts")],
    pool: "forks",
    // Node forks: to start a process takes 0.06 ms for each MB of the one that starts it.
    execArgv: ["--max-semi-space-size=1"],
    setupFiles: [join(import.meta.dirname, "support", "own-process.ts")],
    sequence: { sequencer: LongestFirst },
    // Some wait for processes and timers: one more runs than there are cores. With two more, a slow machine had six to eight
    // programs waiting for a core all the time, and limits of time ended hooks that did nothing.
    maxWorkers: 3,
    maxConcurrency: 3,
    // Commands, sandboxes and real agents start in them, on slow machines too.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What failed once on another machine is all that is known of it.
    chaiConfig: { truncateThreshold: 1000 },
    // One that comes true ends at once: a slow machine needs the time, a quick one does not.
    expect: { poll: { timeout: 20_000 } },
  },
});
