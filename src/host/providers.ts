import type { LoginStep, ProviderAct, Route, SignedIn, StreamNote } from "../../sandbox/wire/providers.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import type { Added, AddedList } from "../powers/added-list.ts";
import type { Session } from "../powers/lent-session.ts";
import { Pace } from "../powers/net-pace.ts";
import { modelsOf, type ProviderConfig, type ProviderModel, partsOf } from "../powers/provider-config.ts";
import { type ProvidersGrant, providersPower } from "../powers/provider-grant.ts";
import { type VirtualModel, virtualName } from "../powers/virtual-model.ts";
import { reasonOf, troubleOf } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import type { ProviderTold } from "../supervisor/prepared-event.ts";
import { parseUntrusted, toPlain } from "../supervisor/untrusted-json.ts";
import { endOf, isCancelled } from "../verdicts/cancelled.ts";
import { givenBy } from "../verdicts/result-shape.ts";
import { Answer, type AnswerEvent } from "./answer.ts";
import { routeOf } from "./route.ts";
import type { RunDeps } from "./run-deps.ts";
import { shownStep, signedIn } from "./sign-in.ts";

/** A provider of models that a hook adds to the agent. */
export interface OfferedProvider {
  /** Id of the hook. */
  hook: string;
  name: string;
  /** In the shape of pi's `ProviderConfig`, without functions: `streams`, `refreshes` and `login` say which there are. */
  config: ProviderConfig;
}

/** A model for which a hook chooses another one, at each request. */
export type OfferedVirtualModel = VirtualModel & { hook: string };

/** A request for a model of a provider, in pi's shapes. All of it is JSON. */
export interface ModelRequest {
  model: { provider?: unknown; id?: unknown; api?: unknown };
  context: object;
  options: object;
}

export interface AnswerOptions {
  signal?: AbortSignal;
  onEvent(event: AnswerEvent): void;
  /** What the hook tells of its request: the payload before it is sent, which the agent may replace, and what comes back. */
  onNote?(note: StreamNote, value: unknown): unknown;
}

/** What a sign-in shows or asks, in pi's shapes. Resolves with what the person said. Texts are cleaned. */
export type LoginDialog = (step: LoginStep, value: unknown, signal: AbortSignal) => Promise<unknown>;

/** Most waking time of an answer and of a sign-in, in ms. */
const ANSWER_LIMIT_MS = 1_800_000;
const LOGIN_LIMIT_MS = 900_000;
/** Of what only computes, or asks once. */
const SHORT_LIMIT_MS = 60_000;
/** What a hook has for itself after the agent aborted its request. */
const GRACE_MS = 2000;

/** For the outcome of a hook that died. */
const OUTCOME_MS = 100;

/** The providers of a session's hooks. Requests for their models run in their isolates. */
export class Providers {
  readonly #list: AddedList<ProviderConfig>;
  readonly #virtual: AddedList<VirtualModel>;
  readonly #deps: RunDeps;

  constructor(session: Session, deps: RunDeps) {
    this.#list = session.providers;
    this.#virtual = session.virtualModels;
    this.#deps = deps;
  }

  get all(): OfferedProvider[] {
    return this.#list.all.map(({ hook, name, value }) => ({ hook, name, config: value }));
  }

  /** Models for which hooks choose others. */
  get virtualModels(): OfferedVirtualModel[] {
    return this.#virtual.all.map(({ hook, value }) => ({ ...value, hook }));
  }

  /**
   * Has a hook choose the model for a request, which is JSON in the shape of pi's `ModelRouteRequest`. The agent decides whether
   * there is such a model. Rejects with what went wrong, for the person.
   */
  async route(
    { provider, id }: { provider: string; id: string },
    request: object,
    signal?: AbortSignal,
  ): Promise<Route> {
    const name = virtualName(provider, id);
    const hook = this.#hookOf(this.#virtual.all, name, "virtual model");
    return routeOf(await this.#ask(hook, name, { act: "route", request }, SHORT_LIMIT_MS, { over: signal }), hook.name);
  }

  /**
   * Has a hook answer a request. `onEvent` hears a `start`, parts and one end, in order; a hook that fails, dies or sends nonsense
   * ends it with an `error`, as does a signal. Resolves after the end. Rejects if no hook has the provider, if the request is no
   * JSON, and with what `onEvent` throws.
   */
  async stream(name: string, request: ModelRequest, { signal, onEvent, onNote }: AnswerOptions): Promise<void> {
    const { provider, hook } = this.#find(name);
    const answer = new Answer(request.model);
    const pace = new Pace();
    /** Aborted at the end of the answer; `stop` only if the hook did not end it. */
    const over = new AbortController();
    const stop = new AbortController();
    const broken = Promise.withResolvers<never>();
    /** The agent failed at an event, or asks what cannot be shown to a hook. */
    const breakOff = (error: unknown): void => {
      stop.abort();
      broken.reject(error);
    };
    const tell = (event: AnswerEvent): void => {
      try {
        onEvent(event);
      } catch (error) {
        breakOff(error);
      }
      if (answer.isOver) over.abort();
    };
    const fail = (reason: "error" | "aborted", why: string): void => {
      if (answer.isOver) return;
      tell(answer.fail(reason, why));
      stop.abort();
    };
    const told: ProviderTold = {
      async answer(text) {
        await pace.take(text.length, over.signal);
        try {
          for (const event of answer.take(text)) tell(event);
        } catch (error) {
          fail("error", `hook ${hook.name} answered with ${messageOf(error)}`);
          throw error;
        }
      },
      async tell(note, text) {
        if (!isNote(note) || answer.isOver) throw new Error("nobody listens");
        const heard: unknown = await onNote?.(note, toPlain(parseUntrusted(text)));
        return heard === undefined ? null : JSON.stringify(heard);
      },
    };
    const ended = new Promise<void>((resolve) =>
      over.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    const abort = (): void => fail("aborted", "Request was aborted");
    // If its hook died, the outcome says how.
    const end = (): void =>
      void setTimeout(() => fail("error", `hook ${hook.name} has the provider ${name} no more`), OUTCOME_MS).unref();
    signal?.addEventListener("abort", abort, { once: true });
    provider.gone.addEventListener("abort", end, { once: true });
    if (signal?.aborted) abort();
    else
      void this.#run(hook, name, { act: "stream", ...request }, ANSWER_LIMIT_MS, {
        told,
        over: over.signal,
        stop: stop.signal,
      })
        .then(({ error }) => fail("error", error ?? `hook ${hook.name} ended its answer without an end`))
        .catch(breakOff);
    try {
      await Promise.race([broken.promise, ended]);
    } finally {
      signal?.removeEventListener("abort", abort);
      provider.gone.removeEventListener("abort", end);
    }
  }

  /** Signs the person in. Resolves with credentials that the agent keeps. Rejects with what went wrong, for the person. */
  async login(name: string, dialog: LoginDialog, signal?: AbortSignal): Promise<SignedIn> {
    const { hook } = this.#find(name);
    const told: ProviderTold = {
      async tell(step, text, gone) {
        if (isNote(step)) throw new Error("nobody listens");
        const signals = signal ? [gone, signal] : [gone];
        const said = await dialog(step, shownStep(step, parseUntrusted(text), hook.name), AbortSignal.any(signals));
        return said === undefined ? null : JSON.stringify(said);
      },
    };
    return signedIn(await this.#ask(hook, name, { act: "login" }, LOGIN_LIMIT_MS, { told, over: signal }));
  }

  /** Renews credentials. */
  async refresh(name: string, credentials: object, signal?: AbortSignal): Promise<SignedIn> {
    const { hook } = this.#find(name);
    return signedIn(await this.#ask(hook, name, { act: "refresh", credentials }, SHORT_LIMIT_MS, { over: signal }));
  }

  /** The key in credentials. */
  async apiKey(name: string, credentials: object): Promise<string> {
    const { hook } = this.#find(name);
    const key = await this.#ask(hook, name, { act: "apiKey", credentials }, SHORT_LIMIT_MS, {});
    if (typeof key !== "string") throw new TypeError(`hook ${hook.name} gave no key`);
    return key;
  }

  /** The models that a provider has now, of which none leads to a place that was not granted. */
  async models(name: string, signal?: AbortSignal): Promise<ProviderModel[]> {
    const { hook, provider } = this.#find(name);
    const given = modelsOf(await this.#ask(hook, name, { act: "models" }, SHORT_LIMIT_MS, { over: signal }));
    const granted: ProvidersGrant | undefined = hook.grant.capabilities.providers;
    const named = (granted ?? []).some((part) => part.name === name && part.replaces);
    if (!providersPower.covers(granted, partsOf(name, { ...provider.value, models: given }, named)))
      throw new CordonError("NOT_GRANTED", `hook ${hook.name} was not granted a place of one of its models`);
    return given;
  }

  #find(name: string): { provider: Added<ProviderConfig>; hook: Hook } {
    const hook = this.#hookOf(this.#list.all, name, "provider");
    return { provider: this.#list.all.find((one) => one.name === name) as Added<ProviderConfig>, hook };
  }

  #hookOf(all: readonly Added<unknown>[], name: string, kind: string): Hook {
    const added = all.find((one) => one.name === name);
    const hook = added && this.#deps.hooks.find(({ id }) => id === added.hook);
    if (!hook) throw new CordonError("NOT_GRANTED", `no hook has the ${kind} ${cleanLine(name, 300)} here`);
    return hook;
  }

  async #ask(hook: Hook, name: string, act: ProviderAct, limitMs: number, how: How): Promise<unknown> {
    const { answer, error } = await this.#run(hook, name, act, limitMs, how);
    if (error !== undefined) throw new Error(error);
    return answer;
  }

  async #run(
    hook: Hook,
    name: string,
    act: ProviderAct,
    limitMs: number,
    { told, over, stop = over }: How,
  ): Promise<{ answer?: unknown; error?: string }> {
    const cancel = new AbortController();
    const giveUp = (): void => void setTimeout(() => cancel.abort(), GRACE_MS).unref();
    over?.addEventListener("abort", giveUp, { once: true });
    const run = { type: "run", kind: "provider", name, params: act } as const;
    const more = { cancel: cancel.signal, signal: stop, provider: told };
    const outcome = await this.#deps.dispatcher.run(hook, run, limitMs, more);
    over?.removeEventListener("abort", giveUp);
    const trouble = troubleOf(outcome);
    // What it does after nobody waits any more is no failure.
    const gaveUp = isCancelled(this.#deps, stop);
    if (!gaveUp) this.#deps.reporter.reportOutcome(hook, `provider ${name}`, outcome);
    this.#deps.reporter.audit({
      hook: hook.id,
      event: "provider",
      value: `${name}: ${act.act}`,
      outcome: endOf(trouble, gaveUp),
    });
    if (trouble) return { error: reasonOf(hook, trouble, `run its provider ${name}`) };
    return { answer: toPlain(givenBy<{ answer?: unknown }>(outcome)?.answer) };
  }
}

interface How {
  told?: ProviderTold;
  /** Aborted when nobody waits any more. */
  over?: AbortSignal | undefined;
  /** Aborts what the hook does. */
  stop?: AbortSignal | undefined;
}

const isNote = (step: StreamNote | LoginStep): step is StreamNote =>
  step === "payload" || step === "response" || step === "event";
