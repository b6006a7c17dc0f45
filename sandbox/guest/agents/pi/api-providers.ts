/** Providers of models, with their code and keys, stay with the agent: here no API has one, as one that nobody registered. */
export const getApiProvider = (_api: unknown): undefined => undefined;

export const getApiProviders = (): [] => [];
