import { host } from "../../node/host.ts";

interface Model {
  provider?: string;
}

/** A model of the agent's by its names, by the `model` power. Throws if the agent has none of them. */
export const getModel = (provider: string, id: string): unknown =>
  host.sync("model.find", [String(provider), String(id)]);

/** The agent's models of a provider, or all, by the `agent` power. */
export const getModels = (provider?: string): Model[] =>
  provider === undefined ? all() : all().filter((model) => model.provider === provider);

/** The providers of the agent's models. */
export const getProviders = (): string[] => [...new Set(all().flatMap(({ provider }) => provider ?? []))];

const all = (): Model[] => host.sync("agent.read", ["models"]) as Model[];
