import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import type { HookError } from "../../src/session/hook-error.ts";
import type { HookInfo } from "../../src/session/hook-info.ts";
import type { LogLine } from "../../src/session/log-line.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

type HookOption = Exclude<NonNullable<HookHostOptions["hooks"]>[number], string>;

export interface FolderSession {
  host: HookHost;
  errors: HookError[];
  log: LogLine[];
  /** The hook of the folder's entry. */
  hook(): HookInfo;
  /** The reason of its `tool_call` handler's block. */
  reason(): Promise<string | undefined>;
}

/** A folder with `hook` (the hook's own), `outside`, `work` (cwd) and `home`. */
export function hookFolder(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const name of ["work", "outside", "home"]) mkdirSync(join(folder, name));
  writeFiles(join(folder, "hook"), files);
  return folder;
}

/** A host with one hook of such a folder. Closed when the test ends. */
export async function startFolder(
  folder: string,
  entry = "index.ts",
  options: Partial<HookHostOptions> = {},
  hook: Partial<HookOption> = {},
): Promise<FolderSession> {
  const errors: HookError[] = [];
  const log: LogLine[] = [];
  const host = await HookHost.start({
    spare: false,
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    agentDir: join(folder, "agent"),
    discover: false,
    hooks: [{ path: join(folder, "hook", entry), ...hook }],
    log: (line) => log.push(line),
    ...options,
  });
  onTestFinished(() => host.close());
  host.onError((error) => errors.push(error));
  return {
    host,
    errors,
    log,
    hook: () => host.hooks[0] as HookInfo,
    reason: async () => {
      const verdict = await host.emitToolCall({
        type: "tool_call",
        toolName: "bash",
        toolCallId: "1",
        input: { command: "ls" },
      });
      return verdict && "block" in verdict ? verdict.reason : undefined;
    },
  };
}

/** A hook that blocks with the JSON of an expression. */
export const answering = (expression: string, top = ""): string =>
  `${top}\nexport default (pi: any) => pi.on("tool_call", async () => ({ block: true, reason: JSON.stringify(await (${expression})) }));\n`;

/** Paths of files under a folder that contain a text. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}
