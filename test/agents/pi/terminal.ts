import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { preparePi, type SceneOptions } from "./world.ts";

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

/** Real pi in a real terminal. */
export class PiTerminal {
  readonly work: string;
  readonly #socket: string;

  private constructor(work: string, socket: string) {
    this.work = work;
    this.#socket = socket;
  }

  static async open(options: Omit<SceneOptions, "mode">): Promise<PiTerminal> {
    const { work, command, env } = await preparePi({ ...options, mode: "tui" });
    const terminal = new PiTerminal(work, join(options.folder, "s"));
    const all = { ...env, TERM: "xterm-256color", LANG: "C.UTF-8", LC_ALL: "C.UTF-8" };
    terminal.#tmux(all, "-f", "/dev/null", "new-session", "-d", "-x", COLUMNS, "-y", ROWS, "-c", work, ...command);
    onTestFinished(() => terminal.#tmux(all, "kill-server"));
    return terminal;
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

  /** Types a line, and submits it. pi takes an Enter that comes at once for a part of a pasted text. */
  async submit(text: string): Promise<void> {
    this.type(text);
    await this.shows(text);
    await pause(200);
    // The list of commands takes an Enter for itself.
    if (text.startsWith("/")) this.press("Escape");
    await pause(200);
    this.press("Enter");
  }

  #tmux(env: NodeJS.ProcessEnv, ...args: string[]): void {
    execFileSync("tmux", ["-S", this.#socket, ...args], { env, stdio: "pipe" });
  }
}
