import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PACKAGE_ROOT } from "../../../src/base/package-root.ts";
import { writeFiles } from "../../support/session.ts";
import type { PiVersion } from "./install.ts";
import { installPi } from "./install.ts";
import { MODEL_PORT, type Turn } from "./model-server.ts";

/** One message of pi's on its standard output in the modes json and rpc. */
// biome-ignore lint/suspicious/noExplicitAny: pi's own protocol
export type PiLine = Record<string, any>;

export interface SceneOptions {
  version: PiVersion;
  /** A new folder. */
  folder: string;
  mode: "print" | "json" | "rpc";
  /** What the model says. */
  turns?: readonly Turn[];
  /** Sources of extensions, in their order. `CORDON` in one stands for the module `cordon/pi`. */
  extensions?: Readonly<Record<string, string>>;
  /** Paths of extensions that are loaded before those. */
  extensionPaths?: readonly string[];
  /** Files under the folder: `work/` is the project, `home/` the person's. */
  files?: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** Answers to dialogs; `undefined` leaves one open. */
  answer?: (request: PiLine) => object | undefined;
  /** Prompts of the modes that take one. */
  prompt?: string;
  env?: Readonly<Record<string, string>>;
}

/** Cordon as an installed package. */
const CORDON_PI = join(PACKAGE_ROOT, "dist", "src", "agents", "pi", "index.js");

const MOCK = { baseUrl: `http://127.0.0.1:${MODEL_PORT}/v1`, apiKey: "dummy", api: "openai-completions" };

const MODELS = {
  providers: {
    mock: {
      ...MOCK,
      models: [
        { id: "mock", contextWindow: 128_000, maxTokens: 4000, reasoning: true },
        { id: "other", contextWindow: 128_000, maxTokens: 4000 },
      ],
    },
    // The models that examples ask for by name.
    google: { ...MOCK, models: [{ id: "gemini-2.5-flash", contextWindow: 128_000, maxTokens: 4000 }] },
    openai: { ...MOCK, models: [{ id: "gpt-5.2", contextWindow: 128_000, maxTokens: 4000 }] },
  },
};

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
    const { program } = await installPi(options.version);
    return new Scene(options, program);
  }

  private constructor(options: SceneOptions, program: string) {
    const { folder, mode, turns = [], extensions = {}, files = {}, args = [], prompt, env = {} } = options;
    this.work = join(folder, "work");
    this.home = join(folder, "home");
    for (const one of [this.work, join(this.home, ".pi", "agent")]) mkdirSync(one, { recursive: true });
    writeFileSync(join(this.home, ".pi", "agent", "models.json"), JSON.stringify(MODELS));
    writeFiles(folder, { ...files, "turns.json": JSON.stringify(turns) });
    this.#requests = join(folder, "requests.jsonl");
    const paths = Object.entries(extensions).map(([name, source]) => {
      writeFiles(folder, { [`extensions/${name}.ts`]: source.replaceAll("CORDON", CORDON_PI) });
      return join(folder, "extensions", `${name}.ts`);
    });
    const node = realpathSync(process.execPath);
    const pi = [
      ...(mode === "print" ? ["-p"] : ["--mode", mode]),
      ...["--model", "mock/mock", "--offline"],
      ...[...(options.extensionPaths ?? []), ...paths].flatMap((path) => ["-e", path]),
      ...args,
      ...(prompt === undefined ? [] : [prompt]),
    ];
    const server = [join(import.meta.dirname, "model-server.ts"), join(folder, "turns.json"), this.#requests];
    this.#child = spawn(
      "unshare",
      ["-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", node, ...server, node, program, ...pi],
      { cwd: this.work, env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", HOME: this.home, ...env }, stdio: "pipe" },
    );
    this.#child.stderr?.on("data", (data) => {
      this.stderr += data;
    });
    this.#exit = new Promise((resolve) => this.#child.on("close", (code) => resolve(code ?? 1)));
    if (mode !== "rpc") this.#child.stdin?.end();
    if (this.#child.stdout)
      createInterface({ input: this.#child.stdout }).on("line", (text) => {
        this.stdout += `${text}\n`;
        if (mode !== "print") this.#take(text, options.answer);
      });
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
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 30_000);
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
