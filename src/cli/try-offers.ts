import { setTimeout as delay } from "node:timers/promises";
import type { HookHost } from "../host/host.ts";
import { samplesOf } from "./sample-arguments.ts";

/** A tool or command has this long. One that waits for what never comes is left behind. */
const RUN_MS = 5000;
/** For all of them. */
const ALL_MS = 60_000;
/** Most completions of a command that are tried as its arguments. */
const MOST_COMPLETIONS = 6;

/** What a hook offers to the agent, and what of it did not end while it was tried. */
export interface Tried {
  readonly tools: Set<string>;
  readonly commands: Set<string>;
  readonly unended: Set<string>;
}

/** Runs what the hook offers, with sample arguments. */
export async function tryOffers({ offers }: HookHost, tried: Tried): Promise<void> {
  const end = performance.now() + ALL_MS;
  const run = async (what: string, start: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    const left = Math.min(RUN_MS, end - performance.now());
    const isOver = left > 0 && (await Promise.race([start(AbortSignal.timeout(left)).then(() => true), late(left)]));
    if (!isOver) tried.unended.add(what);
  };
  for (const { name, parameters } of offers.tools) {
    tried.tools.add(name);
    for (const way of samplesOf(parameters))
      await run(`tool ${name}`, (signal) => offers.runTool(name, way, { toolCallId: "sample", signal }));
  }
  for (const kind of ["command", "shortcut"] as const) {
    for (const { name, completes } of offers.commands(kind)) {
      tried.commands.add(name);
      const known = completes ? (await offers.complete(name, "")).map(({ value }) => value) : [];
      const texts = kind === "command" ? ["", ...known.slice(0, MOST_COMPLETIONS), "sample"] : [""];
      for (const text of new Set(texts))
        await run(`${kind} ${name}`, (signal) => offers.runCommand(kind, name, text, signal));
    }
  }
}

/** What was left behind must not keep this process from ending. */
const late = (ms: number): Promise<false> => delay(ms + 100, false as const, { ref: false });
