import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { ownerName } from "../../src/disk/process-owner.ts";
import { HookHost } from "../../src/host/host.ts";
import type { HookInfo } from "../../src/session/hook-info.ts";
import { cordon, served } from "../support/command.ts";
import { Registry } from "../support/registry.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { HOOK, manifestOf } from "./hostile-tar.ts";

/** Blocks `rm`, and reports what it may read: the variable GATE_WORD (power `env`), the file notes.txt (power `fs`). */
export const GATE = `import { readFile } from "node:fs/promises";
export default function (pi: any) {
  pi.on("tool_call", async (event: any, ctx: any) => {
    const command = String(event.input.command);
    if (command.startsWith("rm")) return { block: true, reason: "no rm" };
    if (command === "word") return { block: true, reason: \`word: \${process.env.GATE_WORD}\` };
    if (command === "notes") return { block: true, reason: \`notes: \${await readFile(\`\${ctx.cwd}/notes.txt\`, "utf8")}\` };
  });
}
`;

export const POWERS = { env: ["GATE_WORD"], fs: { read: ["$CWD/notes.txt"] } };

/** The keys of a `package.json` that make `index.ts` a hook with requests for these powers. */
export const asks = (capabilities: object = POWERS, rest: object = {}): Record<string, unknown> => ({
  cordon: { hooks: ["./index.ts"], capabilities, ...rest },
});

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Entry {
  version: string;
  source: string;
  integrity: string;
  digest: string;
  requested: object;
  provenance: string;
  publisher?: string;
}

interface Grant {
  digest: string;
  capabilities: Record<string, unknown>;
}

/** A person's machine without a network: a home for Cordon, one for npm, a folder to work in, one for temporary files. */
export class Machine {
  readonly folder = temporaryFolder();
  readonly home = join(this.folder, "home");
  readonly work = join(this.folder, "work");

  constructor() {
    for (const name of ["user", "tmp", "work", "from"]) mkdirSync(join(this.folder, name));
    // No server answers there: requests to other machines fail at once.
    this.useRegistry("http://127.0.0.1:9");
  }

  /** The commands' environment: without the real machine's npm settings, and with a folder for temporary files that tests inspect. */
  get env(): NodeJS.ProcessEnv {
    const mine = Object.keys(process.env).filter((name) => /^npm_/i.test(name));
    return {
      ...Object.fromEntries(mine.map((name) => [name, undefined])),
      HOME: join(this.folder, "user"),
      TMPDIR: join(this.folder, "tmp"),
    };
  }

  /** Names it in the user's own settings for npm. */
  useRegistry(url: string): void {
    writeFiles(this.folder, { "user/.npmrc": `registry=${url}\n` });
  }

  run(args: readonly string[], more: { input?: string; env?: NodeJS.ProcessEnv; cwd?: string } = {}): Promise<Ran> {
    const { cwd = this.work, input = "", env = {} } = more;
    return cordon(args, { cwd, home: this.home, input, env: { ...this.env, ...env } });
  }

  /** `cordon add` without a person: each power is named. */
  add(spec: string, ...powers: string[]): Promise<Ran> {
    return this.run(["add", spec, "--grant", ...(powers.length > 0 ? powers : ["none"])]);
  }

  /** The same, which must succeed. Returns its output. */
  async install(spec: string, ...powers: string[]): Promise<string> {
    const done = await this.add(spec, ...powers);
    if (done.code !== 0) throw new Error(`cordon add ${spec}: ${done.stderr}`);
    return done.stdout;
  }

  /** The `--json` output of a command with this exit code. */
  async json<T = Record<string, unknown>>(args: readonly string[], code = 0): Promise<T> {
    const done = await this.run([...args, "--json"]);
    if (done.code !== code) throw new Error(`cordon ${args.join(" ")}: exit code ${done.code}: ${done.stderr}`);
    return JSON.parse(done.stdout) as T;
  }

  /** Writes a hook's source file. Returns its path. */
  file(name: string, content: string | Buffer): string {
    const path = join(this.folder, "from", name);
    writeFileSync(path, content);
    return path;
  }

  /** Writes a package to a folder. Returns its path. */
  package(name: string, json: object = {}, files: Record<string, string> = {}): string {
    const folder = join(this.folder, "from", name);
    writeFiles(folder, { "package.json": manifestOf({ name, ...json }), "index.ts": HOOK, ...files });
    return folder;
  }

  /** A new session's answers to commands: the reason of a block, or `passed`; and the codes of errors. */
  async verdicts(...commands: string[]): Promise<{ said: string[]; codes: string[] }> {
    const { stderr, ...verdicts } = await this.#ask(commands);
    if (verdicts.said.length === 0) throw new Error(`cordon run: ${stderr}`);
    return verdicts;
  }

  /** A new session's answer to `ls`, or nothing if no session started; and its stderr. */
  async session(): Promise<{ said: string | undefined; codes: string[]; stderr: string }> {
    const { said, ...rest } = await this.#ask(["ls"]);
    return { said: said[0], ...rest };
  }

  async #ask(commands: readonly string[]): Promise<{ said: string[]; codes: string[]; stderr: string }> {
    const { stdout, stderr } = await this.run(["run", "--json"], { input: calls(...commands) });
    const lines = stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { result: { reason?: string } | null; errors?: { code: string }[] });
    return {
      said: lines.map(({ result }) => result?.reason ?? "passed"),
      codes: lines.flatMap(({ errors = [] }) => errors.map(({ code }) => code)),
      stderr,
    };
  }

  /** A session in this process, on the same files, and what it tells. */
  async open(): Promise<{ host: HookHost; told: string[] }> {
    const told: string[] = [];
    const host = await HookHost.start({
      spare: false,
      cwd: this.work,
      home: this.home,
      agentDir: join(this.home, "agent"),
      log: ({ text }) => told.push(text),
    });
    return { host, told };
  }

  /** The first call of such a session: its block, its hooks, and its reports on them. */
  async host(): Promise<{ said: string | undefined; hooks: readonly HookInfo[]; told: string }> {
    const { host, told } = await this.open();
    const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } } as const;
    const outcome = await host.emitToolCall(call);
    await host.close();
    const said = outcome && "reason" in outcome ? outcome.reason : undefined;
    return { said, hooks: host.hooks, told: told.join("\n") };
  }

  /** As if the registry's cached answers had expired. */
  forgetAnswers(): void {
    rmSync(join(this.home, "cache"), { recursive: true, force: true });
  }

  /** The entries of a file of the home, by hook. */
  table<T = Record<string, unknown>>(name: "hooks.lock" | "grants.json"): Record<string, T> {
    const path = join(this.home, name);
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).hooks : {};
  }

  /** Everything that commands wrote, except the audit and the caches. */
  disk() {
    const installed = join(this.home, "installed");
    return {
      lock: this.table<Entry>("hooks.lock"),
      grants: this.table<Grant>("grants.json"),
      // Without the hash of name and integrity.
      installed: files(installed).map((path) => path.replace(/^(.*?)-[0-9a-f]{16}\//, "$1/")),
      left: [
        ...this.#left(),
        ...names(installed).filter((name) => files(join(installed, name)).length === 0),
        ...files(this.work).filter((name) => name !== "notes.txt"),
      ],
    };
  }

  /** The reasons of blocks that an agent got for these commands. */
  served(commands: readonly string[], flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    return served(commands, { cwd: this.work, home: this.home, flags, env: { ...this.env, ...env } });
  }

  /** The same as names only, without the working folder. */
  names() {
    return {
      lock: Object.keys(this.table("hooks.lock")),
      grants: Object.keys(this.table("grants.json")),
      installed: names(join(this.home, "installed")).map((name) => name.replace(/-[0-9a-f]{16}$/, "")),
      left: this.#left(),
    };
  }

  /** Files that commands should have removed. */
  #left(): string[] {
    const quarantine = join(this.home, "quarantine");
    const bundles = join(this.home, "bundles");
    return [
      ...names(this.home).filter((name) => !KEPT.test(name)),
      ...names(quarantine).filter((name) => !isOwnCache(name, names(join(quarantine, name)))),
      ...[...names(bundles), ...names(join(bundles, "sources"))].filter((name) => name.endsWith(".tmp")),
      ...names(join(this.home, "cache", "tmp")),
      ...names(join(this.folder, "tmp")).filter((name) => !COMPILE_CACHE.test(name)),
    ];
  }
}

/** A machine with a registry of its own, a variable and a file that {@link GATE} can read. */
export class World extends Machine {
  readonly registry: Registry;

  private constructor(registry: Registry) {
    super();
    this.registry = registry;
    writeFiles(this.work, { "notes.txt": "milk" });
    this.useRegistry(registry.url);
  }

  static async make(): Promise<World> {
    const registry = await Registry.start();
    onTestFinished(() => registry.close());
    return new World(registry);
  }

  override get env(): NodeJS.ProcessEnv {
    return { ...super.env, GATE_WORD: "sesame" };
  }
}

/** Files that belong to no single hook: caches, and files that stay on purpose. */
const KEPT = /^(audit|blocked\.jsonl|bundles|cache|grants\.json|hooks\.lock|installed|quarantine|agent)$/;

/** Temporary folders that Node's own compile cache keeps. */
const COMPILE_CACHE = /^(node|v8)-compile-cache/;

const CACHE = new Set(["CACHEDIR.TAG", "content-v2", "index-v5", "tmp"]);

/** npm's cache lives as long as its process, which is this one if a test calls the library. */
const isOwnCache = (name: string, content: readonly string[]): boolean =>
  name.startsWith(`${ownerName()}.`) && content.every((one) => CACHE.has(one));

const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);

const files = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .sort()
    : [];

/** Events for `cordon run`. */
export const calls = (...commands: string[]): string =>
  commands
    .map((command) => ({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } }))
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("");

/** The files of a machine without installed hooks, and the same as names. */
export const NOTHING = { lock: {}, grants: {}, installed: [], left: [] };
export const NO_NAMES = { lock: [], grants: [], installed: [], left: [] };
