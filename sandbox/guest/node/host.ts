import { BRIDGE, type Bridge } from "../realm/bridge.ts";
import { unavailable } from "./fault.ts";

/** The host, for the modules of this folder. */
export const host = (globalThis as { [BRIDGE]?: Bridge })[BRIDGE] as Bridge;

/** Replaces a function of Node that hooks do not get. Calling it throws an error that says so. */
export const notOffered = (module: string, name: string, instead = "") => {
  // Some of these are classes in Node: `new` has to reach the error, too.
  return function refuse(): never {
    throw unavailable(`${module}.${name} is not offered to hooks${instead ? `: ${instead}` : ""}`);
  };
};
