import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { HookEvent, HookUIContext } from "../hooks.ts";
import { HookHost } from "../host.ts";
import type { HookError } from "../reporter.ts";
import { cleanLine } from "../text.ts";
import { called, type HostFlags, hostOptions, note, printJson, Refused, UsageError } from "./common.ts";
import { terminalDialogs } from "./dialogs.ts";
import { readEvent } from "./events-file.ts";
import { controllingTerminal, style } from "./terminal.ts";

type Flags = HostFlags & { json?: boolean };

/** `cordon run [FILE]`: shows events to the hooks, one a line, and prints what they make of each. */
export async function run(file: string | undefined, flags: Flags): Promise<void> {
  if (file === undefined && process.stdin.isTTY)
    throw new UsageError("no events: name a file with one JSON event a line, or pipe them in");
  if (file !== undefined && !existsSync(file)) throw new UsageError(`${file}: no such file`);
  const terminal = flags.json ? undefined : controllingTerminal();
  const notify: HookUIContext["notify"] = (message, type) =>
    process.stderr.write(`${type === "error" ? style.red(message) : style.yellow(message)}\n`);
  const errors: HookError[] = [];
  const host = await HookHost.start({
    ...hostOptions(flags),
    ...(terminal ? { ui: terminalDialogs(terminal, notify), hasUI: true } : {}),
    // States are told below, and errors with their events: what is left are the hooks' own lines.
    log: (line) => {
      if (line.hook && line.at)
        process.stderr.write(`[hook ${cleanLine(line.hook, 200)}] ${indented(line.text)} (${line.at})\n`);
    },
  });
  host.onError((error) => errors.push(error));
  let wrong = 0;
  try {
    for (const notice of host.notices) note(notice);
    for (const hook of host.hooks)
      if (hook.state !== "active")
        process.stderr.write(`cordon: ${called(hook)}: ${hook.state}${hook.reason ? `: ${hook.reason}` : ""}\n`);
    let line = 0;
    for await (const text of createInterface({
      input: file === undefined ? process.stdin : createReadStream(file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      line++;
      if (text.trim() === "") continue;
      const event = readEvent(text);
      if (typeof event === "string") {
        wrong++;
        process.stderr.write(`cordon: line ${line} is no event: ${event}\n`);
        continue;
      }
      errors.length = 0;
      const started = performance.now();
      const heard = host.hasHandlers(event.type);
      const result = await (event.type === "tool_call"
        ? host.emitToolCall(event, { canRun: () => true })
        : host.emit(event));
      const ms = performance.now() - started;
      if (flags.json) printJson({ event: event.type, result: result ?? null, errors });
      else process.stdout.write(shown(event, result, heard, errors, ms));
    }
  } finally {
    await host.close();
    terminal?.close();
  }
  if (wrong > 0) throw new Refused(`${wrong} line${wrong > 1 ? "s were" : " was"} no event`);
}

/** A hook's further lines begin with a space, and so look like none of Cordon's. */
const indented = (text: string): string => text.replaceAll("\n", "\n    ");

function shown(event: HookEvent, result: unknown, heard: boolean, errors: readonly HookError[], ms: number): string {
  const subject =
    event.type === "tool_call" || event.type === "tool_result"
      ? `${event.type} ${event.toolName}`
      : event.type === "session"
        ? `session ${event.reason}`
        : event.type;
  const verdict = result as { block?: boolean; reason?: string; hook?: string; cancel?: boolean } | undefined;
  const what = verdict?.block
    ? `${style.red("blocked")} by ${cleanLine(verdict.hook || "cordon", 200)}: ${indented(verdict.reason ?? "")}`
    : verdict?.cancel
      ? style.red("cancelled")
      : result
        ? `${style.yellow("changed")} ${JSON.stringify(result)}`
        : style.green(heard ? "passed" : "passed (no hook heard it)");
  const lines = errors.map(
    (error) => `  ${style.red("error")} ${cleanLine(error.hookPath, 500)}: ${indented(error.error)} (${error.code})\n`,
  );
  return `${style.bold(subject)}  ${what}  ${style.dim(`${ms.toFixed(1)} ms`)}\n${lines.join("")}`;
}
