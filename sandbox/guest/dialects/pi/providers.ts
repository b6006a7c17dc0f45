import type { OperationName } from "../../../wire/operations.ts";
import type { ProviderAct } from "../../../wire/providers.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { describe, failure } from "../../core/outcome.ts";
import {
  apply,
  define,
  forHook,
  hookPromise,
  isArray,
  parseHere,
  serialize,
  settle,
  settled,
} from "../../core/primordials.ts";
import { readAnswer } from "./answer.ts";
import { loginCallbacks, streamOptions } from "./provider-calls.ts";
import { sentValue } from "./provider-values.ts";

type Config = Record<string, unknown>;
type Callable = (...args: unknown[]) => unknown;

/** Members of a configuration and of its models that are data. */
const MEMBERS = ["name", "baseUrl", "api", "authHeader"];
const MODEL_MEMBERS = [
  "id",
  "name",
  "api",
  "baseUrl",
  "thinkingLevelMap",
  "input",
  "inputLimits",
  "cost",
  "promptCache",
  "contextWindow",
  "maxTokens",
  "samplingParams",
  "compat",
];

const VIRTUAL_MEMBERS = ["provider", "id", "name", "thinkingLevels", "contextWindow", "maxTokens", "input"];

type RegisterName = Extract<OperationName, `providers.${"register" | "unregister"}${string}`>;

/** The providers of models that an extension adds to the agent. Their code stays here. */
export class Providers {
  readonly #environment: GuestEnvironment;
  readonly #all = new Map<string, Config>();
  /** By provider and id. */
  readonly #virtual = new Map<string, Config>();

  constructor(environment: GuestEnvironment) {
    this.#environment = environment;
  }

  /** `leaveOut`: called with a part that is not offered. */
  register(given: unknown, config: unknown, leaveOut: (name: string) => void): void {
    if (typeof given !== "string") {
      leaveOut("pi.registerProvider(provider), without a name and a configuration,");
      return;
    }
    if (typeof config !== "object" || config === null)
      throw new TypeError("Provider config is required when registering by name");
    const known = this.#all.get(given) ?? {};
    // As in pi: what a later call leaves out stays.
    const all: Config = { ...known };
    for (const [name, value] of Object.entries(config)) if (value !== undefined) all[name] = value;
    for (const name of ["images", "classifiers"])
      if (all[name] !== undefined) leaveOut(`pi.registerProvider({ ${name} })`);
    const plain = this.#plain(all, leaveOut);
    this.#all.set(given, all);
    this.#tell("providers.register", [given, plain]);
  }

  unregister(name: unknown): void {
    if (this.#all.delete(String(name))) this.#tell("providers.unregister", [String(name)]);
  }

  registerVirtual(model: Config): void {
    if (typeof model?.route !== "function") throw new TypeError("pi.registerVirtualModel takes a model with route()");
    const { provider, id } = model;
    this.#virtual.set(`${String(provider)}/${String(id)}`, model);
    this.#tell("providers.registerVirtual", [membersOf(model, VIRTUAL_MEMBERS)]);
  }

  unregisterVirtual(provider: unknown, id: unknown): void {
    if (this.#virtual.delete(`${String(provider)}/${String(id)}`))
      this.#tell("providers.unregisterVirtual", [String(provider), String(id)]);
  }

  /** Runs the code of a provider. `context`: makes what pi hands to it. */
  run(name: string, act: ProviderAct, dispatch: Dispatch, context: () => object): unknown {
    if (act.act === "route") {
      const model = this.#virtual.get(name);
      if (!model) throw failure("BAD_RESULT", `the virtual model ${name} is gone`);
      return call(model, "route", [define(act.request, { signal: dispatch.abort.signal }), context()]);
    }
    const config = this.#all.get(name);
    if (!config) throw failure("BAD_RESULT", `the provider ${name} is gone`);
    const { remote } = this.#environment;
    if (act.act === "stream") {
      const options = streamOptions(remote, dispatch, act);
      const stream = call(config, "streamSimple", [act.model, act.context, options]);
      return readAnswer(stream, (text) => remote.call("providers.answer", dispatch.id, [text]));
    }
    if (act.act === "models")
      return after(call(config, "refreshModels", [refreshContext(dispatch)]), (models) =>
        this.#models(models, () => {}),
      );
    const oauth = Object(config.oauth) as Config;
    const withKey = (credentials: unknown): unknown =>
      after(call(oauth, "getApiKey", [credentials]), (apiKey) => forHook({ credentials, apiKey }));
    if (act.act === "login") return after(call(oauth, "login", [loginCallbacks(remote, dispatch)]), withKey);
    const { credentials } = act;
    if (act.act === "apiKey") return call(oauth, "getApiKey", [credentials]);
    return after(call(oauth, "refreshToken", [credentials, dispatch.abort.signal]), withKey);
  }

  #plain(config: Config, leaveOut: (name: string) => void): object {
    const { port } = this.#environment;
    const { streamSimple, refreshModels, oauth, models } = config;
    const key = sentValue(port, config.apiKey, "apiKey");
    const login = Object(oauth) as Config;
    if (typeof login.modifyModels === "function") leaveOut("pi.registerProvider({ oauth: { modifyModels } })");
    return {
      ...membersOf(config, MEMBERS),
      ...(key === undefined ? {} : { apiKey: key }),
      ...this.#headers(config),
      ...(isArray(models) ? { models: this.#models(models, leaveOut) } : {}),
      ...(typeof streamSimple === "function" ? { streams: true } : {}),
      ...(typeof refreshModels === "function" ? { refreshes: true } : {}),
      ...(typeof login.login === "function"
        ? { login: { name: String(login.name), ...(login.isSubscription === true ? { isSubscription: true } : {}) } }
        : {}),
    };
  }

  #models(given: unknown, leaveOut: (name: string) => void): object[] {
    if (!isArray(given)) throw new TypeError("the models of a provider are a list");
    return Array.from({ length: given.length }, (_, at) => Object(given[at]) as Config).flatMap((model) => {
      if (model.type !== undefined && model.type !== "chat") {
        leaveOut(`a model of the type ${String(model.type)}`);
        return [];
      }
      const reasoning = model.reasoning === true;
      return [{ ...membersOf(model, MODEL_MEMBERS), reasoning, ...this.#headers(model) }];
    });
  }

  #headers({ headers }: Config): object {
    if (typeof headers !== "object" || headers === null) return {};
    const sent = Object.entries(headers).flatMap(([name, value]) => {
      const text = sentValue(this.#environment.port, value, `the header ${name}`);
      return text === undefined ? [] : [[name, text]];
    });
    return { headers: Object.fromEntries(sent) };
  }

  /** The host reports a refusal; what was wrong in the call is told here. */
  #tell(operation: RegisterName, args: unknown[]): void {
    const { port, remote } = this.#environment;
    settle(
      remote.call(operation, 0, args),
      () => {},
      (thrown) => {
        const { code, message } = describe(thrown);
        if (code !== "NOT_GRANTED")
          port.message({
            t: "log",
            level: "error",
            text: `${operation}: it is not offered: ${message}`,
          });
      },
    );
  }
}

const membersOf = (from: Config, names: readonly string[]): Config =>
  Object.fromEntries(
    names.flatMap((name) => (from[name] === undefined ? [] : [[name, parseHere(serialize(from[name])) as unknown]])),
  );

function call(owner: Config, name: string, args: unknown[]): unknown {
  const method = owner[name];
  if (typeof method !== "function") throw failure("BAD_RESULT", `${name} is not a function`);
  return apply(method as Callable, owner, args);
}

/** What comes of the result of a call, for the chain. */
const after = (work: unknown, next: (value: unknown) => unknown): Promise<unknown> =>
  hookPromise(settled(work).then((value) => settled(next(value))));

/** pi keeps no catalogue for a hook. */
const refreshContext = (dispatch: Dispatch): object =>
  forHook({
    signal: dispatch.abort.signal,
    allowNetwork: true,
    force: false,
    publish: () => hookPromise(undefined),
  });
