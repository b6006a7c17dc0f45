import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";

const COLUMNS = "100";
const ROWS = "40";

/** Why no terminal can be had here; `undefined` if one can. */
export function lacksTmux(): string | undefined {
  try {
    execFileSync("tmux", ["-V"], { stdio: "pipe" });
    return undefined;
  } catch {
    return "tmux is missing";
  }
}

const isRunning = (pid: number): boolean => attemptOr(() => process.kill(pid, 0), false);

/** What runs on a screen. */
export interface Shown {
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** A program in a real terminal of tmux, which ends with the test. */
export class Screen {
  readonly #socket: string;

  /** `folder`: for the terminal's socket, whose path must be short. */
  constructor(folder: string, { command, cwd, env }: Shown) {
    this.#socket = join(folder, "s");
    const all = { ...env, TERM: "xterm-256color", LANG: "C.UTF-8", LC_ALL: "C.UTF-8" };
    this.#tmux(all, "-f", "/dev/null", "new-session", "-d", "-x", COLUMNS, "-y", ROWS, "-c", cwd, ...command);
    const pid = Number(execFileSync("tmux", ["-S", this.#socket, "display-message", "-p", "#{pane_pid}"]));
    onTestFinished(async () => {
      this.#tmux(all, "kill-server");
      // It may still write to its folder.
      while (isRunning(pid)) await pause(50);
    });
  }

  type(text: string): void {
    this.#tmux(process.env, "send-keys", "-l", text);
  }

  press(...keys: string[]): void {
    this.#tmux(process.env, "send-keys", ...keys);
  }

  /** The screen as text. */
  read(): string {
    return execFileSync("tmux", ["-S", this.#socket, "capture-pane", "-p", "-J"], { encoding: "utf8" });
  }

  /** Waits until the screen has this text, or fits. Returns it. */
  async shows(wanted: string | RegExp): Promise<string> {
    const fits = (text: string): boolean => (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text));
    for (let tries = 0; ; tries++) {
      const text = this.read();
      if (fits(text)) return text;
      if (tries > 300) throw new Error(`${wanted} was not shown, but:\n${text}`);
      await pause(100);
    }
  }

  /** The screen once it does not change any more. */
  async settled(): Promise<string> {
    for (let before = this.read(), tries = 0; ; tries++) {
      await pause(700);
      const text = this.read();
      if (text === before || tries > 20) return text;
      before = text;
    }
  }

  #tmux(env: NodeJS.ProcessEnv, ...args: string[]): void {
    execFileSync("tmux", ["-S", this.#socket, ...args], { env, stdio: "pipe" });
  }
}
