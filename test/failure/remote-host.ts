import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { eventually, inGroups, sandboxesOf } from "../sandbox/proc.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import type { Answer, Command, Commands } from "./remote-program.ts";

/** More than a host, its sandboxes and inherited descriptors need. */
const DESCRIPTORS = 1024;
/** A host that does not answer within this time hangs. */
const ANSWER_MS = 20_000;

/**
 * A host with one hook `gate` of this source, in a process of its own that may have {@link DESCRIPTORS} descriptors. It
 * starts when it is told to, and is killed when the test ends.
 */
export function remoteHost(source: string, grant: object = {}) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "work"));
  writeFiles(folder, { "hooks/gate.ts": source });
  const options = {
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    agentDir: join(folder, "agent"),
    discover: false,
    hooks: [{ path: join(folder, "hooks", "gate.ts"), id: "gate", grant }],
  };
  const program = [process.execPath, "--no-warnings", join(import.meta.dirname, "remote-program.ts")];
  const child = spawn(
    "/bin/sh",
    ["-c", `ulimit -n ${DESCRIPTORS} && exec "$@"`, "sh", ...program, JSON.stringify(options)],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  const pid = child.pid as number;
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.on("close", (code, signal) => resolve(code ?? signal)),
  );
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer: Answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
  });

  /** The answer to a command. Rejects if the host dies or hangs. */
  function tell<Name extends keyof Commands>(name: Name, argument?: Commands[Name]): Promise<Answer> {
    const command: Command = { id: ++last, name, argument };
    const answer = new Promise<Answer>((resolve) => waiting.set(command.id, resolve));
    child.stdin.write(`${JSON.stringify(command)}\n`);
    const fail = (what: string): never => {
      throw new Error(`${what}: ${stderr}`);
    };
    return Promise.race([
      answer,
      ended.then((how) => fail(`the host ended (${how}) on ${name}`)),
      delay(ANSWER_MS, undefined, { ref: false }).then(() => fail(`the host hangs on ${name}`)),
    ]);
  }

  /** The value of the answer; rejects as well if the host's own method did. */
  async function ask<Name extends keyof Commands>(name: Name, argument?: Commands[Name]): Promise<unknown> {
    const answer = await tell(name, argument);
    if ("threw" in answer) throw new Error(`${name}: ${answer.threw}`);
    return answer.value;
  }

  return {
    folder,
    tell,
    ask,
    sandboxes: () => sandboxesOf(pid),
    /** Kills the hook's sandbox, and the spare that would replace it. */
    killSandboxes(): void {
      const pids = sandboxesOf(pid);
      expect(pids.length).toBeGreaterThan(0);
      for (const sandbox of pids) process.kill(sandbox, "SIGKILL");
    },
    /** Closes the host: its process ends by itself, without output, and leaves no process. */
    async close(): Promise<void> {
      const groups = sandboxesOf(pid);
      await ask("close");
      expect(await Promise.race([ended, delay(ANSWER_MS, "still running", { ref: false })])).toBe(0);
      expect(stderr).toBe("");
      await eventually("the end of all sandboxes", () => inGroups(groups).length === 0);
    },
  };
}
