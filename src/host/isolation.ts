import { homedir, tmpdir } from "node:os";
import { type GuestInit, MAX_UNSUPPORTED_NAME } from "../../sandbox/wire/messages.ts";
import type { AuditFact } from "../audit/audit.ts";
import { messageOf } from "../base/errors.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import { Broker } from "../broker/broker.ts";
import { placeIn } from "../bundle/source-positions.ts";
import type { Session } from "../powers/lent-session.ts";
import type { Runtime } from "../runtime/locate.ts";
import type { Use } from "../session/consent.ts";
import { codeOf } from "../session/failure-text.ts";
import type { Hook, HookState } from "../session/hook.ts";
import type { LogLine } from "../session/log-line.ts";
import type { Reported } from "../session/reporter.ts";
import { HostedIsolate } from "../supervisor/hosted-isolate.ts";
import type { Failure } from "../supervisor/outcome.ts";
import { Pool } from "../supervisor/pool.ts";
import { readableFields } from "../supervisor/prepared-event.ts";
import { placement } from "./placement.ts";

/** Wall bound of one entry beside the CPU limit, as for unanswered pings. */
const WALL_PER_CPU = 30;

export interface IsolationListener {
  report(hook: Hook, event: string, error: Reported): void;
  refused(hook: Hook, event: string, error: Reported, quiet: boolean): void;
  log(line: LogLine): void;
  state(hook: Hook, state: HookState, failure?: Failure): void;
  /** False if it could not be written. */
  audit(fact: AuditFact): boolean;
  takeRevoked(): void;
  consent(hook: Hook, use: Use): Promise<unknown>;
}

/** Puts hooks into sandbox processes and connects each with a broker of its own. */
export class Isolation {
  readonly runtime: Runtime;
  readonly #pool: Pool;
  readonly #session: Session;
  readonly #listener: IsolationListener;
  readonly #brokers = new WeakMap<Hook, Broker>();
  #lastNumber = 0;

  constructor(runtime: Runtime, session: Session, spare: boolean, listener: IsolationListener) {
    this.runtime = runtime;
    this.#session = session;
    this.#listener = listener;
    this.#pool = new Pool(runtime, spare);
  }

  /** Gives a built hook its place. It runs once its supervisor is started. */
  place(hook: Hook): void {
    const { grant, bundle } = hook;
    if (!bundle) throw new Error("a hook without a bundle cannot be hasMatchers");
    // As they are now: what is put in their place later is another program.
    for (const { program } of grant.capabilities.exec ?? []) this.#session.programs.pin(program);
    const supervisor = this.#pool.supervisor(placement(hook), { memoryMb: grant.memoryMb, jit: grant.jit });
    const broker = this.#broker(hook);
    this.#brokers.set(hook, broker);
    const isolate = new HostedIsolate({
      number: ++this.#lastNumber,
      name: hook.name,
      cpuMs: grant.cpuMs,
      load: {
        memoryMb: grant.memoryMb,
        entryTimeoutMs: grant.cpuMs * WALL_PER_CPU,
        code: bundle.code,
        init: JSON.stringify({
          hook: hook.id,
          dialect: hook.named,
          cwd: this.#session.cwd,
          priority: grant.priority,
          failOpen: grant.failure === "open",
          eval: grant.eval,
          session: readableFields(grant.capabilities.session ?? []),
          machine: { home: homedir(), tmp: tmpdir(), platform: process.platform, arch: process.arch },
        } satisfies GuestInit),
      },
      listener: {
        call: (apply, size) => broker.call(apply, size),
        refusesLarge: (request) => broker.refusesLarge(request),
        abort: (call) => broker.abort(call),
        release: (dispatch) => broker.release(dispatch),
        sync: (request) => broker.sync(request),
        loaded: (dialect, hasMatchers, unsupported) => {
          hook.begin();
          if (dialect) hook.dialect = dialect;
          hook.hasMatchers = hasMatchers;
          hook.unsupported = unsupported.map((part) => cleanLine(part, MAX_UNSUPPORTED_NAME));
        },
        events: (events) => {
          hook.events = events;
        },
        log: (level, text, at) =>
          this.#listener.log({ level, hook: hook.id, text: cleanText(text, 16_000), ...this.#place(hook, at) }),
        error: (error) =>
          this.#listener.report(hook, hook.state === "starting" ? "load" : "background", {
            ...error,
            code: error.code === "LOAD_FAILED" ? "LOAD_FAILED" : codeOf(error),
          }),
        gone: () => broker.forget(),
        crashed: (failure, culprit) => {
          broker.forget();
          this.#listener.audit({
            hook: hook.id,
            event: "crash",
            value: failure.summary,
            outcome: culprit ? failure.code : "restarted",
          });
          const message = culprit
            ? failure.summary
            : `restarted, since the sandbox it shares ended: ${failure.summary}`;
          this.#listener.report(hook, "crash", { code: failure.code, message });
        },
        state: (state, failure) => {
          if (state === "stopped")
            this.#listener.audit({ hook: hook.id, event: "crash", value: failure?.summary ?? "", outcome: "stopped" });
          this.#listener.state(hook, state, failure);
        },
      },
    });
    hook.isolate = isolate;
    hook.supervisor = supervisor;
    supervisor.add(isolate);
  }

  /** Takes a hook out of its process. */
  displace(hook: Hook): void {
    if (hook.isolate) hook.supervisor?.remove(hook.isolate);
    hook.isolate = undefined;
    hook.supervisor = undefined;
  }

  /** A hook's grant has become less: what it has under way and may not any more ends. */
  narrowed(hook: Hook): void {
    this.#brokers.get(hook)?.narrowed();
  }

  async startAll(): Promise<void> {
    await Promise.all([...this.#pool.supervisors].map((supervisor) => supervisor.start()));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #place(hook: Hook, at: string | undefined): { at?: string } {
    const place = at === undefined || !hook.positions ? undefined : placeIn(hook.positions.translate(at));
    return place === undefined ? {} : { at: cleanText(place, 1000) };
  }

  #broker(hook: Hook): Broker {
    return new Broker(hook, {
      session: this.#session,
      run: (id) => hook.supervisor?.run(id),
      onlyRun: () => (hook.isolate ? hook.supervisor?.onlyRun(hook.isolate) : undefined),
      reply: (id, answer) => {
        const { isolate, supervisor } = hook;
        if (!isolate || !supervisor) return;
        const failed = (error: Error) => ({
          t: "reply" as const,
          reply: {
            id,
            type: "HANDLER" as const,
            name: "throw" as const,
            value: {
              isError: true as const,
              value: {
                name: "Error",
                message: error.message,
                ...codeOfAny(error),
              },
            },
          },
        });
        try {
          if ("error" in answer) supervisor.tell(isolate, failed(answer.error));
          else supervisor.tell(isolate, { t: "reply", reply: { id, type: "RAW", value: answer.value } });
        } catch (error) {
          supervisor.tell(isolate, failed(new Error(`the answer could not be passed on: ${messageOf(error)}`)));
        }
      },
      takeRevoked: () => this.#listener.takeRevoked(),
      consent: (use) => this.#listener.consent(hook, use),
      audit: (fact) =>
        this.#listener.audit({ hook: hook.id, ...(hook.digest ? { digest: hook.digest } : {}), ...fact }),
      refused: ({ code, message }, event, wanted, quiet) =>
        this.#listener.refused(hook, event, { code, message, ...(wanted ? { wanted } : {}) }, quiet),
    });
  }
}

/** Cordon's own codes, and those of Node's file system and network, which hooks know. */
function codeOfAny(error: Error): { code?: string } {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" ? { code } : {};
}
