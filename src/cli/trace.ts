import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { realPathOf } from "../discover/paths.ts";
import type { HookEvent } from "../hooks.ts";
import { HookHost } from "../host.ts";
import type { HookError, Wanted } from "../reporter.ts";
import { printJson, Refused, UsageError } from "./common.ts";
import { readEvents } from "./events-file.ts";
import { sampleEvents } from "./sample-events.ts";
import { style } from "./terminal.ts";

/** Time for what a hook does after its events: timers, watchers. */
const LATER_MS = 300;

/**
 * `cordon trace PATH`: shows events to a hook that has no powers, and prints the least grant that would cover what it tried.
 * A hook that gives up at its first refusal shows no more than that one: grant it, and trace again.
 */
export async function trace(
  path: string,
  flags: { events?: string; grants?: string; cwd?: string; json?: boolean },
): Promise<void> {
  const file = realPathOf(resolve(path));
  if (!existsSync(file)) throw new Refused(`${path}: no such file`);
  if (statSync(file).isDirectory()) throw new Refused(`${path} is a folder: name the hook's file in it`);
  if (flags.events !== undefined && !existsSync(flags.events)) throw new UsageError(`${flags.events}: no such file`);
  const events = flags.events === undefined ? sampleEvents() : await readEvents(flags.events);
  const errors: HookError[] = [];
  const none = { capabilities: { events: { see: ["*"], block: true } } };
  const host = await HookHost.start({
    cwd: resolve(flags.cwd ?? dirname(file)),
    hooks: [flags.grants === undefined ? { path: file, grant: none } : { path: file }],
    ...(flags.grants === undefined ? {} : { grantsFile: resolve(flags.grants) }),
    discover: false,
    // There is somebody to ask, who allows nothing: hooks that ask only then are seen to ask.
    hasUI: true,
    consent: () => "deny",
    log: () => {},
  });
  host.onError((error) => errors.push(error));
  try {
    const [hook] = host.hooks;
    if (hook?.state !== "active") throw new Refused(`${path} does not load: ${hook?.reason}`);
    for (const event of events) await host.emit(event);
    await delay(LATER_MS);
    report(path, hook.events, events, errors, flags.json === true);
  } finally {
    await host.close();
  }
}

function report(
  path: string,
  heard: readonly string[],
  events: readonly HookEvent[],
  errors: readonly HookError[],
  json: boolean,
): void {
  const capabilities = errors.reduce<Record<string, unknown>>(
    (sum, { wanted }) => (wanted ? merge(sum, wantedIn(wanted)) : sum),
    { events: { see: [...heard].sort(), ...(heard.includes("tool_call") ? { block: true } : {}) } },
  );
  // What a hook lets through of a refusal comes a second time, in the same words.
  const told = new Set(errors.filter(({ wanted }) => wanted).map(({ error }) => error));
  const ungrantable = errors.filter(({ code, wanted, error }) => code === "NOT_GRANTED" && !wanted && !told.has(error));
  const others = errors.filter(({ code }) => code !== "NOT_GRANTED");
  if (json) {
    printJson({ path, events: events.length, capabilities, errors: [...ungrantable, ...others] });
    return;
  }
  process.stdout.write(`${style.bold(path)} would need, as far as ${events.length} events showed:\n`);
  process.stdout.write(`${JSON.stringify({ capabilities }, null, 2)}\n`);
  for (const { event, error, code } of [...ungrantable, ...others])
    process.stdout.write(`${style.yellow("note")} ${event}: ${error} (${code})\n`);
}

const wantedIn = ({ capability, grant }: Wanted): Record<string, unknown> => ({ [capability]: grant });

type Plain = Record<string, unknown>;
const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Both grants together: lists without doubles, rights of either, the larger of two numbers. */
function merge(a: Plain, b: Plain): Plain {
  const sum: Plain = { ...a };
  for (const [name, value] of Object.entries(b)) sum[name] = both(a[name], value);
  return sum;
}

function both(a: unknown, b: unknown): unknown {
  if (a === undefined) return b;
  if (Array.isArray(a) && Array.isArray(b))
    return [...new Map([...a, ...b].map((item) => [JSON.stringify(item), item])).values()];
  if (isPlain(a) && isPlain(b)) return merge(a, b);
  return typeof a === "number" && typeof b === "number" ? Math.max(a, b) : b;
}
