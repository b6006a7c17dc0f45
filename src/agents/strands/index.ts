/** `cordon/strands`: hooks in agents of the Strands SDK. */
export type { ToolNameOptions } from "../tool-gates.ts";
export { type CordonPlugin, cordon, type StrandsOptions } from "./plugin.ts";
