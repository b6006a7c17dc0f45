import type { GuestEnvironment } from "../dialect.ts";
import type { Dispatch } from "../dispatch.ts";
import { AbortSignal } from "../globals/abort.ts";
import { checkLength } from "../limits.ts";
import { isArray } from "../primordials.ts";

/** The host takes no more, and shows less. */
const MAX_SHOWN = 1_000_000;
const MAX_OPTIONS = 200;
const MAX_ARGS = 1000;
const MAX_PROGRAM = 4096;

/** pi's `ctx`: plain frozen functions over host calls. Arguments are checked here, so that an honest mistake is an error to the hook. */
export function piContext({ init, remote }: GuestEnvironment, dispatch: Dispatch): object {
  const call = (name: string, args: unknown[], signal?: AbortSignal) => remote.call(name, dispatch.id, args, signal);
  const ui = Object.freeze({
    async select(title: unknown, options: unknown) {
      const choices = texts(options, MAX_OPTIONS, "ctx.ui.select takes a title and a list of texts");
      return call("ui.select", [text(title, "title"), choices]);
    },
    async confirm(title: unknown, message: unknown) {
      return call("ui.confirm", [text(title, "title"), text(message ?? "", "message")]);
    },
    async input(title: unknown, placeholder?: unknown) {
      return call(
        "ui.input",
        placeholder === undefined ? [text(title, "title")] : [text(title, "title"), text(placeholder, "placeholder")],
      );
    },
    notify(message: unknown, type: unknown = "info") {
      call("ui.notify", [text(message, "message"), type === "warning" || type === "error" ? type : "info"]).catch(
        () => {},
      );
    },
  });
  return Object.freeze({
    async exec(command: unknown, args: unknown = [], options: { timeout?: unknown; signal?: unknown } = {}) {
      const list = texts(args, MAX_ARGS, "ctx.exec takes a command and a list of texts");
      const signal = options?.signal instanceof AbortSignal ? options.signal : undefined;
      if (signal?.aborted) return { stdout: "", stderr: "", code: 143, killed: true };
      const timeout = Number(options?.timeout);
      const limited = timeout > 0 && timeout < Number.POSITIVE_INFINITY;
      return call(
        "exec",
        [checkLength(text(command, "command"), MAX_PROGRAM, "command"), list, limited ? { timeout } : {}],
        signal,
      );
    },
    ui,
    hasUI: dispatch.envelope.hasUI,
    cwd: init.cwd,
    sessionFile: dispatch.envelope.sessionFile,
  });
}

function text(value: unknown, name: string): string {
  if (typeof value !== "string") {
    throw new TypeError(`${name} must be a text, not ${value === null ? "null" : `a ${typeof value}`}`);
  }
  return checkLength(value, MAX_SHOWN, name);
}

function texts(values: unknown, most: number, what: string): string[] {
  if (!isArray(values) || !values.every((value) => typeof value === "string")) throw new TypeError(what);
  if (values.length > most) throw new RangeError(`${what}; at most ${most}`);
  return values.map((value) => checkLength(value, MAX_SHOWN, "each"));
}
