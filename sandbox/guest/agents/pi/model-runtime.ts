/** pi's `ModelRuntime`, over the models of the session. Keys and providers stay with the agent. */
import type { AssistantMessageEventStream } from "@earendil-works/pi-ai/dist/utils/event-stream.js";
import { notOffered } from "../../node/host.ts";
import { complete, stream } from "./complete.ts";
import { getModel, getModels, getProviders } from "./models.ts";

type Ask = Parameters<typeof complete>;
type Listed = ReturnType<typeof getModels>;

/** What can be asked of a provider: its models, and answers of them. */
interface Provider {
  readonly id: string;
  readonly name: string;
  readonly auth: object;
  getModels(): Listed;
  stream(...ask: Ask): AssistantMessageEventStream;
  streamSimple(...ask: Ask): AssistantMessageEventStream;
}

const KEYS = "keys stay with the agent: ask a model with complete()";
const PROVIDERS = "a provider is the agent's: add one with pi.registerProvider(name, config)";
const LATER = "a model answers a hook at once";

/** Members of pi's that need keys or other providers, and whether pi's answer with a promise. */
const ELSEWHERE: readonly [reason: string, isAsync: boolean, names: readonly string[]][] = [
  [KEYS, true, ["getAuth", "setRuntimeApiKey", "removeRuntimeApiKey", "listCredentials", "login", "logout"]],
  [PROVIDERS, false, ["registerProvider", "registerNativeProvider", "unregisterProvider"]],
  [PROVIDERS, false, ["getCompatibilityRequestConfig"]],
  [LATER, true, ["fetchDeferred", "cancelDeferred"]],
  [LATER, false, ["streamDeferred"]],
];

/**
 * The session's models, by the powers `agent` (to list them) and `model` (to find and ask one). Each call asks the host, so
 * there is nothing to refresh.
 */
export class ModelRuntime {
  /** Keys, files of models and places that the options name are not read. */
  static async create(_options?: object): Promise<ModelRuntime> {
    return new ModelRuntime();
  }

  getModels(provider?: string): Listed {
    return getModels(provider);
  }

  getModel(provider: string, id: string): unknown {
    return getModel(provider, id) ?? undefined;
  }

  /** The agent lists none without a key. */
  async getAvailable(provider?: string): Promise<Listed> {
    return getModels(provider);
  }

  getAvailableSnapshot(): Listed {
    return getModels();
  }

  getProviders(): Provider[] {
    return getProviders().map(providerOf);
  }

  getProvider(id: string): Provider | undefined {
    return getProviders().includes(id) ? providerOf(id) : undefined;
  }

  hasConfiguredAuth(provider: string): boolean {
    return getProviders().includes(provider);
  }

  getProviderAuthStatus(provider: string): { configured: boolean } {
    return { configured: this.hasConfiguredAuth(provider) };
  }

  /** Which kind of key it is, no hook is told. */
  async checkAuth(provider: string): Promise<{ type: "api_key"; source: string } | undefined> {
    return this.hasConfiguredAuth(provider) ? { type: "api_key", source: "the agent" } : undefined;
  }

  isUsingOAuth(_provider: string): boolean {
    return false;
  }

  isUsingSubscription(_provider: string): boolean {
    return false;
  }

  getError(): undefined {
    return undefined;
  }

  async refresh(): Promise<{ aborted: boolean; errors: Map<string, Error> }> {
    return { aborted: false, errors: new Map() };
  }

  getRegisteredProviderIds(): string[] {
    return [];
  }

  getRegisteredProviderConfig(_provider: string): undefined {
    return undefined;
  }

  getRegisteredNativeProvider(_provider: string): undefined {
    return undefined;
  }

  complete(...ask: Ask): Promise<unknown> {
    return complete(...ask);
  }

  completeSimple(...ask: Ask): Promise<unknown> {
    return complete(...ask);
  }

  stream(...ask: Ask): AssistantMessageEventStream {
    return stream(...ask);
  }

  streamSimple(...ask: Ask): AssistantMessageEventStream {
    return stream(...ask);
  }
}

for (const [reason, isAsync, names] of ELSEWHERE)
  for (const name of names) {
    const throws = notOffered("ModelRuntime", name, reason);
    Object.defineProperty(ModelRuntime.prototype, name, { value: isAsync ? async () => throws() : throws });
  }

const providerOf = (id: string): Provider => ({
  id,
  name: id,
  // How the agent signs in there is its own.
  auth: {},
  getModels: () => getModels(id),
  stream,
  streamSimple: stream,
});
