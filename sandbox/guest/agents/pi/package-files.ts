/** Where pi's own files are, by `agent: ["packageDir"]`. Reading them takes the power `fs`. */
import { host } from "../../node/host.ts";

export const getPackageDir = (): string => String(host.sync("agent.read", ["packageDir"]));
export const getReadmePath = (): string => `${getPackageDir()}/README.md`;
export const getDocsPath = (): string => `${getPackageDir()}/docs`;
export const getExamplesPath = (): string => `${getPackageDir()}/examples`;
