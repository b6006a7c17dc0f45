import type { Hook } from "../session/hook.ts";
import type { Reporter } from "../session/reporter.ts";
import type { Dispatcher } from "../verdicts/dispatcher.ts";

/** What it takes to have hooks run what they registered. */
export interface RunDeps {
  /** Of the session, in order. */
  readonly hooks: readonly Hook[];
  readonly dispatcher: Dispatcher;
  readonly reporter: Reporter;
}
