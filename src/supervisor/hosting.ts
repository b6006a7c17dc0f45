import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Supervisor } from "./supervisor.ts";

/** Where a hook runs: its isolate, and the supervisor of the isolate's process. */
export interface Hosting {
  readonly isolate: HostedIsolate;
  readonly supervisor: Supervisor;
}
