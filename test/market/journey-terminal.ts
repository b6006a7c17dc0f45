import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { writeFiles } from "../support/session.ts";
import type { World } from "./world.ts";

const MAIN = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");

/** What a terminal shows, with rows that go on with a mark joined to the ones before. */
export const joined = (text: string): string => text.replace(/\s*\n +\| /g, " ");

/** A shell in a real terminal, by default 80 columns by 24 lines, where `cordon` is the built command. */
export class Terminal {
  /** Each awaited screen, and the output of each command. */
  readonly shown: { command: string; text: string }[] = [];
  readonly #socket: string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #bytes: string;
  /** The prompt shows bash's count of commands: a command has ended when the next prompt appears. */
  #prompt = 1;
  #command = "";

  private constructor(socket: string[], env: NodeJS.ProcessEnv, bytes: string) {
    this.#socket = socket;
    this.#env = env;
    this.#bytes = bytes;
  }

  static async open(
    world: Pick<World, "folder" | "home" | "work" | "env">,
    env: NodeJS.ProcessEnv = { NO_COLOR: "1" },
    [columns, rows]: readonly [columns: number, rows: number] = [80, 24],
  ): Promise<Terminal> {
    const place = join(world.folder, `terminal${columns}`);
    mkdirSync(place);
    writeFiles(place, { "bin/cordon": `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, bytes: "" });
    chmodSync(join(place, "bin", "cordon"), 0o755);
    const all = {
      ...process.env,
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      ...world.env,
      CORDON_HOME: world.home,
      PI_CODING_AGENT_DIR: join(world.home, "agent"),
      PATH: `${join(place, "bin")}:${process.env.PATH}`,
      PS1: "\\#> ",
      LANG: "C.UTF-8",
      LC_ALL: "C.UTF-8",
      ...env,
    };
    const terminal = new Terminal(["-S", join(place, "s"), "-f", "/dev/null"], all, join(place, "bytes"));
    terminal.#tmux(
      "new-session",
      "-d",
      "-x",
      `${columns}`,
      "-y",
      `${rows}`,
      "-c",
      world.work,
      "bash",
      "--norc",
      "--noprofile",
    );
    terminal.#tmux("set-option", "-g", "status", "off");
    terminal.#tmux("pipe-pane", `cat >> '${join(place, "bytes")}'`);
    onTestFinished(() => void terminal.#tmux("kill-server"));
    await terminal.#until((screen) => screen.trimEnd().endsWith("1>"));
    return terminal;
  }

  /** Runs a command as an agent would that asked Cordon about a call before: it is a program that starts shells. */
  runBelowAgent(event: string, command: string): Promise<string> {
    const agent = `for (const line of process.argv.slice(1)) require("node:child_process").spawnSync("sh", ["-c", line + "; true"], { stdio: "inherit" })`;
    return this.run(`node -e '${agent}' '${event}' '${command.replaceAll("'", "'\\''")}'`);
  }

  /** Types a command; `answer` answers its questions. Returns the text below the command at its end. */
  async run(command: string, answer?: () => Promise<void>): Promise<string> {
    this.#command = `${this.#prompt++}> ${command}\n`;
    this.#tmux("send-keys", "-l", command);
    this.press("Enter");
    await answer?.();
    const prompt = `\n${this.#prompt}>`;
    await this.#until((screen) => screen.trimEnd().endsWith(prompt));
    return this.#keep(this.read().slice(0, -prompt.length));
  }

  press(...keys: string[]): void {
    this.#tmux("send-keys", ...keys);
  }

  /** Waits without a limit for text of the running command. Rejects if the command ends without it. */
  async shows(text: string): Promise<void> {
    const prompt = `\n${this.#prompt}>`;
    await this.#until(() => this.read().includes(text) || this.read().endsWith(prompt));
    if (!this.read().includes(text)) throw new Error(`${text} was not shown, but:\n${this.read()}`);
    this.#keep(this.read());
  }

  /** The text below the last command. Wrapped lines are joined. */
  read(): string {
    return this.#screen().split(this.#command)[1]?.trimEnd() ?? "";
  }

  /** The lines that are on the screen now, as they are broken there. */
  visible(): string[] {
    return this.#tmux("capture-pane", "-p").trimEnd().replace(/ +$/gm, "").split("\n");
  }

  /** The output of the programs, with all escape codes. */
  bytes(): string {
    return readFileSync(this.#bytes, "utf8");
  }

  async #until(isThere: (screen: string) => boolean): Promise<string> {
    for (let screen = this.#screen(); ; screen = this.#screen()) {
      if (isThere(screen)) return screen;
      await pause(50);
    }
  }

  #screen(): string {
    return this.#tmux("capture-pane", "-p", "-J", "-S", "-").replace(/ +$/gm, "");
  }

  #keep(text: string): string {
    this.shown.push({ command: this.#command, text });
    return text;
  }

  #tmux(...args: string[]): string {
    return execFileSync("tmux", [...this.#socket, ...args], { env: this.#env, encoding: "utf8" });
  }
}
