import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { revoke } from "../../src/cli/grant.ts";
import { changeGrant, readGrants } from "../../src/grants/grants-file.ts";
import type { Capabilities } from "../../src/grants/schema.ts";
import { stillAsked } from "../../src/grants/still-asked.ts";
import { type ConsentAnswer, HookHost } from "../../src/index.ts";
import { LONG } from "../support/length.ts";
import { onToolCall, scriptedUi, temporaryFolder, writeFiles } from "../support/session.ts";

/** Uses of powers, and with which of these grants each is covered. */
const USES = ["exec a", "exec b", "read a.txt", "read src/b.txt"] as const;
type Use = (typeof USES)[number];
const TRIES = onToolCall(`
  const { promises } = require("node:fs");
  const uses = {
    "exec a": () => ctx.exec("echo", ["a"]),
    "exec b": () => ctx.exec("echo", ["b"]),
    "read a.txt": () => promises.readFile("a.txt"),
    "read src/b.txt": () => promises.readFile("src/b.txt"),
  };
  const used = [];
  for (const name of event.input.uses) {
    try { await uses[name](); used.push(name); } catch (error) { if (error.code !== "NOT_GRANTED") used.push(name + ": " + error); }
  }
  console.log("USED " + JSON.stringify(used));
`);

const echo = (args: NonNullable<Capabilities["exec"]>[number]["args"]) => ({ program: "echo", args });
const EXEC: [NonNullable<Capabilities["exec"]>[number], Use[]][] = [
  [echo(["a"]), ["exec a"]],
  [echo(["b"]), ["exec b"]],
  [echo([{ kind: "enum", values: ["a", "b"] }]), ["exec a", "exec b"]],
];
const READ: [string, Use[]][] = [
  ["$CWD/a.txt", ["read a.txt"]],
  ["$CWD/src/**", ["read src/b.txt"]],
  ["$CWD/**", ["read a.txt", "read src/b.txt"]],
];
/** What the hook's question would grant. */
const PROPOSED: Record<Use, Use[]> = {
  "exec a": ["exec a"],
  "exec b": ["exec b"],
  "read a.txt": ["read a.txt", "read src/b.txt"],
  "read src/b.txt": ["read a.txt", "read src/b.txt"],
};

interface Powers {
  capabilities: Capabilities;
  covered: readonly Use[];
}
const powers: fc.Arbitrary<Powers> = fc.tuple(fc.subarray(EXEC), fc.subarray(READ)).map(([exec, read]) => ({
  capabilities: {
    events: { see: ["*"], block: true },
    ...(exec.length > 0 ? { exec: exec.map(([entry]) => entry) } : {}),
    ...(read.length > 0 ? { fs: { read: read.map(([pattern]) => pattern) } } : {}),
  },
  covered: [...exec, ...read].flatMap(([, uses]) => uses),
}));

type Step =
  | { do: "allow"; host: number; use: Use; answer: Exclude<ConsentAnswer, "deny"> }
  | { do: "revoke"; power: "exec" | "fs" | undefined }
  | { do: "edit"; powers: Powers | "gone" | "broken" }
  | { do: "update"; asks: Powers }
  | { do: "policy"; maximum: Powers | undefined }
  | { do: "restart" | "reload"; host: number };

const host = fc.constantFrom(0, 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("allow" as const),
      host,
      use: fc.constantFrom(...USES),
      answer: fc.constantFrom("once", "session", "always"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("revoke" as const), power: fc.constantFrom("exec", "fs", undefined) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("edit" as const),
      powers: fc.oneof({ weight: 5, arbitrary: powers }, fc.constantFrom("gone" as const, "broken" as const)),
    }),
  },
  fc.record({ do: fc.constant("update" as const), asks: powers }),
  fc.record({ do: fc.constant("policy" as const), maximum: fc.option(powers, { nil: undefined }) }),
  fc.record({ do: fc.constantFrom("restart" as const, "reload" as const), host }),
);

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

interface Running {
  host: HookHost;
  log: string[];
  /** As it started. */
  policy: ReadonlySet<Use> | undefined;
  decided: Set<Use>;
}

/** Two hosts of one home, and what was last decided about each use in each of them. */
class World {
  readonly folder = temporaryFolder();
  readonly home = join(this.folder, "home");
  readonly hook = join(this.folder, "hook.ts");
  readonly file = join(this.home, "grants.json");
  readonly #hosts: Running[] = [];
  #answer: ConsentAnswer = "deny";
  #policy: ReadonlySet<Use> | undefined;
  /** What the file grants. */
  #granted: ReadonlySet<Use> = new Set();

  async start(first: Powers): Promise<void> {
    mkdirSync(this.home);
    writeFiles(this.folder, { "hook.ts": TRIES, "work/a.txt": "A", "work/src/b.txt": "B" });
    vi.stubEnv("CORDON_HOME", this.home);
    vi.stubEnv("CORDON_POLICY", "");
    this.#write(first);
    for (const at of [0, 1]) await this.#startHost(at);
  }

  async close(): Promise<void> {
    for (const { host } of this.#hosts) await host.close();
  }

  async #startHost(at: number): Promise<void> {
    await this.#hosts[at]?.host.close();
    const log: string[] = [];
    const host = await HookHost.start({
      cwd: join(this.folder, "work"),
      home: this.home,
      agentDir: join(this.folder, "agent"),
      discover: false,
      spare: false,
      hooks: [this.hook],
      ui: scriptedUi(),
      consent: () => this.#answer,
      log: ({ text }) => log.push(text),
    });
    host.onError(() => {});
    const decided = new Set([...this.#granted].filter((use) => this.#policy?.has(use) ?? true));
    this.#hosts[at] = { host, log, policy: this.#policy, decided };
  }

  /** The uses that a hook gets through with. */
  async used(at: number, uses: readonly Use[], asks: boolean): Promise<Use[]> {
    const { host, log } = this.#hosts[at] as Running;
    host.setUIContext(scriptedUi(), asks);
    // Events within a few milliseconds share a look at the file.
    await new Promise((resolve) => setTimeout(resolve, 10));
    await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { uses } });
    return JSON.parse(log.findLast((line) => line.startsWith("USED "))?.slice(5) ?? "null");
  }

  decided(at: number): Use[] {
    return USES.filter((use) => this.#hosts[at]?.decided.has(use));
  }

  #write(powers: Powers | "gone" | "broken"): void {
    const covered = new Set(typeof powers === "string" ? [] : powers.covered);
    const entry = typeof powers === "string" ? {} : { [this.hook]: { capabilities: powers.capabilities } };
    writeFileSync(this.file, powers === "broken" ? "{" : JSON.stringify({ version: 1, hooks: entry }));
    this.#rewritten(covered);
  }

  /** What a file grants no more is decided against, everywhere. */
  #rewritten(granted: ReadonlySet<Use>): void {
    for (const { decided } of this.#hosts) for (const use of this.#granted) if (!granted.has(use)) decided.delete(use);
    this.#granted = granted;
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "allow": {
        this.#answer = step.answer;
        const { decided, policy } = this.#hosts[step.host] as Running;
        const known = decided.has(step.use);
        const used = await this.used(step.host, [step.use], true);
        this.#answer = "deny";
        if (used.length === 0) return;
        expect(used).toEqual([step.use]);
        if (known || step.answer === "once") return;
        const given = PROPOSED[step.use].filter((use) => policy?.has(use) ?? true);
        for (const use of given) decided.add(use);
        if (step.answer === "always" && this.#isWritten()) this.#granted = new Set([...this.#granted, ...given]);
        return;
      }
      case "revoke": {
        // It says that it cannot.
        if (!this.#isWritten()) return;
        try {
          revoke(this.hook, step.power, {});
        } catch {
          // It had none of it: the sessions' own end all the same.
        }
        const taken = USES.filter((use) => use.startsWith(step.power === "fs" ? "read" : (step.power ?? "")));
        for (const { decided } of this.#hosts) for (const use of taken) decided.delete(use);
        this.#granted = new Set([...this.#granted].filter((use) => !taken.includes(use)));
        return;
      }
      case "edit":
        return this.#write(step.powers);
      case "update": {
        if (!this.#isWritten() || !readGrants(this.file, false).has(this.hook)) return;
        changeGrant(this.file, this.hook, (entry) => ({
          ...entry,
          capabilities: stillAsked(entry?.capabilities ?? {}, { capabilities: step.asks.capabilities }),
        }));
        return this.#rewritten(new Set([...this.#granted].filter((use) => step.asks.covered.includes(use))));
      }
      case "policy": {
        const path = join(this.folder, "policy.json");
        writeFileSync(
          path,
          JSON.stringify({ version: 1, ...(step.maximum ? { maximum: step.maximum.capabilities } : {}) }),
        );
        vi.stubEnv("CORDON_POLICY", path);
        this.#policy = step.maximum && new Set(step.maximum.covered);
        return;
      }
      case "restart":
        if (this.#isWritten()) await this.#startHost(step.host);
        return;
      case "reload":
        return this.#hosts[step.host]?.host.reload(this.hook);
    }
  }

  /** Nothing starts, and nothing is written, on a broken file. */
  #isWritten(): boolean {
    try {
      readGrants(this.file, false);
      return true;
    } catch {
      return false;
    }
  }
}

const grants = (exec: number[], read: number[]): Powers => {
  const [entries, patterns] = [exec.map((at) => EXEC[at]), read.map((at) => READ[at])] as [typeof EXEC, typeof READ];
  return {
    capabilities: {
      events: { see: ["*"], block: true },
      exec: entries.map(([entry]) => entry),
      fs: { read: patterns.map(([pattern]) => pattern) },
    },
    covered: [...entries, ...patterns].flatMap(([, uses]) => uses),
  };
};
const NOTHING = grants([], []);
const ALL = grants([2], [2]);
const LESS = grants([0], [1]);
const allow = (host: number, use: Use, answer: "session" | "always"): Step => ({ do: "allow", host, use, answer });

/** Sequences that are gone through each time, before those by chance. */
const SEQUENCES: [Powers, Step[]][] = [
  [NOTHING, [allow(0, "exec a", "session"), allow(1, "exec a", "always"), { do: "revoke", power: "exec" }]],
  [NOTHING, [allow(0, "read a.txt", "session"), { do: "revoke", power: undefined }, { do: "reload", host: 0 }]],
  [
    ALL,
    [
      { do: "edit", powers: LESS },
      { do: "reload", host: 0 },
      { do: "edit", powers: ALL },
      { do: "reload", host: 1 },
    ],
  ],
  [
    ALL,
    [
      { do: "policy", maximum: LESS },
      { do: "restart", host: 0 },
      allow(0, "exec b", "always"),
      { do: "reload", host: 0 },
    ],
  ],
  [
    ALL,
    [
      { do: "update", asks: LESS },
      { do: "restart", host: 1 },
      { do: "edit", powers: "gone" },
      { do: "reload", host: 1 },
    ],
  ],
];

test(
  "what is usable lies in what was last decided, whatever the steps",
  async () => {
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
    await fc.assert(
      fc.asyncProperty(powers, fc.array(step, { minLength: 4, maxLength: 10 }), async (first, steps) => {
        const world = new World();
        await world.start(first);
        try {
          for (const at of [0, 1]) expect(await world.used(at, USES, false)).toEqual(world.decided(at));
          for (const one of steps) {
            await world.take(one);
            for (const at of [0, 1])
              expect(world.decided(at)).toEqual(expect.arrayContaining(await world.used(at, USES, false)));
          }
          // Answers that are kept count, too. Whoever is asked now says no.
          for (const at of [0, 1])
            expect(world.decided(at)).toEqual(expect.arrayContaining(await world.used(at, USES, true)));
        } finally {
          await world.close();
        }
      }),
      { numRuns: LONG ? 100 : 10, endOnFailure: true, examples: SEQUENCES },
    );
  },
  LONG ? 600_000 : 120_000,
);
