/** The exports of `@earendil-works/pi-ai/compat`: those of `pi-ai`, and interfaces of models, as far as they are offered. */
export * from "./pi/anthropic-api.ts";
export * from "./pi/openai-completions-api.ts";
export * from "./pi/openai-responses-api.ts";
export * from "./pi-ai.ts";
