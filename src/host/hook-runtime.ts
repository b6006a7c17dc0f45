import { tmpdir } from "node:os";
import { sep } from "node:path";
import {
  type DialectName,
  type GuestError,
  type GuestInit,
  type LoadIsolate,
  MAX_UNSUPPORTED_NAME,
} from "../../sandbox/wire/messages.ts";
import type { Description, RegistrationKind } from "../../sandbox/wire/registrations.ts";
import type { ScreenChange } from "../../sandbox/wire/screens.ts";
import { RateLimit } from "../base/rate-limit.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import { Broker } from "../broker/broker.ts";
import type { BrokerServices } from "../broker/services.ts";
import { TrustedRequests } from "../broker/trusted-requests.ts";
import { positionIn } from "../bundle/source-positions.ts";
import { userFolder } from "../disk/user-folder.ts";
import { codeOf } from "../session/failure-text.ts";
import type { Hook, HookState } from "../session/hook.ts";
import { HostedIsolate, type IsolateOwner, type RequestHandler } from "../supervisor/hosted-isolate.ts";
import type { Hosting } from "../supervisor/hosting.ts";
import type { Failure } from "../supervisor/outcome.ts";
import { readableFields } from "../supervisor/prepared-event.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";

/** Wall time of one entry, in multiples of the CPU limit, as for unanswered pings. */
const WALL_PER_CPU = 30;

/** Longest line of a hook's log. */
const MAX_LINE = 16_000;

/** Most failures outside of events, and most warnings of the guest half, that are told in a minute: agents show each to their person. */
const MOST_TOLD = 60;

let lastNumber = 0;

export interface RuntimeListener {
  /** Receives each new state. */
  become(state: HookState, failure?: Failure): void;
  /** The hook added to the agent, or took back what it added. */
  offered(): void;
}

/** A running hook: its isolate, and the handler of the isolate's requests. Keeps what the isolate reports in {@link Hook}. */
export class HookRuntime implements IsolateOwner, Hosting {
  readonly hook: Hook;
  readonly isolate: HostedIsolate;
  readonly supervisor: Supervisor;
  readonly requests: RequestHandler;
  readonly #services: BrokerServices;
  readonly #become: RuntimeListener["become"];
  readonly #offered: RuntimeListener["offered"];
  readonly #told = new RateLimit();
  #isMute = false;

  /** The hook runs when the supervisor is started. */
  constructor(hook: Hook, supervisor: Supervisor, services: BrokerServices, listener: RuntimeListener) {
    this.hook = hook;
    this.#services = services;
    this.#become = listener.become;
    this.#offered = listener.offered;
    this.supervisor = supervisor;
    const { name, grant, trusted } = hook;
    this.isolate = new HostedIsolate({
      number: ++lastNumber,
      name,
      cpuMs: grant.cpuMs,
      load: this.#load(),
      code: this.hook.bundle?.code ?? "",
      owner: this,
    });
    this.requests = trusted ? new TrustedRequests(this, hook, services.session) : new Broker(hook, this, services);
    supervisor.add(this.isolate);
  }

  loaded(dialect: DialectName | undefined, hasMatchers: boolean, unsupported: readonly string[]): void {
    const { hook } = this;
    hook.begin();
    hook.screens?.closeAll();
    if (dialect) hook.dialect = dialect;
    hook.hasMatchers = hasMatchers;
    hook.unsupported = unsupported.map((part) => cleanLine(part, MAX_UNSUPPORTED_NAME));
  }

  registered(kind: RegistrationKind, name: string, description: Description | null): void {
    const { hook } = this;
    hook.registrations.set(kind, name, description);
    if (description && !hook.mayOffer({ kind, name })) this.#services.reporter.refuseOffer(hook, kind, name);
    this.#offered();
  }

  reached(branch: number): void {
    const { bundle, reached } = this.hook;
    if (branch >= (bundle?.branches?.length ?? 0)) throw new Error("a branch that is not counted");
    reached.add(branch);
  }

  screen(number: number, change: ScreenChange): void {
    this.hook.screens?.change(number, change);
  }

  events(events: ReadonlyMap<string, number>): void {
    this.hook.events = events;
  }

  log(level: "debug" | "info" | "warn" | "error", text: string, at?: string): void {
    const { id, positions } = this.hook;
    if (at === undefined && !this.#mayTell()) return;
    const position = at === undefined || !positions ? undefined : positionIn(positions.translate(at));
    this.#services.reporter.log({
      level,
      hook: id,
      text: cleanText(text, MAX_LINE),
      ...(position === undefined ? {} : { at: cleanText(position, 1000) }),
    });
  }

  error(error: GuestError): string | undefined {
    const event = this.hook.state === "starting" ? "load" : "background";
    const code = error.code === "LOAD_FAILED" ? "LOAD_FAILED" : codeOf(error);
    if (this.#mayTell()) this.#services.reporter.report(this.hook, event, { ...error, code });
    return this.#placeIn(error.stack);
  }

  /** A timer of a hook without any power can fail a thousand times in a second. That it is silent from now on is told once. */
  #mayTell(): boolean {
    const may = this.#told.use(MOST_TOLD);
    const message = `it failed or warned more than ${MOST_TOLD} times in a minute: no more is told until that is over`;
    if (!may && !this.#isMute)
      this.#services.reporter.report(this.hook, "background", { code: "RATE_LIMITED", message });
    this.#isMute = !may;
    return may;
  }

  /** Relative to the hook's folder, as the errors of its build are. */
  #placeIn(stack: string | undefined): string | undefined {
    const { positions, root } = this.hook;
    const place = stack === undefined || !positions ? undefined : positionIn(positions.translate(stack));
    return place?.startsWith(root + sep) ? place.slice(root.length + 1) : undefined;
  }

  crashed({ code, summary }: Failure, culprit: boolean): void {
    // Its next isolate adds anew.
    this.hook.registrations.clear();
    this.hook.screens?.closeAll();
    this.#offered();
    const { reporter } = this.#services;
    reporter.audit({ hook: this.hook.id, event: "crash", value: summary, outcome: culprit ? code : "restarted" });
    const message = culprit ? summary : `restarted, since the sandbox it shares ended: ${summary}`;
    // Its own code would say that this hook did what the other one did.
    reporter.report(this.hook, "crash", { code: culprit ? code : "CRASHED", message });
  }

  state(state: HookState, failure?: Failure): void {
    if (state === "stopped") {
      const value = failure?.summary ?? "";
      this.#services.reporter.audit({ hook: this.hook.id, event: "crash", value, outcome: "stopped" });
    }
    // It was built, and failed in its isolate.
    if (state === "failed") this.#services.reporter.loaded(this.hook, "failed", failure);
    this.#become(state, failure);
  }

  #load(): LoadIsolate {
    const { session } = this.#services;
    const { id, named, grant, trusted, failsOpen, bundle, configSchema: schema } = this.hook;
    const { config } = grant;
    const init: GuestInit = {
      hook: id,
      dialect: named,
      cwd: session.cwd,
      priority: grant.priority,
      failOpen: failsOpen,
      eval: grant.eval,
      wasm: grant.wasm,
      branches: bundle?.branches?.length ?? 0,
      session: readableFields(trusted ? ["entries"] : (grant.capabilities.session ?? [])),
      machine: { home: userFolder(), tmp: tmpdir(), platform: process.platform, arch: process.arch, pid: process.pid },
      ...(config || schema ? { plugin: { ...(config ? { config } : {}), ...(schema ? { schema } : {}) } } : {}),
    };
    return {
      memoryMb: grant.memoryMb,
      entryTimeoutMs: grant.cpuMs * WALL_PER_CPU,
      init: JSON.stringify(init),
    };
  }
}
