import { inspect } from "../inspect.ts";
import type { RealmHost } from "../realm-host.ts";

const { now } = Date;

/** Most lines in a second. More lines are counted and dropped, so that the log leaves room for the hook's own calls. */
const MAX_LINES_PER_SECOND = 100;

type Level = "debug" | "info" | "warn" | "error";

/** `console` for the hook: lines go to the host's log with the hook's name and their source position. */
export function makeConsole({ log }: Pick<RealmHost, "log">): Record<string, (...args: unknown[]) => void> {
  let second = 0;
  let lines = 0;
  let dropped = 0;
  const counts = new Map<string, number>();
  const starts = new Map<string, number>();
  let indent = "";

  const write = (level: Level, text: string): void => {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      if (dropped > 0)
        log("warn", `${dropped} lines dropped: more than ${MAX_LINES_PER_SECOND} in a second`, undefined);
      second = current;
      lines = 0;
      dropped = 0;
    }
    if (++lines > MAX_LINES_PER_SECOND) {
      dropped++;
      return;
    }
    log(level, indent + text, callSite());
  };
  const line =
    (level: Level) =>
    (...args: unknown[]) =>
      write(level, format(args));
  return {
    log: line("info"),
    info: line("info"),
    debug: line("debug"),
    warn: line("warn"),
    error: line("error"),
    trace: (...args) => write("error", `Trace: ${format(args)}`),
    dir: (value) => write("info", inspect(value)),
    dirxml: line("info"),
    table: (value) => write("info", inspect(value)),
    assert: (condition, ...args) => {
      if (!condition) write("error", `Assertion failed${args.length > 0 ? `: ${format(args)}` : ""}`);
    },
    count: (label = "default") => {
      const count = (counts.get(String(label)) ?? 0) + 1;
      counts.set(String(label), count);
      write("info", `${label}: ${count}`);
    },
    countReset: (label = "default") => {
      counts.delete(String(label));
    },
    time: (label = "default") => {
      starts.set(String(label), now());
    },
    timeEnd: (label = "default") => {
      const start = starts.get(String(label));
      if (start !== undefined) write("info", `${label}: ${now() - start}ms`);
      starts.delete(String(label));
    },
    timeLog: (label = "default", ...args) => {
      const start = starts.get(String(label));
      if (start !== undefined) write("info", `${label}: ${now() - start}ms ${format(args)}`);
    },
    group: (...args) => {
      if (args.length > 0) write("info", format(args));
      if (indent.length < 40) indent += "  ";
    },
    groupCollapsed: (...args) => write("info", format(args)),
    groupEnd: () => {
      indent = indent.slice(2);
    },
  };
}

/** The first stack line in the hook's own code. The host maps it back to TypeScript. */
function callSite(): string | undefined {
  const stack = new Error().stack;
  if (typeof stack !== "string") return undefined;
  return stack
    .split("\n")
    .find((line) => line.includes("cordon-hook.js"))
    ?.trim();
}

function format(args: unknown[]): string {
  const [first, ...rest] = args;
  let parts = args;
  let text = "";
  if (typeof first === "string" && first.includes("%")) {
    text = first.replace(/%([sdifjoOc%])/g, (whole, kind) => {
      if (kind === "%") return "%";
      if (rest.length === 0) return whole;
      const value = rest.shift();
      if (kind === "c") return "";
      if (kind === "d" || kind === "f") return String(Number(value));
      if (kind === "i") return String(Math.trunc(Number(value)));
      return kind === "s" ? show(value) : kind === "j" ? String(JSON.stringify(value)) : inspect(value);
    });
    parts = rest;
  }
  const tail = parts.map(show).join(" ");
  return text && tail ? `${text} ${tail}` : text || tail;
}

function show(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return value.stack ?? value.message;
  return inspect(value);
}
