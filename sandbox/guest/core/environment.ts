import type { GuestInit } from "../../wire/messages.ts";
import type { Furniture } from "../realm/realm-host.ts";
import type { Port } from "./port.ts";
import type { Remote } from "./remote.ts";

/** What the code of one bundle's runtime shares. */
export interface GuestEnvironment {
  readonly init: GuestInit;
  readonly port: Port;
  readonly remote: Remote;
  readonly logger: Furniture["logger"];
  /** Tools of agents of the hook's own, by the name that the host runs them by. */
  readonly agentTools: ReadonlyMap<string, unknown>;
  /** The dispatches that have not ended: mostly one, or none. A map would look up each key in V8's table of strings. */
  readonly dispatches: object[];
}
