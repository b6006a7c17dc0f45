import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { revoke } from "../../src/cli/grant.ts";
import type { Capabilities } from "../../src/grants/schema.ts";
import { stillAsked } from "../../src/grants/still-asked.ts";
import { HookHost } from "../../src/host/host.ts";
import type { ConsentAnswer } from "../../src/session/consent.ts";
import { changeGrant } from "../../src/store/grants-file.ts";
import { readGrants } from "../../src/store/grants-text.ts";
import { onToolCall, scriptedUi, temporaryFolder, writeFiles } from "../support/session.ts";

/** Uses of powers, and the grants that cover each use. */
export const USES = ["exec a", "exec b", "read a.txt", "read src/b.txt"] as const;
export type Use = (typeof USES)[number];
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
export const EXEC: [NonNullable<Capabilities["exec"]>[number], Use[]][] = [
  [echo(["a"]), ["exec a"]],
  [echo(["b"]), ["exec b"]],
  [echo([{ kind: "enum", values: ["a", "b"] }]), ["exec a", "exec b"]],
];
export const READ: [string, Use[]][] = [
  ["$CWD/a.txt", ["read a.txt"]],
  ["$CWD/src/**", ["read src/b.txt"]],
  ["$CWD/**", ["read a.txt", "read src/b.txt"]],
];
/** The grant that the hook's question would give. */
const PROPOSED: Record<Use, Use[]> = {
  "exec a": ["exec a"],
  "exec b": ["exec b"],
  "read a.txt": ["read a.txt"],
  "read src/b.txt": ["read src/b.txt"],
};

export interface Powers {
  capabilities: Capabilities;
  covered: readonly Use[];
}
/** A decision or an act. */
export type Step =
  | { do: "allow"; host: number; use: Use; answer: Exclude<ConsentAnswer, "deny"> }
  | { do: "revoke"; power: "exec" | "fs" | undefined }
  | { do: "edit"; powers: Powers | "gone" | "broken" }
  | { do: "update"; asks: Powers }
  | { do: "policy"; maximum: Powers | undefined }
  | { do: "restart" | "reload"; host: number };

interface Running {
  host: HookHost;
  log: string[];
  /** The state at its start. */
  policy: ReadonlySet<Use> | undefined;
  decided: Set<Use>;
}

/** Two hosts of one home, and each host's last decision about each use. */
export class World {
  readonly folder = temporaryFolder();
  readonly home = join(this.folder, "home");
  readonly hook = join(this.folder, "hook.ts");
  readonly file = join(this.home, "grants.json");
  readonly #hosts: Running[] = [];
  #answer: ConsentAnswer = "deny";
  #policy: ReadonlySet<Use> | undefined;
  /** The powers that the file grants. */
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

  /** The uses that succeed for a hook. */
  async used(at: number, uses: readonly Use[], asks: boolean): Promise<Use[]> {
    const { host, log } = this.#hosts[at] as Running;
    host.setUIContext(scriptedUi(), asks);
    // Events within a few milliseconds share one read of the file.
    await new Promise((resolve) => setTimeout(resolve, 10));
    const before = log.length;
    const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { uses } } as const;
    const verdict = await host.emitToolCall(call);
    const line = log.slice(before).find((text) => text.startsWith("USED "));
    if (line === undefined)
      throw new Error(`no answer: ${JSON.stringify([host.hooks[0], verdict, log.slice(before)])}`);
    return JSON.parse(line.slice(5));
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

  /** A power that the file no longer grants counts as denied in every host. */
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
        // The command says that it cannot revoke.
        if (!this.#isWritten()) return;
        try {
          revoke(this.hook, step.power, {});
        } catch {
          // The file did not grant it: grants for the session still end.
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

  /** With a broken file nothing starts, and nothing is written. */
  #isWritten(): boolean {
    try {
      readGrants(this.file, false);
      return true;
    } catch {
      return false;
    }
  }
}
