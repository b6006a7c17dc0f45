/** `cordon/langchain`: hooks around the tools of LangChain's agents. */
export type { ToolNameOptions } from "../tool-gates.ts";
export { type CordonMiddleware, cordon } from "./middleware.ts";
