import type { Dispatch } from "../../core/dispatch.ts";
import { forHook } from "../../core/primordials.ts";
import { Agent } from "./agent.ts";

interface Kept {
  readonly manager: object;
  readonly environment: Dispatch["environment"];
  readonly sessionFile: Dispatch["envelope"]["sessionFile"];
  /** The event in whose name it asks. */
  readonly asker: { dispatch: number };
}

let kept: Kept | undefined;

/**
 * pi's read-only session manager: the same object as long as the session is, since extensions compare it. It asks in the name
 * of the event that took it last.
 */
export function sessionManager(dispatch: Dispatch): object {
  const { environment, envelope } = dispatch;
  const { sessionFile } = envelope;
  if (kept?.environment !== environment || kept.sessionFile !== sessionFile) {
    const asker = { dispatch: dispatch.id };
    kept = { environment, sessionFile, asker, manager: managerOf(environment, sessionFile, asker) };
  }
  kept.asker.dispatch = dispatch.id;
  return kept.manager;
}

/** In pi, the file name of a session ends with the session's id. */
function managerOf(environment: Kept["environment"], sessionFile: Kept["sessionFile"], asker: Kept["asker"]): object {
  const agent = (): Agent => new Agent(environment, asker.dispatch);
  const ifKnown = (name: "sessionId" | "sessionDir", other: string): unknown => {
    try {
      return agent().session(name);
    } catch {
      return other;
    }
  };
  const file = sessionFile ?? "";
  return Object.freeze(
    forHook({
      getCwd: () => environment.init.cwd,
      getSessionFile: () => sessionFile ?? undefined,
      getSessionId: () => /([^_/\\]+)\.jsonl$/.exec(file)?.[1] ?? ifKnown("sessionId", ""),
      getSessionDir: () => ifKnown("sessionDir", file.replace(/[/\\][^/\\]*$/, "")),
      getBranch: (from?: string) => agent().session("branch", from),
      getEntries: () => agent().session("entries"),
      getEntry: (id: string) => agent().session("entry", id),
      getLeafId: () => agent().session("leafId") ?? null,
      getLeafEntry: () => agent().session("leafEntry"),
      getLabel: (id: string) => agent().session("label", id),
      getHeader: () => agent().session("header") ?? null,
      getTree: () => agent().session("tree"),
      getSessionName: () => agent().session("sessionName"),
      buildContextEntries: () => agent().session("contextEntries"),
      buildSessionProjection: () => agent().session("projection"),
    }),
  );
}
