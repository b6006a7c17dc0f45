import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { cordon } from "../support/command.ts";
import { Registry } from "../support/registry.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** Blocks `rm`, and tells what it may read: the variable GATE_WORD (power `env`), the file notes.txt (power `fs`). */
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

/** The keys of a `package.json` that make \`index.ts\` a hook which asks for these powers. */
export const asks = (capabilities: object = POWERS, rest: object = {}): Record<string, unknown> => ({
  cordon: { hooks: ["./index.ts"], capabilities, ...rest },
});

interface Ran {
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

/** A machine with a user, a project and a registry of its own. */
export class World {
  readonly folder = temporaryFolder();
  readonly home = join(this.folder, "home");
  readonly work = join(this.folder, "work");
  readonly registry: Registry;

  private constructor(registry: Registry) {
    this.registry = registry;
    for (const name of ["user", "tmp", "work"]) mkdirSync(join(this.folder, name));
    writeFiles(this.work, { "notes.txt": "milk" });
    this.useRegistry(registry.url);
  }

  static async make(): Promise<World> {
    const registry = await Registry.start();
    onTestFinished(() => registry.close());
    return new World(registry);
  }

  /** What commands run with: nothing of the machine's npm, and a folder for temporary files whose content is seen. */
  get env(): NodeJS.ProcessEnv {
    const mine = Object.keys(process.env).filter((name) => /^npm_/i.test(name));
    return {
      ...Object.fromEntries(mine.map((name) => [name, undefined])),
      HOME: join(this.folder, "user"),
      TMPDIR: join(this.folder, "tmp"),
      GATE_WORD: "sesame",
    };
  }

  /** Has the user's own settings for npm name it. */
  useRegistry(url: string): void {
    writeFiles(this.folder, { "user/.npmrc": `registry=${url}\n` });
  }

  run(
    args: readonly string[],
    { input = "", env = {}, cwd = this.work }: { input?: string; env?: NodeJS.ProcessEnv; cwd?: string } = {},
  ): Promise<Ran> {
    return cordon(args, { cwd, home: this.home, input, env: { ...this.env, ...env } });
  }

  /** Without a person: each power is named. Fails unless it is installed. */
  async add(spec: string, ...powers: string[]): Promise<string> {
    const done = await this.run(["add", spec, "--grant", ...(powers.length > 0 ? powers : ["none"])]);
    if (done.code !== 0) throw new Error(`cordon add ${spec}: ${done.stderr}`);
    return done.stdout;
  }

  /** What `--json` says of a command that ends so. */
  async json<T = Record<string, unknown>>(args: readonly string[], code = 0): Promise<T> {
    const done = await this.run([...args, "--json"]);
    if (done.code !== code) throw new Error(`cordon ${args.join(" ")}: exit code ${done.code}: ${done.stderr}`);
    return JSON.parse(done.stdout) as T;
  }

  /** What a new session says of commands: why it was blocked, or `passed`; and the codes of what went wrong. */
  async verdicts(...commands: string[]): Promise<{ said: string[]; codes: string[] }> {
    const { stdout, stderr } = await this.run(["run", "--json"], { input: calls(...commands) });
    if (stdout === "") throw new Error(`cordon run: ${stderr}`);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { result: { reason?: string } | null; errors: { code: string }[] });
    return {
      said: lines.map(({ result }) => result?.reason ?? "passed"),
      codes: lines.flatMap(({ errors }) => errors.map(({ code }) => code)),
    };
  }

  /** As if the time were over for which the registry said that its answers may be kept. */
  forgetAnswers(): void {
    rmSync(join(this.home, "cache"), { recursive: true, force: true });
  }

  /** Everything that commands wrote, other than the audit and the caches. */
  disk() {
    const table = <T>(name: string): Record<string, T> => {
      const path = join(this.home, name);
      return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).hooks : {};
    };
    const files = (folder: string): string[] =>
      existsSync(folder)
        ? readdirSync(folder, { recursive: true, withFileTypes: true })
            .filter((entry) => !entry.isDirectory())
            .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
            .sort()
        : [];
    const known = ["audit", "bundles", "cache", "grants.json", "hooks.lock", "installed", "quarantine"];
    return {
      lock: table<Entry>("hooks.lock"),
      grants: table<Grant>("grants.json"),
      // Without the hash of name and integrity.
      installed: files(join(this.home, "installed")).map((path) => path.replace(/^(.*?)-[0-9a-f]{16}\//, "$1/")),
      left: [
        ...names(this.home).filter((name) => !known.includes(name)),
        ...names(join(this.home, "quarantine")),
        ...names(join(this.home, "installed")).filter((name) => files(join(this.home, "installed", name)).length === 0),
        ...names(join(this.home, "cache", "tmp")),
        ...names(join(this.folder, "tmp")).filter((name) => !SHARED.test(name)),
        ...files(this.work).filter((name) => name !== "notes.txt"),
      ],
    };
  }
}

/** Folders for temporary files that Node's own compile cache keeps. */
const SHARED = /^node-compile-cache$/;

const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Events for `cordon run`. */
export const calls = (...commands: string[]): string =>
  commands
    .map((command) => ({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } }))
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("");

/** What a machine has on which nothing is installed. */
export const NOTHING = { lock: {}, grants: {}, installed: [], left: [] };
