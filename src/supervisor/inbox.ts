import { ToHost } from "../../sandbox/wire/messages.ts";
import { messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import type { DispatchRun } from "./dispatch-run.ts";
import { readMessage, readSync, readVerdict } from "./guest-frames.ts";
import type { Member } from "./hosted-isolate.ts";
import type { Failure } from "./outcome.ts";
import type { Exit, SandboxProcess } from "./process.ts";

/** Longest text of why a bundle failed. */
const MAX_REASON = 2000;

/** What the frames of one process are about. */
export interface InboxSurroundings {
  readonly process: SandboxProcess;
  readonly runs: ReadonlyMap<number, DispatchRun>;
  member(number: number): Member | undefined;
  /** The run that stands for the loading of a bundle, which no verdict ends. */
  loadingRun(): DispatchRun | undefined;
  /** The bundle being loaded is ready, or failed. Throws if it is not this member's. */
  loaded(member: Member, failure?: Failure): void;
  isLoading(member: Member): boolean;
  /** A fault of this member's own condemns the process. */
  condemn(member: Member, exit: Exit): void;
  pong(number: number): void;
  /** Throws for a member that was not taken out. */
  dropped(number: number): void;
}

/** Reads the frames of one sandbox process. Throws for any that an honest one would not send: its process is killed then. */
export class Inbox {
  readonly #around: InboxSurroundings;
  #syncs = 0;

  constructor(around: InboxSurroundings) {
    this.#around = around;
  }

  /** The process waits for a synchronous answer. */
  get blocked(): boolean {
    return this.#syncs > 0;
  }

  frame(kind: number, number: number, text: string): void {
    if (kind === ToHost.pong) {
      this.#around.pong(number);
      return;
    }
    if (kind === ToHost.dropped) {
      this.#around.dropped(number);
      return;
    }
    const member = this.#around.member(number);
    if (!member) {
      this.#ofRemoved(kind, number, text);
      return;
    }
    switch (kind) {
      case ToHost.verdict:
        this.#verdict(member, text);
        break;
      case ToHost.message:
        this.#message(member, text);
        break;
      case ToHost.sync:
        this.#sync(member, text);
        break;
      case ToHost.fault:
        this.#fault(member, text);
        break;
      case ToHost.measured:
        member.measured(text);
        break;
      default:
        throw new Error(`an unknown frame ${kind}`);
    }
  }

  /** A hook that was just taken out may still have frames on the way. All that counts is that no other is asked after it. */
  #ofRemoved(kind: number, number: number, text: string): void {
    if (kind === ToHost.sync) {
      // Its process waits for that.
      const message = "the hook was taken out, or restarted, meanwhile";
      this.#around.process.answer(number, JSON.stringify({ error: { code: "CRASHED", message } }));
      return;
    }
    if (kind !== ToHost.verdict || text[0] !== "1") return;
    const run = this.#around.runs.get(Number(text.slice(2, text.indexOf(":"))));
    if (run?.members.some((member) => member.number === number)) run.endEarly();
  }

  #verdict(member: Member, text: string): void {
    const colon = text.indexOf(":");
    const run = this.#around.runs.get(Number(text.slice(2, colon)));
    if (run?.current !== member || run === this.#around.loadingRun()) throw new Error("a verdict nobody asked for");
    run.take({ verdict: readVerdict(text[1], text.slice(colon + 1)) }, text[0] === "1");
  }

  #message(member: Member, text: string): void {
    const message = readMessage(text);
    switch (message.t) {
      case "call":
        member.listener.call(message.apply, text.length);
        break;
      case "abort":
        member.listener.abort(message.call);
        break;
      case "loaded":
        member.listener.loaded(message.dialect, message.placed === true, message.unsupported ?? []);
        member.listener.events(new Map(Object.entries(message.events)));
        this.#around.loaded(member);
        break;
      case "failed":
        member.listener.error({ ...message.error, code: "LOAD_FAILED" });
        this.#around.loaded(member, { code: "LOAD_FAILED", what: cleanLine(message.error.message, MAX_REASON) });
        break;
      case "events":
        member.listener.events(new Map(Object.entries(message.events)));
        break;
      case "log":
        member.listener.log(message.level, message.text, message.at);
        break;
      case "error":
        member.listener.error(message.error);
        break;
    }
  }

  #sync(member: Member, text: string): void {
    if (this.#syncs > 0) throw new Error("two synchronous calls at once");
    const request = readSync(text);
    const { process } = this.#around;
    const answering = member.listener.sync(request);
    this.#syncs++;
    void answering.then((answer) => {
      this.#syncs--;
      try {
        process.answer(member.number, JSON.stringify(answer));
      } catch (error) {
        process.answer(member.number, JSON.stringify({ error: { code: "BAD_RESULT", message: messageOf(error) } }));
      }
    });
  }

  #fault(member: Member, text: string): void {
    const [, fault, id] = /^(cpu|memory|threw|compile):(\d{1,10})$/.exec(text) ?? [];
    if (fault === undefined) throw new Error("an unknown fault");
    if (fault === "cpu" || fault === "memory") {
      this.#around.condemn(
        member,
        fault === "cpu"
          ? { code: "CPU_EXCEEDED", what: `it used more than ${member.cpuMs} ms of CPU time` }
          : { code: "OUT_OF_MEMORY", what: `it used more than ${member.load.memoryMb} MB of memory` },
      );
      return;
    }
    const failure: Failure =
      fault === "compile"
        ? { code: "LOAD_FAILED", what: "its bundle could not be compiled" }
        : { code: "HOOK_THREW", what: "it left a rejected promise unhandled, or threw where nobody catches" };
    if (this.#around.isLoading(member)) {
      this.#around.loaded(member, failure);
      return;
    }
    // What fails outside of an event, such as a timer, fails none: only the run that was entered is over.
    const run = this.#around.runs.get(Number(id));
    if (run?.current === member) run.take({ failure }, false);
    else member.listener.error({ message: failure.what, code: failure.code });
  }
}
