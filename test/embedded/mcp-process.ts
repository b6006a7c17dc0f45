import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const CORDON = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");
export const SERVER = [process.execPath, join(import.meta.dirname, "mcp-server.ts")];

export interface HookFile {
  source: string;
  events?: object;
  manifest?: object;
}

/** A folder with hooks, what they were granted, and a home. */
export function workplace(hooks: Readonly<Record<string, HookFile>>) {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder, `${name}.ts`);
  const events = { see: ["*"], block: true };
  const grants = Object.entries(hooks).map(([name, hook]) => [
    path(name),
    { capabilities: { events: { ...events, ...hook.events } } },
  ]);
  writeFiles(folder, {
    ...Object.fromEntries(Object.entries(hooks).map(([name, { source }]) => [`${name}.ts`, source])),
    "grants.json": JSON.stringify({ version: 1, hooks: Object.fromEntries(grants) }),
    ...Object.fromEntries(
      Object.entries(hooks).flatMap(([name, { manifest }]) =>
        manifest ? [[`${name}.hook.json`, JSON.stringify(manifest)]] : [],
      ),
    ),
  });
  const flags = [
    "--no-discover",
    "--grants",
    join(folder, "grants.json"),
    ...Object.keys(hooks).flatMap((name) => ["--hook", path(name)]),
  ];
  return {
    folder,
    flags,
    env: { ...process.env, HOME: folder, CORDON_HOME: join(folder, "home") } as Record<string, string>,
  };
}

type Place = ReturnType<typeof workplace>;

/** A client of the official SDK that started this command. */
export async function startClient(
  [command = "", ...args]: readonly string[],
  { env, folder }: Pick<Place, "env" | "folder">,
  capabilities: object = {},
  prepare: (client: Client) => void = () => {},
): Promise<Client> {
  const client = new Client({ name: "agent", version: "1" }, { capabilities });
  prepare(client);
  await client.connect(new StdioClientTransport({ command, args, env, cwd: folder, stderr: "pipe" }));
  onTestFinished(() => client.close());
  return client;
}

/** The command line of `cordon mcp` with these hooks. */
export const cordonMcp = ({ flags }: Pick<Place, "flags">, ...rest: readonly string[]): string[] => [
  process.execPath,
  CORDON,
  "mcp",
  ...flags,
  ...rest,
];

/** A client that writes and reads lines, for what no SDK would send. */
export class RawClient {
  readonly process: ChildProcess;
  readonly folder: string;
  readonly #lines: AsyncIterator<string>;
  stderr = "";

  constructor([command = "", ...args]: readonly string[], { env, folder }: Pick<Place, "env" | "folder">) {
    this.folder = folder;
    this.process = spawn(command, args, { env, cwd: folder });
    this.process.stderr?.on("data", (chunk) => {
      this.stderr += chunk;
    });
    this.#lines = createInterface({ input: this.process.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    onTestFinished(async () => {
      this.process.kill("SIGKILL");
    });
  }

  write(line: string | object): void {
    this.process.stdin?.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  }

  /** The next line; `undefined` when nothing more comes. */
  async readLine(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done ? undefined : value;
  }

  async read(): Promise<Record<string, unknown> | undefined> {
    const line = await this.readLine();
    return line === undefined ? undefined : JSON.parse(line);
  }

  /** The next message that is for this id, others being left out. */
  async answerTo(id: unknown): Promise<Record<string, unknown> | undefined> {
    for (;;) {
      const message = await this.read();
      if (!message || message.id === id) return message;
    }
  }

  async call(id: string | number, command: string): Promise<string> {
    this.write({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "bash", arguments: { command } } });
    return resultText(await this.answerTo(id));
  }

  async end(): Promise<number | null> {
    if (this.process.exitCode !== null) return this.process.exitCode;
    this.process.stdin?.end();
    const [code] = await once(this.process, "close");
    return code;
  }
}

/** The text of a result, or the message of an error. */
export function resultText(message: Record<string, unknown> | undefined): string {
  const { result, error } = Object(message) as {
    result?: { content?: { text?: string }[] };
    error?: { message: string };
  };
  return error
    ? `error: ${error.message}`
    : (result?.content ?? []).map((part) => part.text ?? JSON.stringify(part)).join("\n");
}
