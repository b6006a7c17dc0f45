import { basename, dirname, join } from "node:path";
import { EVENT_NAMES } from "../../../sandbox/wire/events.ts";
import { messageOf } from "../../base/errors.ts";
import { limitsOf } from "../../grants/limits.ts";
import { findManifest } from "../../grants/manifest.ts";
import { type Capabilities, type Limits, withMore } from "../../grants/schema.ts";
import type { Wanted } from "../../grants/wanted.ts";
import type { HookEvent } from "../../hook-api.ts";
import { HookHost } from "../../host/host.ts";
import { sees } from "../../powers/events.ts";
import { NO_UI } from "../../powers/lent-session.ts";
import { type HookError, type Refusal, withoutRepeats } from "../../session/hook-error.ts";
import type { LogLine } from "../../session/log-line.ts";
import type { HookOption } from "../../session/options.ts";
import { eventNamed, type Place, placeOf, sourcesOf } from "../check-places.ts";
import { dryPowers } from "../dry-powers.ts";
import { sampleAgent } from "../sample-answers.ts";
import { personsModel } from "../sample-model.ts";
import { type UnknownEvent, unknownEvents } from "../unknown-events.ts";

/** What a hook that asks for nothing may do. */
export const DEFAULT: Capabilities = {
  events: { see: ["*"], block: true, cancel: true },
  ui: ["notify", "select", "confirm", "input"],
};

export interface DevSetup {
  cwd: string;
  /** Powers are used for real. */
  act: boolean;
  grantsFile?: string;
}

/** What a hook said and was refused. */
export interface Heard {
  /** What it would show a person. */
  notices: string[];
  refused: Refusal[];
  errors: HookError[];
  log: LogLine[];
  /** Powers that were used, and not in fact. */
  pretended: string[];
}

/** What came of one event. */
export interface Judged extends Heard {
  event: HookEvent;
  result: unknown;
  /** Wall time. */
  ms: number;
  /** Bytes in use afterwards. */
  memory?: number;
}

/** A hook as it was built and started. */
export interface Loaded {
  reason?: string;
  heard: readonly string[];
  unknown: readonly UnknownEvent[];
  /** Events that it has handlers for, and that its grant does not let it see. */
  unseen: readonly string[];
  /** Where its code names an event. */
  placeOf: (event: string) => Place;
  /** It has no handler, not even for an unknown event, and its code adds nothing to the agent. */
  doesNothing: boolean;
  loading: Heard;
}

/** A hook that its author works on. It runs with what its manifest asks for, and what the author granted for this run. */
export class DevHook {
  readonly file: string;
  readonly #id: string;
  readonly #setup: DevSetup;
  #host: HookHost | undefined;
  /** The grant that the host was started with, as JSON. */
  #grant = "";
  /** What was granted for this run. */
  #more: Wanted[] = [];
  #heard: Heard = nothing();
  /** Told of what the hook does while it is asked nothing. */
  #whenIdle: ((heard: Heard) => void) | undefined;
  /** The digest that was judged last. */
  #judged: string | undefined;

  constructor(file: string, setup: DevSetup) {
    this.file = file;
    this.#id = nameOf(file);
    this.#setup = setup;
  }

  /**
   * Builds and starts the hook as it is now. What it said and was refused while it loaded comes with it. `undefined`: it is as it was
   * when it was judged last.
   */
  async load(): Promise<Loaded | undefined> {
    const told = this.#whenIdle;
    this.#whenIdle = undefined;
    this.#heard = nothing();
    const before = this.#host;
    const state = await this.#start().catch((error: unknown) => messageOf(error));
    const host = this.#host;
    const [hook] = host?.hooks ?? [];
    const reason =
      typeof state === "string" ? state : hook?.state === "active" ? undefined : (hook?.reason ?? "it does not load");
    const judged = reason === undefined ? `${hook?.digest}` : `failed ${reason}`;
    if (before === host && judged === this.#judged) {
      this.#whenIdle = told;
      return undefined;
    }
    this.#judged = judged;
    const heard = hook?.events ?? [];
    const unseen = heard.filter((name) => EVENT_NAMES.includes(name) && !sees(hook?.capabilities.events, name));
    const unknown = hook ? unknownEvents(hook) : [];
    return {
      ...(reason === undefined ? {} : { reason }),
      ...{ heard, unknown, unseen },
      placeOf: (event) => placeOf(eventNamed(event), this.#sources(), this.file),
      doesNothing: heard.length === 0 && unknown.length === 0 && (host?.uses(this.#id) ?? []).length === 0,
      loading: this.#take(),
    };
  }

  /** What it offers to the agent, which no event runs. */
  get untried(): string[] {
    const offers = this.#host?.offers;
    if (!offers) return [];
    const named = (kind: "command" | "shortcut"): string[] =>
      offers.commands(kind).map(({ name }) => `${kind} ${name}`);
    return [...offers.tools.map(({ name }) => `tool ${name}`), ...named("command"), ...named("shortcut")];
  }

  #sources(): Map<string, string> {
    return sourcesOf(this.file, this.#host?.sources(this.#id) ?? [], dirname(this.file));
  }

  /** It is judged again, changed or not. */
  forget(): void {
    this.#judged = undefined;
  }

  /** `told` hears of what the hook does from now on, until it is loaded or judges again. */
  whenIdle(told: (heard: Heard) => void): void {
    this.#whenIdle = told;
  }

  /** What it did since this was asked last. */
  #take(): Heard {
    const heard = this.#heard;
    this.#heard = nothing();
    return { ...heard, errors: withoutRepeats(heard.errors) };
  }

  #hear(one: Partial<Heard>): void {
    const more = { ...nothing(), ...one };
    if (this.#whenIdle) this.#whenIdle(more);
    else for (const key of KEYS) (this.#heard[key] as unknown[]).push(...more[key]);
  }

  /** Sends an event to the hook. */
  async judge(event: HookEvent): Promise<Judged> {
    const host = this.#host as HookHost;
    this.#whenIdle = undefined;
    const started = performance.now();
    const result = await (event.type === "tool_call"
      ? host.emitToolCall(event, { canRun: () => true })
      : host.emit(event));
    const ms = performance.now() - started;
    const memory = await host.memoryOf(this.#id);
    return { event, result, ms, ...(memory === undefined ? {} : { memory }), ...this.#take() };
  }

  /** Grants powers for this run. */
  grant(wanted: readonly Wanted[]): void {
    this.#more.push(...wanted);
  }

  /** What it was granted beyond its manifest. */
  get granted(): readonly Wanted[] {
    return this.#more;
  }

  /** The manifest has it now. */
  forgetGranted(): void {
    this.#more = [];
  }

  async close(): Promise<void> {
    await this.#host?.close();
    this.#host = undefined;
    this.#judged = undefined;
  }

  /** Restarts the hook in its host, or in another one if it may do something else now. */
  async #start(): Promise<void> {
    const grant = this.#setup.grantsFile === undefined ? this.#grantNow() : undefined;
    const asJson = JSON.stringify(grant ?? {});
    if (this.#host && asJson === this.#grant) return this.#host.reload(this.#id);
    await this.close();
    this.#grant = asJson;
    const { cwd, act, grantsFile } = this.#setup;
    const model = personsModel();
    this.#host = await HookHost.start({
      cwd,
      discover: false,
      spare: false,
      trial: "alone",
      hooks: [{ path: this.file, id: this.#id, ...(grant ? { grant } : {}) }],
      ...(grantsFile === undefined ? {} : { grantsFile }),
      ui: { ...NO_UI, logNotice: (_shown, _type, origin) => this.#hear({ notices: [origin?.title ?? ""] }) },
      hasUI: false,
      agent: sampleAgent("rpc", true, { cwd, model }, () => {}),
      ...(act ? {} : { pretence: dryPowers(cwd, (operation) => this.#hear({ pretended: [operation] })) }),
      onRefused: (refusal) => this.#hear({ refused: [refusal] }),
      log: (line) => line.hook !== undefined && line.at !== undefined && this.#hear({ log: [line] }),
    });
    this.#host.onError((error) => this.#hear({ errors: [error] }));
  }

  #grantNow(): NonNullable<HookOption["grant"]> {
    const { manifest } = findManifest(this.file);
    const powers = this.#more.filter(({ capability }) => capability !== "limits");
    const asked = manifest?.capabilities ?? DEFAULT;
    const capabilities = powers.reduce<Capabilities>(
      (sum, { capability, grant }) => withMore(sum, capability, grant),
      asked,
    );
    const lifted = this.#more.flatMap(({ capability, grant }) => (capability === "limits" ? [grant as Limits] : []));
    const limits = lifted.reduce<Limits | undefined>((sum, one) => limitsOf.union(sum, one), manifest?.limits);
    return {
      capabilities,
      ...(limits ? { limits } : {}),
      ...(manifest?.priority === undefined ? {} : { priority: manifest.priority }),
    };
  }
}

/** What messages call a hook in work: its file. The name alone would be that of the same hook where it is installed. */
const nameOf = (file: string): string =>
  basename(file).startsWith("index.") ? join(basename(dirname(file)), basename(file)) : basename(file);

const KEYS = ["notices", "refused", "errors", "log", "pretended"] as const satisfies (keyof Heard)[];

const nothing = (): Heard => ({
  notices: [],
  refused: [],
  errors: [],
  log: [],
  pretended: [],
});

/** The refused powers that a grant could give, joined. */
export const wantedOf = (refusals: readonly Refusal[]): Wanted[] => refusals.flatMap(({ wanted }) => wanted ?? []);
