import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type PiLine, type PiStart, preparePi, type SceneOptions } from "./world.ts";

/** Real pi, with a model of our own and nothing of this machine's but its programs. */
export class Scene {
  readonly work: string;
  readonly home: string;
  readonly lines: PiLine[] = [];
  stderr = "";
  stdout = "";
  readonly #child: ChildProcess;
  readonly #requests: string;
  readonly #exit: Promise<number>;
  #waiting: { fits: (line: PiLine) => boolean; resolve: (line: PiLine) => void }[] = [];
  #next = 0;

  static async start(options: SceneOptions): Promise<Scene> {
    return new Scene(await preparePi(options), options);
  }

  private constructor({ work, home, requests, command: [program, ...args], env }: PiStart, options: SceneOptions) {
    const { mode, answer } = options;
    this.work = work;
    this.home = home;
    this.#requests = requests;
    this.#child = spawn(program, args, { cwd: work, env, stdio: "pipe" });
    this.#child.stderr?.on("data", (data) => {
      this.stderr += data;
    });
    this.#exit = new Promise((resolve) => this.#child.on("close", (code) => resolve(code ?? 1)));
    if (mode !== "rpc") this.#child.stdin?.end();
    if (this.#child.stdout)
      createInterface({ input: this.#child.stdout }).on("line", (text) => {
        this.stdout += `${text}\n`;
        if (mode !== "print") this.#take(text, answer);
      });
  }

  /** The process of the model's server, which starts pi. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The bodies of the requests to the model, in their order. */
  get requests(): PiLine[] {
    return this.asked.map(({ body }) => body);
  }

  /** The requests to the model, with their headers. */
  get asked(): PiLine[] {
    if (!existsSync(this.#requests)) return [];
    return readFileSync(this.#requests, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  /** The texts of tool results that the model got. */
  get results(): string[] {
    const messages = this.requests.at(-1)?.messages ?? [];
    return messages
      .filter(({ role }: PiLine) => role === "tool")
      .map(({ content }: PiLine) =>
        typeof content === "string" ? content : content.map(({ text }: PiLine) => text).join(""),
      );
  }

  /** Entries of all session files, in their order. */
  get entries(): PiLine[] {
    return globSync(".pi/agent/sessions/**/*.jsonl", { cwd: this.home })
      .sort()
      .flatMap((file) => readFileSync(join(this.home, file), "utf8").trim().split("\n"))
      .map((line) => JSON.parse(line));
  }

  get dialogs(): PiLine[] {
    return this.lines.filter(({ type }) => type === "extension_ui_request");
  }

  /** Dialogs and notices of one kind. */
  shown(method: string): PiLine[] {
    return this.dialogs.filter((one) => one.method === method);
  }

  /** Sends a command in rpc mode; resolves with its response. */
  async send(command: object): Promise<PiLine> {
    const id = `c${this.#next++}`;
    const response = this.until((line) => line.type === "response" && line.id === id);
    this.#write({ id, ...command });
    return response;
  }

  /** Sends a prompt, and waits until pi has nothing left to do. */
  async prompt(message: string): Promise<PiLine> {
    const response = await this.send({ type: "prompt", message });
    await this.idle();
    return response;
  }

  /** Waits until pi answers, and has been idle for a while. */
  async idle(): Promise<void> {
    for (let calm = 0; calm < 2; ) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      const { data } = await this.send({ type: "get_state" });
      const isBusy = !data || data.isStreaming || data.isCompacting || data.pendingMessageCount > 0;
      calm = isBusy ? 0 : calm + 1;
    }
  }

  /** The first line that fits, also of those that came already. */
  until(fits: (line: PiLine) => boolean): Promise<PiLine> {
    const known = this.lines.find(fits);
    if (known) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ fits, resolve });
      void this.#exit.then((code) => reject(new Error(`pi ended with ${code}: ${this.stderr}`)));
    });
  }

  answer(id: string, answer: object): void {
    this.#write({ type: "extension_ui_response", id, ...answer });
  }

  /** Ends rpc mode, or waits for the end of the others. Resolves with pi's exit code. */
  async end(): Promise<number> {
    this.#child.stdin?.end();
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 150_000);
    const code = await this.#exit;
    clearTimeout(late);
    return code;
  }

  #write(line: object): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  #take(text: string, answer: SceneOptions["answer"]): void {
    let line: PiLine;
    try {
      line = JSON.parse(text);
    } catch {
      return;
    }
    this.lines.push(line);
    if (line.type === "extension_ui_request") {
      const given = answer?.(line);
      if (given) this.answer(line.id, given);
    }
    const found = this.#waiting.filter(({ fits }) => fits(line));
    this.#waiting = this.#waiting.filter((one) => !found.includes(one));
    for (const { resolve } of found) resolve(line);
  }
}
