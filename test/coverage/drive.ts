import { join } from "node:path";
import { HookHost } from "../../src/host/host.ts";
import type { HookError } from "../../src/session/hook-error.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { scriptedUi } from "../support/session.ts";
import type { Row } from "./row.ts";
import { prepare, type World } from "./world.ts";

/** A hook's acts, and the reports on it. */
export interface Run {
  readonly world: World;
  /** The host's answers, by event. */
  readonly results: unknown[];
  /** Dialogs and notifications with the hook's own text: `kind: text`. */
  readonly shown: () => string[];
  readonly sent: readonly string[];
  readonly errors: readonly HookError[];
  readonly log: readonly string[];
  /** The requests that the loopback server got. */
  readonly requests: readonly string[];
  readonly state: () => string;
  readonly close: () => Promise<void>;
}

type Capabilities = NonNullable<
  Exclude<NonNullable<HookHostOptions["hooks"]>[number], string>["grant"]
>["capabilities"];

/** Emits the row's events to its hook in a real host: with these capabilities, or with those of a hook without a grant. */
export async function drive(row: Row, world: World, requests: readonly string[], capabilities?: object): Promise<Run> {
  prepare(row, world);
  const ui = scriptedUi({ confirm: row.confirm });
  const sent: string[] = [];
  const errors: HookError[] = [];
  // Errors during loading are reported before a listener exists: they are in the log.
  const log: string[] = [];
  const host = await HookHost.start({
    spare: false,
    cwd: world.work,
    home: join(world.base, "cordon"),
    discover: false,
    hooks: [{ path: world.hook, ...(capabilities ? { grant: { capabilities: capabilities as Capabilities } } : {}) }],
    ui,
    onSend: (text, _attachments, origin) => sent.push(origin?.text ?? text),
    // All questions are denied: missing powers stay missing.
    consent: () => "deny",
    log: ({ text }) => log.push(text),
  });
  host.onError((error) => errors.push(error));
  const results: unknown[] = [];
  const run: Run = {
    world,
    results,
    shown: () => ui.shown.map(({ kind, title }) => `${kind}: ${title.replace(/^\[hook [^\]]*\] /, "")}`),
    sent,
    errors,
    log,
    requests,
    state: () => host.hooks[0]?.state ?? "missing",
    close: () => host.close(),
  };
  try {
    for (const step of row.steps) {
      if (typeof step === "function") await step(world);
      else results.push(await (step.type === "tool_call" ? host.emitToolCall(step) : host.emit(step)));
    }
  } catch (error) {
    await host.close();
    throw error;
  }
  return run;
}
