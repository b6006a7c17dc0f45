import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownerName } from "../../src/disk/process-owner.ts";
import { HookHost } from "../../src/host/host.ts";
import type { HookInfo } from "../../src/session/hook-info.ts";
import { cordon } from "../support/command.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { HOOK, manifestOf } from "./hostile-tar.ts";

/** Controls, and characters that hide or turn what stands beside them; written apart from Cordon's own list of them. */
const UNSEEN = new Set(
  [
    [0, 8],
    [0xb, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
    [0x115f, 0x1160],
    [0x200b, 0x200b],
    [0x200e, 0x200f],
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0x2800, 0x2800],
    [0x3164, 0x3164],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff9, 0xfffb],
    [0xe0000, 0xe0fff],
  ].flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, at) => first + at)),
);

/** What of a text a person would not see, or would see elsewhere. */
export const unseen = (text: string): string[] =>
  [...text]
    .map((one) => one.codePointAt(0) as number)
    .filter((point) => UNSEEN.has(point))
    .map((point) => `U+${point.toString(16)}`);

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A person's machine: a home for Cordon, one for npm, a folder to work in, and one for temporary files. */
export class Machine {
  readonly folder = temporaryFolder();
  readonly home = join(this.folder, "home");
  readonly work = join(this.folder, "work");

  constructor() {
    for (const name of ["user", "tmp", "work", "from"]) mkdirSync(join(this.folder, name));
    // Nobody answers there: what is not on this machine fails at once.
    this.useRegistry("http://127.0.0.1:9");
  }

  get env(): NodeJS.ProcessEnv {
    const mine = Object.keys(process.env).filter((name) => /^npm_/i.test(name));
    return {
      ...Object.fromEntries(mine.map((name) => [name, undefined])),
      HOME: join(this.folder, "user"),
      TMPDIR: join(this.folder, "tmp"),
    };
  }

  /** Has the user's own settings for npm name it. */
  useRegistry(url: string): void {
    writeFiles(this.folder, { "user/.npmrc": `registry=${url}\n` });
  }

  run(args: readonly string[], more: { input?: string; env?: NodeJS.ProcessEnv; cwd?: string } = {}): Promise<Ran> {
    const { cwd = this.work, input = "", env = {} } = more;
    return cordon(args, { cwd, home: this.home, input, env: { ...this.env, ...env } });
  }

  add(spec: string, ...powers: string[]): Promise<Ran> {
    return this.run(["add", spec, "--grant", ...(powers.length > 0 ? powers : ["none"])]);
  }

  /** Writes a file that a hook comes from; its path. */
  file(name: string, content: string | Buffer): string {
    const path = join(this.folder, "from", name);
    writeFileSync(path, content);
    return path;
  }

  /** A package in a folder; its path. */
  package(name: string, json: object = {}, files: Record<string, string> = {}): string {
    const folder = join(this.folder, "from", name);
    writeFiles(folder, { "package.json": manifestOf({ name, ...json }), "index.ts": HOOK, ...files });
    return folder;
  }

  /** What a new session makes of `ls`: why it was blocked, and what it says on stderr. */
  async session(): Promise<{ said: string | undefined; codes: string[]; stderr: string }> {
    const input = `${JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } })}\n`;
    const { stdout, stderr } = await this.run(["run", "--json"], { input });
    if (stdout === "") return { said: undefined, codes: [], stderr };
    const { result, errors } = JSON.parse(stdout) as { result?: { reason?: string }; errors?: { code: string }[] };
    return { said: result?.reason ?? "passed", codes: (errors ?? []).map(({ code }) => code), stderr };
  }

  /** A session in this process, on the same files: what it blocks, its hooks, and what it tells of them. */
  async host(): Promise<{ said: string | undefined; hooks: readonly HookInfo[]; told: string }> {
    const told: string[] = [];
    const host = await HookHost.start({
      cwd: this.work,
      home: this.home,
      agentDir: join(this.home, "agent"),
      log: ({ text }) => told.push(text),
    });
    const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } } as const;
    const outcome = await host.emitToolCall(call);
    await host.close();
    const said = outcome && "reason" in outcome ? outcome.reason : undefined;
    return { said, hooks: host.hooks, told: told.join("\n") };
  }

  json(name: string): { hooks: Record<string, Record<string, unknown>> } | undefined {
    const path = join(this.home, name);
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  }

  /** What stands on the disk of a hook that is installed, half installed or was. */
  disk() {
    const names = (...path: string[]): string[] => {
      const folder = join(this.folder, ...path);
      return existsSync(folder) ? readdirSync(folder).sort() : [];
    };
    return {
      lock: Object.keys(this.json("hooks.lock")?.hooks ?? {}),
      grants: Object.keys(this.json("grants.json")?.hooks ?? {}),
      installed: names("home", "installed").map((name) => name.replace(/-[0-9a-f]{16}$/, "")),
      left: [
        ...names("home").filter((name) => !KEPT.test(name)),
        ...names("home", "quarantine").filter((name) => !isOwnCache(name, names("home", "quarantine", name))),
        ...[...names("home", "bundles"), ...names("home", "bundles", "sources")].filter((name) =>
          name.endsWith(".tmp"),
        ),
        ...names("home", "cache", "tmp"),
        ...names("tmp").filter((name) => !/^(node-compile-cache|v8-compile-cache)/.test(name)),
      ],
    };
  }
}

const CACHE = new Set(["CACHEDIR.TAG", "content-v2", "index-v5", "tmp"]);

/** npm's cache of a process stays for as long as that does, which is this one where a test calls the library. */
const isOwnCache = (name: string, content: readonly string[]): boolean =>
  name.startsWith(`${ownerName()}.`) && content.every((one) => CACHE.has(one));

/** What is no part of any one hook: caches, and what stays on purpose. */
const KEPT = /^(audit|bundles|cache|grants\.json|hooks\.lock|installed|quarantine|agent)$/;

export const NOTHING = { lock: [], grants: [], installed: [], left: [] };
