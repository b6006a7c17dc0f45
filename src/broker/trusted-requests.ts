import type { Apply, CallHead, SyncFailure } from "../../sandbox/wire/messages.ts";
import type { ArgumentsOf, OperationName } from "../../sandbox/wire/operations.ts";
import { childEnvironment } from "../powers/exec-environment.ts";
import type { Session } from "../powers/lent-session.ts";
import { runProgram } from "../powers/run-program.ts";
import { findProgram } from "../runtime/find-program.ts";
import type { Hook } from "../session/hook.ts";
import type { RequestHandler } from "../supervisor/hosted-isolate.ts";
import type { Hosting } from "../supervisor/hosting.ts";
import type { PreparedEvent } from "../supervisor/prepared-event.ts";
import { answerCall } from "./answer-call.ts";
import { OpenRequests } from "./open-requests.ts";

/** pi sets no limits for a command that names none. */
const NO_LIMIT = { timeoutMs: Number.POSITIVE_INFINITY, maxOutputBytes: 64 * 1024 * 1024 };

interface Circumstances {
  readonly hook: Hook;
  readonly session: Session;
  readonly event: PreparedEvent | undefined;
  readonly signal: AbortSignal;
}

/** The operations that a dialect requests for a trusted hook. The hook does everything else by itself. */
const PERFORM: { readonly [Name in OperationName]?: (args: ArgumentsOf<Name>, asked: Circumstances) => unknown } = {
  exec: ([program, args, { timeout }], { session: { cwd, env, workspaces }, signal }) =>
    runProgram(findProgram(program, workspaces, env.PATH ?? "") ?? program, [...args], {
      cwd,
      env: { ...env, ...childEnvironment(env, workspaces) },
      ...NO_LIMIT,
      ...(timeout ? { timeoutMs: timeout } : {}),
      signal,
    }),
  send: ([text, attachments], { session }) => session.send?.(text, attachments && [...attachments]),
  "ui.select": ([title, options], { session }) => session.ui.select(title, [...options]),
  "ui.confirm": ([title, message], { session }) => session.ui.confirm(title, message),
  "ui.input": ([title, placeholder], { session }) => session.ui.input(title, placeholder),
  "ui.notify": ([message, type], { session }) => session.ui.notify(message, type),
  "ui.editor": ([title, prefill], { session }) => session.ui.editor?.(title, prefill) ?? null,
  "ui.show": ([what, args], { session }) => session.ui.show?.(what, args),
  async "ui.custom"([number, options], { hook, session, signal }) {
    if (!session.hasUI || !session.ui.custom || !hook.screens) return;
    const screen = hook.screens.open(number, options.layout?.nonCapturing !== true, options.overlay === true);
    signal.addEventListener("abort", () => screen.close(), { once: true });
    session.ui.custom(screen, options);
    await screen.ended;
  },
  "ui.mount"([number, where, key, placement], { hook, session }) {
    if (session.hasUI && session.ui.mount && hook.screens)
      session.ui.mount(hook.screens.open(number, false, false), { where, key, placement });
  },
  "ui.edit"([number], { hook, session }) {
    if (session.hasUI && session.ui.edit && hook.screens) session.ui.edit(hook.screens.edit(number, async () => true));
  },
  "send.message": ([message, options], { session }) =>
    session.agent?.sendMessage?.({ ...message }, { ...options }, { hook: "" }),
  "agent.act": ([name, args], { session: { agent } }) => agent?.act?.[name]?.(args, { hook: "" }),
  "model.resolveApiKey": ([model], { session, event }) =>
    (event?.resolveApiKey ?? session.model?.resolveApiKey?.bind(session.model))?.(model),
};

/** Answers the requests of a trusted hook, without grants, limits or audit. */
export class TrustedRequests implements RequestHandler {
  readonly #hosting: Hosting;
  readonly #hook: Hook;
  readonly #session: Session;
  readonly #open = new OpenRequests();

  constructor(hosting: Hosting, hook: Hook, session: Session) {
    this.#hosting = hosting;
    this.#hook = hook;
    this.#session = session;
  }

  call(apply: Apply): void {
    const [head, ...args] = apply.argumentList.map((argument) => argument.value);
    const { call, dispatch } = head as CallHead;
    const { isolate, supervisor } = this.#hosting;
    const task = dispatch === 0 ? supervisor.onlyTask(isolate) : supervisor.task(dispatch);
    const open = this.#open.begin(call, dispatch);
    const resume = task?.wait("person");
    const circumstances = { hook: this.#hook, session: this.#session, event: task?.event, signal: open.cancel.signal };
    void this.#perform(apply.path[0], args, circumstances)
      .then(
        (value) => answerCall(this.#hosting, apply.id, { value }),
        (error: Error) => answerCall(this.#hosting, apply.id, { error }),
      )
      .finally(() => {
        this.#open.end(call, open);
        resume?.();
      });
  }

  refusesLarge(): undefined {
    return undefined;
  }

  abort(call: number): void {
    this.#open.abort(call);
  }

  release(dispatch: number): void {
    this.#open.release(dispatch);
  }

  sync(): Promise<SyncFailure> {
    throw new Error("a trusted hook makes no blocking requests");
  }

  narrowed(): void {}

  forget(): void {
    this.#open.clear();
  }

  async #perform(name: string, args: readonly unknown[], circumstances: Circumstances): Promise<unknown> {
    if (!Object.hasOwn(PERFORM, name)) throw new Error(`a trusted hook has no ${name}`);
    const perform = PERFORM[name as OperationName] as (args: readonly unknown[], asked: Circumstances) => unknown;
    return perform(args, circumstances);
  }
}
