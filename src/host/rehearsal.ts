import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { inHome } from "../disk/home.ts";
import { makeFolders } from "../disk/make-folders.ts";
import { quarantineFolder } from "../disk/quarantine.ts";
import { renamePaths } from "../disk/rename-paths.ts";
import type { Manifest } from "../grants/manifest.ts";
import type { HookEvent } from "../hook-api.ts";
import { type EventsGrant, mayBlock } from "../powers/events.ts";
import { withoutWayOut } from "../session/failure-text.ts";
import type { HookInfo } from "../session/hook-info.ts";
import type { HookHostOptions } from "../session/options.ts";
import { withoutRemedy } from "../session/remedies.ts";
import type { EventResult } from "../verdicts/event-result.ts";

/** A hook to rehearse. `file`: relative to its folder. `hears` is set to the events that it has handlers for. */
export interface Rehearsed {
  readonly id: string;
  readonly file: string;
  readonly manifest?: Pick<Manifest, "capabilities"> | undefined;
  /** Its bundle carries files, as {@link HookHostOptions.packed} says. */
  readonly carries: boolean;
  hears?: readonly string[];
}

/** Starts a host. A parameter, since the host itself imports this file. */
export type StartHost = (options: HookHostOptions) => Promise<{
  readonly hooks: readonly HookInfo[];
  emit(event: HookEvent): Promise<EventResult | undefined>;
  memoryOf(id: string): Promise<number | undefined>;
  onError(listener: () => void): unknown;
  close(): Promise<void>;
}>;

/** How a hook reacted to sample events without any powers. */
export interface Rehearsal {
  state: string;
  /** Digest of the rehearsed hook; left out if it could not be built. */
  digest?: string;
  reason?: string;
  dialect: string;
  hears: string[];
  /** Parts of its agent's API that it used and that Cordon does not offer. */
  unsupported?: readonly string[];
  /** How many calls it was shown. */
  calls: number;
  /** The calls that it blocked, as `tool: reason`. */
  blocks: string[];
  /** Its refused requests. */
  refused: string[];
  /** ms for all events, including the start of the hook. */
  ms: number;
  /** Bytes in use after the last event; left out if unknown. */
  memory?: number;
}

/** It hears everything, and guards what it asks to guard. One that asks only to look on blocks nothing. */
export function rehearsedEvents(manifest: Pick<Manifest, "capabilities"> | undefined): EventsGrant {
  const asked = manifest?.capabilities?.events;
  return {
    see: [...EVENT_NAMES],
    block: asked === undefined || mayBlock(asked),
    ...(asked?.guardResult ? { guardResult: asked.guardResult } : {}),
  };
}

/**
 * Shows sample events to a hook in an empty folder, without powers and without a person to ask, and records its reactions.
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
  const empty = quarantineFolder(home);
  const said = (text: string): string =>
    renamePaths(withoutWayOut(withoutRemedy(text)), [
      [folder, own],
      [empty, "$CWD"],
    ]);
  // With a home of its own, except for the runtime, so that a rehearsal leaves no line in the user's audit.
  makeFolders(join(empty, "home"));
  const runtime = inHome(home, "runtime");
  if (existsSync(runtime)) symlinkSync(runtime, inHome(join(empty, "home"), "runtime"));
  const refused = new Set<string>();
  const blocks: string[] = [];
  const started = performance.now();
  const host = await start({
    cwd: empty,
    home: join(empty, "home"),
    discover: false,
    spare: false,
    trial: "alone",
    packed: hook.carries,
    hooks: [
      {
        path: join(folder, hook.file),
        id: hook.id,
        grant: { capabilities: { events: rehearsedEvents(hook.manifest) } },
      },
    ],
    hookTimeout: 3000,
    log: () => {},
    onRefused: ({ message }) => refused.add(said(message)),
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
    rmSync(empty, { recursive: true, force: true });
  }
}
