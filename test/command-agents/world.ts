import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished } from "vitest";
import { entryCommand, entryScript } from "../../src/agents/command/entry-script.ts";
import { type Asker, type QuickTools, quickTools } from "../../src/agents/command/quick-tools.ts";
import { builtForHost } from "../../src/base/package-root.ts";
import { statusOf } from "../../src/disk/process-status.ts";
import { askDaemon, type DaemonStatus } from "../../src/shim/ask-daemon.ts";
import { writeFiles } from "../support/session.ts";

export interface Ended {
  exit: number | null;
  stdout: string;
  stderr: string;
}

/** Why Claude Code does not run the call, if so. */
export function blockOf({ exit, stdout, stderr }: Ended): string | undefined {
  if (exit === 2) return stderr;
  const { permissionDecision, permissionDecisionReason } = stdout === "" ? {} : JSON.parse(stdout).hookSpecificOutput;
  return permissionDecision === "deny" ? permissionDecisionReason : undefined;
}

/** How a command runs: the variables of the agent, and what an agent waits. */
export interface Way {
  env?: NodeJS.ProcessEnv;
  waitMs?: number;
  kind?: "gate" | "note";
  cwd?: string;
  /** Called with the agent's process, which a test may kill. */
  running?: (child: ChildProcess) => void;
}

/** A user's home of Cordon, with hooks, and a project. Its daemon is ended, and all of it removed, after the test that made it, or the file's tests. */
export class World {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-cmd-")));
  readonly home = join(this.folder, "home");
  readonly work = join(this.folder, "work");
  readonly script = join(this.home, "bin", "hook");
  /** What entries ask by. `undefined`: Node alone. */
  readonly quick: QuickTools | undefined;

  /** `hooks`: sources by name, in Cordon's own folder; `grants`: of some of them; `asker`: what entries ask by. */
  constructor(hooks: Record<string, string>, grants: Record<string, object> = {}, asker: Asker | "Node" = "curl") {
    if (asker !== "Node") {
      this.quick = quickTools([asker]);
      // Without it, the entries would ask by Node.
      expect(this.quick?.asker.name).toBe(asker);
    }
    mkdirSync(this.work);
    writeFiles(
      this.home,
      Object.fromEntries(Object.entries(hooks).map(([name, source]) => [`hooks/${name}.ts`, source])),
    );
    const entries = Object.entries(grants).map(([name, grant]) => [this.hook(name), grant]);
    writeFiles(this.home, {
      "grants.json": JSON.stringify({ version: 1, hooks: Object.fromEntries(entries) }),
      "bin/hook": entryScript({
        home: this.home,
        node: process.execPath,
        shim: builtForHost("shim.mjs"),
        start: builtForHost("cli", "start.js"),
        quick: this.quick,
      }),
    });
    chmodSync(this.script, 0o755);
    const end = async (): Promise<void> => {
      await this.stop();
      rmSync(this.folder, { recursive: true, force: true });
    };
    try {
      onTestFinished(end);
    } catch {
      // It is made outside of a test, for all of the file.
      afterAll(end);
    }
  }

  /** The id of a hook of this home. */
  hook(name: string): string {
    return join(this.home, "hooks", `${name}.ts`);
  }

  status(): Promise<DaemonStatus | undefined> {
    return askDaemon(this.home, "status") as Promise<DaemonStatus | undefined>;
  }

  /** Kills the daemon at once. */
  async kill(): Promise<void> {
    const status = await this.status();
    if (!status) return;
    process.kill(status.pid, "SIGKILL");
    // Until it is gone, its socket takes connections.
    while (statusOf(status.pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async stop(): Promise<void> {
    const status = await this.status();
    if (!status) return;
    await askDaemon(this.home, "stop");
    while (statusOf(status.pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  /** Runs the entry of an agent's settings as agents do, with this text as input. */
  run(agent: string, event: string, text: string | Buffer, way: Way = {}): Promise<Ended> {
    const { env = {}, waitMs = 60_000, kind = "gate", cwd = this.work, running } = way;
    const command = entryCommand(this.script, agent, kind, event, waitMs);
    const child = spawn("/bin/sh", ["-c", command], { cwd, env: { PATH: "/usr/bin:/bin", ...env } });
    running?.(child);
    const ended: Ended = { exit: null, stdout: "", stderr: "" };
    child.stdout.on("data", (part) => {
      ended.stdout += part;
    });
    child.stderr.on("data", (part) => {
      ended.stderr += part;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(text);
    return new Promise((resolve) => child.on("close", (exit) => resolve({ ...ended, exit })));
  }

  /** A call of Claude Code's shell. */
  bash(command: string, session = "one", way: Way = {}): Promise<Ended> {
    return this.run("claude-code", "PreToolUse", this.event("PreToolUse", session, "Bash", { command }), way);
  }

  /** An event as Claude Code writes it. */
  event(name: string, session: string, tool: string, input: object, more: object = {}): string {
    const base = { session_id: session, transcript_path: "/t.jsonl", cwd: this.work, hook_event_name: name };
    return JSON.stringify({ ...base, tool_name: tool, tool_input: input, tool_use_id: "toolu_1", ...more });
  }
}
