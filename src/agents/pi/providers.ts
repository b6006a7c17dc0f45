import { readJson } from "../../../sandbox/wire/read-json.ts";
import { messageOf } from "../../base/errors.ts";
import type { HookHost } from "../../host/host.ts";
import type { LoginDialog, OfferedProvider, OfferedVirtualModel } from "../../host/providers.ts";
import type { ProviderConfig } from "../../powers/provider-config.ts";
import { piAnswer } from "./answer.ts";
import type { PiApi, PiLogin, PiModel, PiProvider, PiVirtualModel } from "./pi-api.ts";
import { shownModel } from "./shown-model.ts";

/**
 * Where pi keeps the key beside the credentials that hold it: pi asks for it synchronously. It is asked ahead, at each sign-in
 * and renewal.
 */
const KEY = "cordonApiKey";

/** Puts the providers of hooks into pi. */
export class PiProviders {
  readonly #host: HookHost;
  readonly #pi: PiApi;
  /** What pi has, as JSON. */
  readonly #registered = new Map<string, string>();
  readonly #virtual = new Map<string, OfferedVirtualModel>();
  readonly #refused: (text: string) => void;

  /** `refused`: called with what pi does not take. */
  constructor(host: HookHost, pi: PiApi, refused: (text: string) => void) {
    this.#host = host;
    this.#pi = pi;
    this.#refused = refused;
  }

  /** Registers what is new or changed, and takes back what is gone. */
  update(): void {
    const { all } = this.#host.providers;
    for (const name of this.#registered.keys())
      if (!all.some((one) => one.name === name)) {
        this.#registered.delete(name);
        this.#pi.unregisterProvider(name);
      }
    for (const one of all) this.#put(one);
    this.#updateVirtual();
  }

  #updateVirtual(): void {
    const all = new Map(this.#host.providers.virtualModels.map((one) => [`${one.provider}/${one.id}`, one]));
    for (const [key, { provider, id }] of this.#virtual)
      if (!all.has(key)) {
        this.#virtual.delete(key);
        this.#pi.unregisterVirtualModel?.(provider, id);
      }
    for (const [key, one] of all) {
      if (JSON.stringify(this.#virtual.get(key)) === JSON.stringify(one)) continue;
      this.#virtual.set(key, one);
      try {
        if (!this.#pi.registerVirtualModel) throw new Error("this version of pi has no virtual models");
        this.#pi.registerVirtualModel(virtualModel(this.#host, one));
      } catch (error) {
        this.#refused(`pi does not take the model ${key} of hook ${one.hook}: ${messageOf(error)}`);
      }
    }
  }

  #put(offered: OfferedProvider): void {
    const { name, hook } = offered;
    const text = JSON.stringify(offered);
    const known = this.#registered.get(name);
    if (known === text) return;
    this.#registered.set(name, text);
    try {
      // pi joins a new configuration with the one before.
      if (known !== undefined) this.#pi.unregisterProvider(name);
      this.#pi.registerProvider(name, this.#provider(offered));
    } catch (error) {
      this.#refused(`pi does not take the provider ${name} of hook ${hook}: ${messageOf(error)}`);
    }
  }

  #provider({ name, hook, config }: OfferedProvider): PiProvider {
    const { streams, refreshes, login, apiKey, ...rest } = config;
    const { providers } = this.#host;
    return {
      ...rest,
      name: `${config.name ?? name} (hook ${hook})`,
      ...(apiKey === undefined ? {} : { apiKey: literal(apiKey) }),
      ...headersOf(config),
      ...(config.models ? { models: config.models.map((model) => ({ ...model, ...headersOf(model) })) } : {}),
      ...(streams ? { streamSimple: (...request) => piAnswer(providers, name, request) } : {}),
      ...(refreshes ? { refreshModels: ({ signal }) => providers.models(name, signal) } : {}),
      ...(login ? { oauth: this.#oauth(name, login) } : {}),
    };
  }

  #oauth(name: string, { name: shown, isSubscription }: NonNullable<ProviderConfig["login"]>): PiProvider["oauth"] {
    const { providers } = this.#host;
    return {
      name: shown,
      ...(isSubscription === undefined ? {} : { isSubscription }),
      login: async (callbacks) => kept(await providers.login(name, dialogOf(callbacks), callbacks.signal)),
      refreshToken: async ({ [KEY]: _key, ...credentials }, signal) =>
        kept(await providers.refresh(name, credentials, signal)),
      getApiKey: ({ [KEY]: key, access }) => String(key ?? access),
    };
  }
}

/** pi finds the model that was chosen by its name, and looks whether it has a key for it. */
function virtualModel({ providers }: HookHost, { hook, ...model }: OfferedVirtualModel): PiVirtualModel {
  const shown = <Of extends { model: PiModel }>(one: Of | undefined) => one && { ...one, model: shownModel(one.model) };
  return {
    ...model,
    name: `${model.name} (hook ${hook})`,
    route({ signal, previous, failed, ...request }) {
      const all = { ...shown(request), previous: shown(previous), failed: shown(failed) };
      return providers.route(model, readJson(JSON.stringify(all)), signal);
    },
  };
}

const kept = ({ credentials, apiKey }: { credentials: object; apiKey: string }) => ({ ...credentials, [KEY]: apiKey });

/** A value that pi sends as it is: in its configuration, `$` names a variable, and `!` at the beginning a command. */
const literal = (value: string): string => value.replaceAll("$", "$$$$").replace(/^!/, "$!");

const headersOf = ({ headers }: { headers?: Record<string, string> }): { headers?: Record<string, string> } =>
  headers
    ? { headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, literal(value)])) }
    : {};

/** pi's dialogs of a sign-in. */
function dialogOf(login: PiLogin): LoginDialog {
  return async (step, value) => {
    // The host has checked it.
    const given = Object(value);
    switch (step) {
      case "auth":
        return void login.onAuth(given);
      case "deviceCode":
        return void login.onDeviceCode(given);
      case "progress":
        return void login.onProgress?.(String(value));
      case "prompt":
        return login.onPrompt(given);
      case "select":
        return login.onSelect(given);
      default:
        return login.onManualCodeInput?.() ?? login.onPrompt({ message: "Paste the authorization code" });
    }
  };
}
