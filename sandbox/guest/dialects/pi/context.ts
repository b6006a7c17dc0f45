import type { ProgramResult } from "../../../wire/answers.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { checkLength, MAX_ARGS, MAX_PROGRAM } from "../../core/limits.ts";
import { copyOf, forHook, ignoreRejection, isArray, offered, realm, settle, settled } from "../../core/primordials.ts";
import { left } from "./later.ts";
import { COMMAND_CONTEXT, LATER_CONTEXT, LATER_UI } from "./later-context.ts";
import { inherit, Linked } from "./linked.ts";

type AbortSignal = InstanceType<typeof realm.AbortSignal>;

/** The host accepts no more than this, and shows less. */
const MAX_SHOWN = 1_000_000;
const MAX_OPTIONS = 200;
/** The longest timer, in ms. */
const MAX_TIMEOUT = 2 ** 31;

// Made for each event, so there is one small function for each member. It is not assigned at once: V8 takes a function that is
// assigned to a member for one that lives long, and makes it slowly. The additions of later versions of pi are on shared
// prototypes: extensions find them there, and a hook for 0.27 that lists the properties sees only those it knows.

/**
 * pi's `ctx`: functions that call the host. They check their arguments, so that an honest mistake is an error in
 * the hook.
 */
export class PiContext extends Linked {
  readonly exec: unknown;
  readonly ui: object;
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly sessionFile: string | null;

  constructor(dispatch: Dispatch) {
    super(dispatch);
    const { environment, envelope } = dispatch;
    const execs = (command: unknown, args?: unknown, options?: ExecOptions) =>
      offered(exec, [environment, dispatch.id, command, args, options]);
    this.exec = execs;
    this.ui = new Ui(dispatch);
    this.hasUI = envelope.hasUI;
    this.cwd = environment.init.cwd;
    this.sessionFile = envelope.sessionFile;
  }
}

class Ui extends Linked {
  readonly select: unknown;
  readonly confirm: unknown;
  readonly input: unknown;
  readonly notify: unknown;

  constructor(dispatch: Dispatch) {
    super(dispatch);
    const selects = (title: unknown, options: unknown, how?: Dialog) =>
      offered(select, [dispatch, title, options, how]);
    const confirms = (title: unknown, text: unknown, how?: Dialog) => offered(confirm, [dispatch, title, text, how]);
    const inputs = (title: unknown, text?: unknown, how?: Dialog) => offered(input, [dispatch, title, text, how]);
    const notifies = (message: unknown, type?: unknown): void => notify(dispatch, message, type);
    this.select = selects;
    this.confirm = confirms;
    this.input = inputs;
    this.notify = notifies;
  }
}

/** pi's `ctx` of a command. */
export class PiCommandContext extends PiContext {}

inherit(PiContext, LATER_CONTEXT);
inherit(PiCommandContext, COMMAND_CONTEXT);
inherit(Ui, LATER_UI);

function select(dispatch: Dispatch, title: unknown, options: unknown, how: Dialog | undefined): unknown {
  const choices = texts(options, MAX_OPTIONS, "ctx.ui.select takes a title and a list of texts");
  return ask(dispatch, "ui.select", [text(title, "title"), choices], how);
}

function confirm(dispatch: Dispatch, title: unknown, message: unknown, how: Dialog | undefined): unknown {
  return ask(dispatch, "ui.confirm", [text(title, "title"), text(message ?? "", "message")], how);
}

function input(dispatch: Dispatch, title: unknown, placeholder: unknown, how: Dialog | undefined): unknown {
  const args = [text(title, "title")];
  if (placeholder !== undefined) args.push(text(placeholder, "placeholder"));
  return ask(dispatch, "ui.input", args, how);
}

function notify({ environment, id }: Dispatch, message: unknown, type: unknown): void {
  const level = type === "warning" || type === "error" ? type : "info";
  ignoreRejection(environment.remote.call("ui.notify", id, [text(message, "message"), level]));
}

function ask(dispatch: Dispatch, name: string, args: unknown[], how: Dialog | undefined): unknown {
  const { environment, id } = dispatch;
  const open = (signal?: AbortSignal) => environment.remote.call(name, id, args, signal);
  const confirms = name === "ui.confirm";
  const answer =
    how !== undefined ? dialog(open, how, confirms) : confirms ? open() : leftAs(left(environment), open());
  const over = (): void => {
    dispatch.asking = (dispatch.asking ?? 1) - 1;
  };
  dispatch.asking = (dispatch.asking ?? 0) + 1;
  settle(answer, over, over);
  return answer;
}

/** The host answers `null` if a person left the dialog. */
const leftAs = (nothing: null | undefined, answer: Promise<unknown>): Promise<unknown> =>
  nothing === null
    ? answer
    : new Promise((resolve, reject) => settle(answer, (given) => resolve(given ?? nothing), reject));

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

export interface ExecOptions {
  /** ms */
  timeout?: unknown;
  signal?: unknown;
  cwd?: unknown;
}

/** The result has pi's members alone. `dispatch`: the number of one, or 0. */
export async function exec(
  { remote, init }: GuestEnvironment,
  dispatch: number,
  command: unknown,
  args: unknown = [],
  options: ExecOptions | null = {},
): Promise<object> {
  const list = texts(args, MAX_ARGS, "exec takes a command and a list of texts");
  const signal = options?.signal instanceof realm.AbortSignal ? options.signal : undefined;
  if (signal?.aborted) return forHook({ stdout: "", stderr: "", code: 143, killed: true });
  const timeout = Number(options?.timeout);
  const limited = timeout > 0 && timeout < Number.POSITIVE_INFINITY;
  const program = checkLength(text(command, "command"), MAX_PROGRAM, "command");
  const cwd = options?.cwd === undefined ? undefined : checkLength(text(options.cwd, "cwd"), MAX_PROGRAM, "cwd");
  const asked = { ...(limited ? { timeout } : {}), ...(cwd === undefined || cwd === init.cwd ? {} : { cwd }) };
  const answer = await settled(remote.call("exec", dispatch, [program, list, asked], signal));
  const { stdout, stderr, code, killed } = answer as ProgramResult;
  return forHook({ stdout, stderr, code, killed });
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
