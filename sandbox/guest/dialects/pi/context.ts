import type { Dispatch } from "../../core/dispatch.ts";
import { checkLength } from "../../core/limits.ts";
import { copyOf, forHook, ignoreRejection, isArray, offered, realm, settle } from "../../core/primordials.ts";
import type { GuestEnvironment } from "../dialect.ts";
import { type Inside, link } from "./inside.ts";
import { LATER_CONTEXT, LATER_UI } from "./later-context.ts";

type AbortSignal = InstanceType<typeof realm.AbortSignal>;

/** The host accepts no more than this, and shows less. */
const MAX_SHOWN = 1_000_000;
const MAX_OPTIONS = 200;
const MAX_ARGS = 1000;
const MAX_PROGRAM = 4096;
/** The longest timer, in ms. */
const MAX_TIMEOUT = 2 ** 31;

/**
 * pi's `ctx`: frozen functions that call the host. They check their arguments, so that an honest mistake is an error in
 * the hook.
 */
export function piContext(environment: GuestEnvironment, dispatch: Dispatch): object {
  const inside = { environment, dispatch };
  // Created for each event, so there is one small function for each member. The additions of later versions of pi are on
  // shared prototypes: extensions find them there, and a hook for 0.27 that lists the properties sees only those it knows.
  const own = {
    __proto__: LATER_UI,
    select: (title: unknown, options: unknown, how?: Dialog) => offered(select, [inside, title, options, how]),
    confirm: (title: unknown, message: unknown, how?: Dialog) => offered(confirm, [inside, title, message, how]),
    input: (title: unknown, placeholder?: unknown, how?: Dialog) => offered(input, [inside, title, placeholder, how]),
    notify(message: unknown, type?: unknown): void {
      notify(inside, message, type);
    },
  };
  const ui = Object.freeze(link(own, inside));
  const { hasUI, sessionFile } = dispatch;
  const { cwd } = environment.init;
  const exec = piExec(environment, dispatch.id);
  return Object.freeze(link({ __proto__: LATER_CONTEXT, exec, ui, hasUI, cwd, sessionFile }, inside));
}

function select(inside: Inside, title: unknown, options: unknown, how: Dialog | undefined): unknown {
  const choices = texts(options, MAX_OPTIONS, "ctx.ui.select takes a title and a list of texts");
  return ask(inside, "ui.select", [text(title, "title"), choices], how);
}

function confirm(inside: Inside, title: unknown, message: unknown, how: Dialog | undefined): unknown {
  return ask(inside, "ui.confirm", [text(title, "title"), text(message ?? "", "message")], how);
}

function input(inside: Inside, title: unknown, placeholder: unknown, how: Dialog | undefined): unknown {
  const args = [text(title, "title")];
  if (placeholder !== undefined) args.push(text(placeholder, "placeholder"));
  return ask(inside, "ui.input", args, how);
}

function notify({ environment: { remote }, dispatch }: Inside, message: unknown, type: unknown): void {
  const level = type === "warning" || type === "error" ? type : "info";
  ignoreRejection(remote.call("ui.notify", dispatch.id, [text(message, "message"), level]));
}

function ask(
  { environment: { remote }, dispatch }: Inside,
  name: string,
  args: unknown[],
  how: Dialog | undefined,
): unknown {
  const open = (signal?: AbortSignal) => remote.call(name, dispatch.id, args, signal);
  return how === undefined ? open() : dialog(open, how, name === "ui.confirm");
}

/** What later versions of pi take as the last argument of a dialog. */
interface Dialog {
  signal?: unknown;
  /** ms */
  timeout?: unknown;
}

/** A dialog that ends by itself: then the answer is that of a person who left it. */
function dialog(
  open: (signal: AbortSignal) => Promise<unknown>,
  { signal, timeout }: Dialog,
  confirms: boolean,
): unknown {
  const signals = signal instanceof realm.AbortSignal ? [signal] : [];
  const ms = Number(timeout);
  if (ms > 0 && ms < MAX_TIMEOUT) signals.push(realm.AbortSignal.timeout(ms));
  const either = realm.AbortSignal.any(signals);
  const left = confirms ? false : undefined;
  if (either.aborted) return left;
  // The agent's dialog may outlive the signal: the hook goes on without it.
  return new Promise((resolve, reject) => {
    either.addEventListener("abort", () => resolve(left), { once: true });
    settle(open(either), (answer) => resolve(answer ?? left), reject);
  });
}

/** `exec`, for a dispatch, or outside of any if `dispatch` is 0. */
export const piExec =
  (environment: GuestEnvironment, dispatch: number) =>
  (command: unknown, args?: unknown, options?: ExecOptions): Promise<unknown> =>
    offered(exec, [environment, dispatch, command, args, options]);

interface ExecOptions {
  /** ms */
  timeout?: unknown;
  signal?: unknown;
  cwd?: unknown;
}

function exec(
  { remote, init }: GuestEnvironment,
  dispatch: number,
  command: unknown,
  args: unknown = [],
  options: ExecOptions | null = {},
): unknown {
  const list = texts(args, MAX_ARGS, "exec takes a command and a list of texts");
  const signal = options?.signal instanceof realm.AbortSignal ? options.signal : undefined;
  if (signal?.aborted) return forHook({ stdout: "", stderr: "", code: 143, killed: true });
  const timeout = Number(options?.timeout);
  const limited = timeout > 0 && timeout < Number.POSITIVE_INFINITY;
  const program = checkLength(text(command, "command"), MAX_PROGRAM, "command");
  const cwd = options?.cwd === undefined ? undefined : checkLength(text(options.cwd, "cwd"), MAX_PROGRAM, "cwd");
  const asked = { ...(limited ? { timeout } : {}), ...(cwd === undefined || cwd === init.cwd ? {} : { cwd }) };
  return remote.call("exec", dispatch, [program, list, asked], signal);
}

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
