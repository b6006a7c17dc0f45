import { type GuestError, ToHost } from "../../sandbox/wire/messages.ts";
import { MAX_DESCRIPTION } from "../../sandbox/wire/registrations.ts";
import { messageOf } from "../base/errors.ts";
import { jsonEndingWith } from "../base/large-value.ts";
import { RateLimit } from "../base/rate-limit.ts";
import { cleanLine } from "../base/text.ts";
import { DispatchRun } from "./dispatch-run.ts";
import { readMessage, readPriority, readSync, readThrown, readVerdict } from "./guest-frames.ts";
import type { HostedIsolate } from "./hosted-isolate.ts";
import { headOf, isLarge } from "./large-request.ts";
import type { Loading } from "./loading.ts";
import type { Failure } from "./outcome.ts";
import { PriorityQuery } from "./priority-query.ts";
import type { Tasks } from "./tasks.ts";
import type { Exit, Transport } from "./transport.ts";

/** Most frames in a minute of hooks that were removed from the process, but for questions: it waits for the answer of each. */
const MAX_LATE = 1000;

/** Longest text of why a bundle failed. */
const MAX_REASON = 2000;

/** What an inbox needs of its supervisor. */
export interface InboxDeps {
  readonly process: Transport;
  readonly tasks: Tasks;
  isolate(number: number): HostedIsolate | undefined;
  /** The loading of this isolate's bundle, if one is under way. */
  loadingOf(isolate: HostedIsolate): Loading | undefined;
  /** Kills the process because of this isolate's own fault. */
  condemn(isolate: HostedIsolate, exit: Exit): void;
  pong(number: number): void;
  /** Throws for an isolate that was not removed. */
  dropped(number: number): void;
}

/** Reads the frames of one sandbox process. Throws for a frame that an honest one never sends; the process is then killed. */
export class Inbox {
  readonly #deps: InboxDeps;
  /** Frames of hooks that were removed: each leaves a few on their way. */
  readonly #late = new RateLimit();
  #asking: HostedIsolate | undefined;

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  /** The isolate that the process waits for a synchronous answer for. */
  get asking(): HostedIsolate | undefined {
    return this.#asking;
  }

  frame(kind: number, number: number, text: string): void {
    const { isolate: isolateOf, pong, dropped } = this.#deps;
    if (kind === ToHost.pong) pong(number);
    else if (kind === ToHost.dropped) dropped(number);
    else if (kind === ToHost.passed) this.#passed(number, text);
    else {
      const isolate = isolateOf(number);
      if (isolate) this.#of(isolate, kind, text);
      else this.#ofRemoved(kind, number, text);
    }
  }

  #of(isolate: HostedIsolate, kind: number, text: string): void {
    if (kind === ToHost.verdict) this.#verdict(isolate, text);
    else if (kind === ToHost.message) this.#message(isolate, text);
    else if (kind === ToHost.priority) this.#priority(isolate, text);
    else if (kind === ToHost.sync) this.#sync(isolate, text);
    else if (kind === ToHost.fault) this.#fault(isolate, text);
    else if (kind === ToHost.measured) isolate.measured(text);
    else throw new Error(`an unknown frame ${kind}`);
  }

  /** Reads a frame of a hook that was just removed. It matters only if it ends a run: no later hook is asked then. */
  #ofRemoved(kind: number, number: number, text: string): void {
    if (kind === ToHost.sync) {
      // Its process blocks until it is answered.
      const message = "the hook was removed or restarted meanwhile";
      this.#deps.process.answer(number, JSON.stringify({ error: { code: "CRASHED", message } }));
      return;
    }
    if (!this.#late.use(MAX_LATE)) throw new Error("frames of a hook that is not there");
    if (kind !== ToHost.verdict || text[0] !== "1") return;
    const run = this.#deps.tasks.get(Number(text.slice(2, text.indexOf(":"))));
    if (run instanceof DispatchRun && run.isolates.some((isolate) => isolate.number === number)) run.endEarly();
  }

  #verdict(isolate: HostedIsolate, text: string): void {
    const colon = text.indexOf(":");
    const run = this.#deps.tasks.get(Number(text.slice(2, colon)));
    if (!(run instanceof DispatchRun) || run.current !== isolate) throw new Error("a verdict nobody asked for");
    run.take({ verdict: readVerdict(text[1], text.slice(colon + 1), run.event) }, text[0] === "1");
  }

  /** Of a hook that was just removed, nothing counts. The host has its failure already. */
  #passed(number: number, text: string): void {
    const run = this.#deps.tasks.get(Number(text));
    if (run instanceof DispatchRun && run.passUntil(number)) return;
    if (this.#deps.isolate(number) || !this.#late.use(MAX_LATE)) throw new Error("a verdict nobody asked for");
  }

  #message(isolate: HostedIsolate, text: string): void {
    // A call that is refused like this has already been answered.
    if (isLarge(text) && isolate.owner.requests.refusesLarge(headOf(text))) return;
    const { owner } = isolate;
    const message = readMessage(text);
    if (message.t === "call") owner.requests.call(message.apply, text.length);
    else if (message.t === "abort") owner.requests.abort(message.call);
    else if (message.t === "log") owner.log(message.level, message.text, message.at);
    else if (message.t === "error") owner.error(message.error);
    else if (message.t === "reached") owner.reached(message.branch);
    else if (message.t === "registered") {
      if (text.length > 2 * MAX_DESCRIPTION) throw new Error("a description that is too long");
      owner.registered(message.kind, message.name, message.description);
    } else if (message.t === "failed") {
      const place = owner.error({ ...message.error, code: "LOAD_FAILED" });
      const said = message.error.message;
      const summary = cleanLine(place === undefined ? said : `${place}: ${said}`, MAX_REASON);
      this.#loadingOf(isolate).threw({ code: "LOAD_FAILED", summary, said: summary });
    } else if (message.t === "screen") owner.screen(message.screen, message.change);
    else if (message.t === "events") owner.events(new Map(Object.entries(message.events)));
    else {
      owner.loaded(message.dialect, message.hasMatchers === true, message.unsupported ?? []);
      owner.events(new Map(Object.entries(message.events)));
      this.#loadingOf(isolate).succeed();
    }
  }

  /** Throws if this isolate's bundle is not being loaded. */
  #loadingOf(isolate: HostedIsolate): Loading {
    const loading = this.#deps.loadingOf(isolate);
    if (!loading) throw new Error("a bundle loaded twice");
    return loading;
  }

  #priority(isolate: HostedIsolate, text: string): void {
    const colon = text.indexOf(":");
    const query = this.#deps.tasks.get(Number(text.slice(0, colon)));
    if (!(query instanceof PriorityQuery) || query.current !== isolate) throw new Error("a priority nobody asked for");
    const { priority, error } = readPriority(text.slice(colon + 1));
    query.take(error ? { thrown: error } : { priority });
  }

  #sync(isolate: HostedIsolate, text: string): void {
    if (this.#asking) throw new Error("two synchronous calls at once");
    const { process } = this.#deps;
    const { requests } = isolate.owner;
    const refusal = isLarge(text) ? requests.refusesLarge(headOf(text)) : undefined;
    const answering = refusal
      ? Promise.resolve({ error: { code: refusal.code, message: refusal.message } })
      : requests.sync(readSync(text));
    this.#asking = isolate;
    void answering.then((answer) => {
      this.#asking = undefined;
      try {
        const json = "value" in answer ? jsonEndingWith(answer.value, (value) => ({ value })) : JSON.stringify(answer);
        process.answer(isolate.number, json);
      } catch (error) {
        process.answer(isolate.number, JSON.stringify({ error: { code: "BAD_RESULT", message: messageOf(error) } }));
      }
    });
  }

  #fault(isolate: HostedIsolate, text: string): void {
    const [, fault, id, more] = /^(cpu|memory|threw|compile):(\d{1,10})(?:\n(.*))?$/s.exec(text) ?? [];
    if (fault === undefined || (more !== undefined && fault !== "threw")) throw new Error("an unknown fault");
    if (fault === "cpu" || fault === "memory") {
      this.#deps.condemn(
        isolate,
        fault === "cpu"
          ? { code: "CPU_EXCEEDED", summary: `it used more than ${isolate.cpuMs} ms of CPU time` }
          : { code: "OUT_OF_MEMORY", summary: `it used more than ${isolate.load.memoryMb} MB of memory` },
      );
      return;
    }
    const failure: Failure =
      fault === "compile"
        ? { code: "LOAD_FAILED", summary: "its bundle could not be compiled" }
        : uncaught(more === undefined ? undefined : readThrown(more));
    // A failure outside of an event, such as a timer's, fails no event: only the task of that entry fails.
    const task = this.#deps.loadingOf(isolate) ?? this.#deps.tasks.get(Number(id));
    if (task?.current === isolate) task.threw(failure);
    else
      isolate.owner.error({
        message: failure.summary,
        code: failure.code,
        ...(failure.stack === undefined ? {} : { stack: failure.stack }),
      });
  }
}

/** Longest message of a thrown error beside what Cordon says of it. */
const MAX_THROWN = 500;

function uncaught(thrown: GuestError | undefined): Failure {
  const what = "it left a rejected promise unhandled, or threw where nobody catches";
  if (!thrown) return { code: "HOOK_THREW", summary: what };
  const message = cleanLine(thrown.message, MAX_THROWN);
  return {
    code: "HOOK_THREW",
    ...(message === "" ? { summary: what } : { summary: `${what}: ${message}`, said: message }),
    ...(thrown.stack ? { stack: thrown.stack } : {}),
  };
}
