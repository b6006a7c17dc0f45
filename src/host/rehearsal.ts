import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ownPlace } from "../disk/quarantine.ts";
import { renamePaths } from "../disk/rename-paths.ts";
import type { HookEvent } from "../hook-api.ts";
import type { HookInfo } from "../session/hook-info.ts";
import type { HookHostOptions } from "../session/options.ts";
import type { EventResult } from "../verdicts/event-result.ts";

/** A hook to rehearse. `file`: relative to its folder. `hears` is set to the events that it has handlers for. */
export interface Rehearsed {
  readonly id: string;
  readonly file: string;
  hears?: readonly string[];
}

/** How a host is started: its own code brings hooks up, and cannot import it. */
export type StartHost = (options: HookHostOptions) => Promise<{
  readonly hooks: readonly HookInfo[];
  emit(event: HookEvent): Promise<EventResult | undefined>;
  memoryOf(id: string): Promise<number | undefined>;
  onError(listener: () => void): unknown;
  close(): Promise<void>;
}>;

/** What a hook made of sample events while it had no powers. */
export interface Rehearsal {
  state: string;
  /** Of what was rehearsed; left out where it could not be built. */
  digest?: string;
  reason?: string;
  dialect: string;
  hears: string[];
  /** Parts of its agent's API that it wanted and goes without. */
  unsupported?: readonly string[];
  /** Calls that were shown to it. */
  calls: number;
  /** Those it blocked, as `tool: reason`. */
  blocks: string[];
  /** What it was refused. */
  refused: string[];
  /** ms for all events, with starting the hook. */
  ms: number;
  /** Bytes that it held in the end; left out where it could not be asked. */
  memory?: number;
}

/**
 * Shows sample events to a hook in an empty folder, without powers and without anybody to ask, and notes what it hears.
 *
 * @param own what a person calls the folder
 */
export async function rehearse(
  start: StartHost,
  hook: Rehearsed,
  { folder, own }: { folder: string; own: string },
  home: string,
  events: readonly HookEvent[],
): Promise<Rehearsal> {
  const place = ownPlace(home);
  const said = (text: string): string =>
    renamePaths(text, [
      [folder, own],
      [place, "$CWD"],
    ]);
  // A home of its own, but for the runtime: what is only looked at leaves no line in the user's audit.
  mkdirSync(join(place, "home"), { recursive: true, mode: 0o700 });
  if (existsSync(join(home, "runtime"))) symlinkSync(join(home, "runtime"), join(place, "home", "runtime"));
  const refused = new Set<string>();
  const blocks: string[] = [];
  const started = performance.now();
  const host = await start({
    cwd: place,
    home: join(place, "home"),
    discover: false,
    spare: false,
    hooks: [
      {
        path: join(folder, hook.file),
        id: hook.id,
        grant: { capabilities: { events: { see: ["*"], block: true } } },
      },
    ],
    hookTimeout: 3000,
    log: () => {},
    onRefused: ({ message }) => refused.add(said(message.replace(/; run: .*$/s, ""))),
  });
  host.onError(() => {});
  try {
    for (const event of events) {
      const result = await host.emit(event);
      if (event.type === "tool_call" && result && "block" in result)
        blocks.push(`${event.toolName}: ${said(result.reason)}`);
    }
    const [info] = host.hooks;
    const ms = performance.now() - started;
    const memory = await host.memoryOf(hook.id);
    hook.hears = info?.events ?? [];
    return {
      state: info?.state ?? "failed",
      ...(info?.digest === undefined ? {} : { digest: info.digest }),
      ...(info?.reason === undefined ? {} : { reason: said(info.reason) }),
      dialect: info?.dialect ?? "pi",
      hears: info?.events ?? [],
      ...(info?.unsupported ? { unsupported: info.unsupported } : {}),
      calls: events.filter(({ type }) => type === "tool_call").length,
      blocks,
      refused: [...refused],
      ms,
      ...(memory === undefined ? {} : { memory }),
    };
  } finally {
    await host.close();
    rmSync(place, { recursive: true, force: true });
  }
}
