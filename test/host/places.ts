import { mkdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { recordOf } from "../../src/grants/build-record.ts";
import { findManifest } from "../../src/grants/manifest.ts";
import { HookHost } from "../../src/host/host.ts";
import { buildStaged } from "../../src/market/stage.ts";
import type { HookError } from "../../src/session/hook-error.ts";
import type { HookInfo } from "../../src/session/hook-info.ts";
import type { LogLine } from "../../src/session/log-line.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** A user's folders: `agent`, `project` (cwd), `home` of Cordon, `user` ($HOME). */
export function places(files: Record<string, string> = {}): string {
  const folder = temporaryFolder();
  for (const name of ["agent", "project", "home", "user"]) mkdirSync(join(folder, name));
  writeFiles(folder, files);
  return folder;
}

export interface Discovered {
  host: HookHost;
  log: LogLine[];
  errors: HookError[];
  /** The hooks' paths inside the user's folders, in load order. */
  paths(): string[];
  hook(path: string): HookInfo;
  /** The block of a `bash` call: `hook: reason`. */
  blocked(): Promise<string | undefined>;
}

/** A host that discovers hooks in these folders. Closed when the test ends. */
export async function discoverIn(folder: string, options: Partial<HookHostOptions> = {}): Promise<Discovered> {
  const log: LogLine[] = [];
  const errors: HookError[] = [];
  const host = await HookHost.start({
    spare: false,
    cwd: join(folder, "project"),
    home: join(folder, "home"),
    agentDir: join(folder, "agent"),
    log: (line) => log.push(line),
    ...options,
  });
  onTestFinished(() => host.close());
  host.onError((error) => errors.push(error));
  const inside = (path: string): string => path.replace(`${folder}/`, "");
  return {
    host,
    log,
    errors,
    paths: () => host.getHookPaths().map(inside),
    hook: (path) => host.hooks.find((hook) => inside(hook.path) === path) as HookInfo,
    blocked: async () => {
      const verdict = await host.emitToolCall({
        type: "tool_call",
        toolName: "bash",
        toolCallId: "1",
        input: { command: "ls" },
      });
      return verdict && "block" in verdict ? `${inside(verdict.hook)}: ${verdict.reason}` : undefined;
    },
  };
}

/** A gate that blocks every call with this word. */
export const blocking = (word: string): string =>
  `export default (pi: any) => pi.on("tool_call", () => ({ block: true, reason: "${word}" }));\n`;

/** A hook that does nothing. */
export const idle = "export default () => {};\n";

/** Writes what `cordon accept` would: the hook's digest under its real path, and its bundle. */
export async function accept(folder: string, hook: HookInfo, more: object = {}): Promise<void> {
  const path = join(folder, "home", "grants.json");
  const { root } = findManifest(hook.id);
  const [staged, keep] = await buildStaged(process.execPath, root, hook.id, relative(root, hook.id), false);
  keep(join(folder, "home"));
  const bundle = recordOf({ ...staged, hears: ["tool_call"] });
  const entry = { digest: staged.digest, bundle, grantedAt: "2026-01-01T00:00:00.000Z", by: "user", ...more };
  writeFiles(join(folder, "home"), {
    "grants.json": JSON.stringify({ version: 1, hooks: { ...readHooks(path), [hook.id]: entry } }),
  });
}

function readHooks(path: string): object {
  try {
    return JSON.parse(readFileSync(path, "utf8")).hooks;
  } catch {
    return {};
  }
}
