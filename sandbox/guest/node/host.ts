import { BRIDGE, type Bridge } from "../realm/bridge.ts";
import { unavailable } from "./fault.ts";

/** The host, as the modules beside this one see it. */
export const host = (globalThis as { [BRIDGE]?: Bridge })[BRIDGE] as Bridge;

/** What a name of Node's does that hooks are not offered: it says so. */
export const notOffered = (module: string, name: string, instead = "") => {
  const refuse = (): never => {
    throw unavailable(`${module}.${name} is not offered to hooks${instead ? `: ${instead}` : ""}`);
  };
  return refuse;
};
