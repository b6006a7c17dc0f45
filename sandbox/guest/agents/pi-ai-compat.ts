/** The exports of `@earendil-works/pi-ai/compat`: those of `pi-ai`, as far as they are offered. */
export * from "./pi-ai.ts";
