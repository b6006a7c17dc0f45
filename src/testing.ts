/** `cordon/testing`: lets the author of a hook test it as it will run for its users. */
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CordonError } from "./base/errors.ts";
import { didYouMean } from "./base/near-names.ts";
import { readEvents } from "./cli/events-file.ts";
import type { HookEvent, HookUIContext } from "./hook-api.ts";
import { HookHost } from "./host/host.ts";
import type { HookError } from "./session/hook-error.ts";
import type { LogLine } from "./session/log-line.ts";
import type { HookOption } from "./session/options.ts";

export interface HookTestOptions {
  /** Powers beyond hearing, blocking and asking. */
  grant?: HookOption["grant"];
  /** The working directory the hook sees. Default: an empty temporary folder. */
  cwd?: string;
  /** Without it there is nobody to ask. */
  ui?: HookUIContext;
  hookTimeout?: number;
}

const OPTIONS: readonly string[] = ["grant", "cwd", "ui", "hookTimeout"] satisfies (keyof HookTestOptions)[];

export interface HookTest extends AsyncDisposable {
  readonly host: HookHost;
  /** What `onError` heard, in order. */
  readonly errors: readonly HookError[];
  /** What the hook wrote to its console. */
  readonly log: readonly LogLine[];
  /** What the hook sent into the session. */
  readonly sent: readonly string[];
  emit(event: HookEvent): ReturnType<HookHost["emit"]>;
  /** Asks about one tool call. */
  call(toolName: string, input: Record<string, unknown>): ReturnType<HookHost["emitToolCall"]>;
}

/** The events of a file with one per line, such as a recording. Throws for a line that is no event. */
export const eventsIn = async (path: string): Promise<HookEvent[]> =>
  (await readEvents(path)).map(({ event }) => event);

/**
 * Builds and starts the hook at `path` in a real sandbox. Throws if it does not load. Dispose of the result (`await using`),
 * or a process stays behind.
 */
export async function testHook(path: string, options: HookTestOptions = {}): Promise<HookTest> {
  if (typeof path !== "string" || path === "")
    throw new CordonError("BAD_GRANT", "testHook: the path of the hook must be a text");
  for (const key of Object.keys(options))
    if (!OPTIONS.includes(key))
      throw new CordonError("BAD_GRANT", `testHook: unknown option ${key}${didYouMean(key, OPTIONS)}`);
  if (options.cwd !== undefined && !existsSync(options.cwd))
    throw new CordonError("BAD_GRANT", `testHook: there is no folder ${options.cwd} (cwd)`);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "cordon-hook-test-")));
  const errors: HookError[] = [];
  const log: LogLine[] = [];
  const sent: string[] = [];
  const { grant, cwd = folder, ui, hookTimeout } = options;
  const host = await HookHost.start({
    cwd: resolve(cwd),
    home: join(folder, ".cordon"),
    discover: false,
    spare: false,
    trial: "alone",
    hooks: [{ path: resolve(path), ...(grant ? { grant } : {}) }],
    ...(ui ? { ui } : {}),
    ...(hookTimeout === undefined ? {} : { hookTimeout }),
    log: (line) => log.push(line),
    onSend: (text, _attachments, origin) => sent.push(origin?.text ?? text),
  }).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  host.onError((error) => errors.push(error));
  const dispose = async (): Promise<void> => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  };
  const [hook] = host.hooks;
  if (hook?.state !== "active") {
    await dispose();
    throw new Error(`${path} does not load: ${hook?.reason ?? "no such hook"}`);
  }
  return {
    host,
    errors,
    log,
    sent,
    emit: (event) => host.emit(event),
    call: (toolName, input) => host.emitToolCall({ type: "tool_call", toolName, toolCallId: "test", input }),
    [Symbol.asyncDispose]: dispose,
  };
}
