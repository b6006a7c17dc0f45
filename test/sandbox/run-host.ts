import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { HookHostOptions } from "../../src/session/options.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** The messages of a host program; each mode has some of them. */
interface Fact {
  pids?: number[];
  calling?: boolean;
  verdict?: { block?: boolean; reason?: string } | null;
  descriptors?: string[];
  resources?: string[];
  processes?: number;
}

export interface RunningHost {
  child: ChildProcess;
  pid: number;
  /** The next line that it prints. */
  next(): Promise<Fact>;
  /** Its exit code or signal. */
  ended: Promise<number | NodeJS.Signals | null>;
  stderr(): string;
}

/** Runs `host-program.ts` in a mode, with one hook `gate` of this source. Killed when the test ends. */
export function runHost(
  mode: string,
  source: string,
  { limits, ...options }: Partial<HookHostOptions> & { limits?: { cpuMs: number } } = {},
  extra: (number | "ignore")[] = [],
): RunningHost {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "work"));
  writeFiles(folder, { "hooks/gate.ts": source });
  const given: Partial<HookHostOptions> = {
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    agentDir: join(folder, "agent"),
    discover: false,
    hooks: [{ path: join(folder, "hooks", "gate.ts"), id: "gate", ...(limits ? { grant: { limits } } : {}) }],
    ...options,
  };
  const program = join(import.meta.dirname, "host-program.ts");
  const child = spawn(process.execPath, ["--no-warnings", program, mode, JSON.stringify(given)], {
    stdio: ["pipe", "pipe", "pipe", ...extra],
  });
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += text;
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.on("exit", (code, signal) => resolve(code ?? signal)),
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    pid: child.pid as number,
    async next() {
      const line = await lines.next();
      if (line.done) throw new Error(`the host program ended: ${stderr}`);
      return JSON.parse(line.value);
    },
    ended,
    stderr: () => stderr,
  };
}
