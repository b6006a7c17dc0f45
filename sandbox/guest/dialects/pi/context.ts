import type { Dispatch } from "../../core/dispatch.ts";
import { checkLength } from "../../core/limits.ts";
import { copyOf, forHook, ignoreRejection, isArray, offer, realm } from "../../core/primordials.ts";
import type { GuestEnvironment } from "../dialect.ts";

type AbortSignal = InstanceType<typeof realm.AbortSignal>;

/** The host accepts no more than this, and shows less. */
const MAX_SHOWN = 1_000_000;
const MAX_OPTIONS = 200;
const MAX_ARGS = 1000;
const MAX_PROGRAM = 4096;

/**
 * pi's `ctx`: frozen functions that call the host. They check their arguments, so that an honest mistake is an error in
 * the hook.
 */
export function piContext(environment: GuestEnvironment, dispatch: Dispatch): object {
  const { init, remote } = environment;
  const call = (name: string, args: unknown[], signal?: AbortSignal) => remote.call(name, dispatch.id, args, signal);
  // Created for each event. The additions of later versions of pi are on shared prototypes: extensions find them there,
  // and a hook for 0.27 that lists the properties sees only those it knows.
  const ui = Object.freeze({
    __proto__: DRAWING,
    select: offer((title: unknown, options: unknown) => {
      const choices = texts(options, MAX_OPTIONS, "ctx.ui.select takes a title and a list of texts");
      return call("ui.select", [text(title, "title"), choices]);
    }),
    confirm: offer((title: unknown, message: unknown) =>
      call("ui.confirm", [text(title, "title"), text(message ?? "", "message")]),
    ),
    input: offer((title: unknown, placeholder?: unknown) => {
      const args = [text(title, "title")];
      if (placeholder !== undefined) args.push(text(placeholder, "placeholder"));
      return call("ui.input", args);
    }),
    notify(message: unknown, type: unknown = "info") {
      const level = type === "warning" || type === "error" ? type : "info";
      ignoreRejection(call("ui.notify", [text(message, "message"), level]));
    },
  });
  const { hasUI, sessionFile } = dispatch;
  const exec = piExec(environment, dispatch.id);
  return Object.freeze({ __proto__: LATER, exec, ui, hasUI, cwd: init.cwd, sessionFile });
}

interface Context {
  hasUI: boolean;
  cwd: string;
  sessionFile: string | null;
}

const LATER = Object.freeze(
  forHook<object & ThisType<Context>>({
    get mode(): string {
      return this.hasUI ? "rpc" : "print";
    },
    isProjectTrusted: () => false,
    get sessionManager(): object {
      return sessionOf(this.sessionFile, this.cwd);
    },
  }),
);

/** Members with the same purpose. */
const each = (names: readonly string[], make: (name: string) => unknown): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, make(name)]));

const plain = (_style: unknown, text: unknown): unknown => text;

/** The functions that draw on pi's terminal. There is no terminal here, so they do nothing. */
const DRAWING = Object.freeze(
  forHook({
    ...each(
      ["setStatus", "setWidget", "setFooter", "setHeader", "setTitle", "setWorkingMessage"],
      () => () => undefined,
    ),
    getAllThemes: () => [],
    setTheme: () => ({ success: false, error: "there are no themes here" }),
    theme: Object.freeze({
      fg: plain,
      bg: plain,
      ...each(["bold", "italic", "underline", "strikethrough"], () => (text: unknown) => text),
    }),
  }),
);

/** In pi, the file name of a session ends with the session's id. */
const sessionOf = (file: string | null, cwd: string): object =>
  Object.freeze({
    getSessionFile: () => file ?? undefined,
    getSessionId: () => /([^_/\\]+)\.jsonl$/.exec(file ?? "")?.[1] ?? "",
    getCwd: () => cwd,
    ...each(
      ["getBranch", "getEntries", "getEntry", "getHeader", "getLeafId", "getSessionName", "getTree"],
      (name) => () => {
        throw new TypeError(`ctx.sessionManager.${name} cannot be offered to a hook: see event.entries`);
      },
    ),
  });

/** `exec`, for a dispatch, or outside of any if `dispatch` is 0. */
export const piExec = ({ remote }: GuestEnvironment, dispatch: number) =>
  offer((command: unknown, args: unknown = [], options: { timeout?: unknown; signal?: unknown } = {}): unknown => {
    const list = texts(args, MAX_ARGS, "exec takes a command and a list of texts");
    const signal = options?.signal instanceof realm.AbortSignal ? options.signal : undefined;
    if (signal?.aborted) return forHook({ stdout: "", stderr: "", code: 143, killed: true });
    const timeout = Number(options?.timeout);
    const limited = timeout > 0 && timeout < Number.POSITIVE_INFINITY;
    const program = checkLength(text(command, "command"), MAX_PROGRAM, "command");
    return remote.call("exec", dispatch, [program, list, limited ? { timeout } : {}], signal);
  });

function text(value: unknown, name: string): string {
  if (typeof value !== "string") {
    throw new TypeError(`${name} must be a text, not ${value === null ? "null" : `a ${typeof value}`}`);
  }
  return checkLength(value, MAX_SHOWN, name);
}

function texts(values: unknown, most: number, usage: string): string[] {
  if (!isArray(values)) throw new TypeError(usage);
  if (values.length > most) throw new RangeError(`${usage}; at most ${most}`);
  // A list of the hook's realm: the hook may have replaced its methods.
  return copyOf<unknown>(values).map((value) => {
    if (typeof value !== "string") throw new TypeError(usage);
    return checkLength(value, MAX_SHOWN, "each");
  });
}
