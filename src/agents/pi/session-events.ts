import type { SessionEvent, SessionEventResult } from "../../hook-api.ts";
import type { PiContext, PiEvent } from "./pi-api.ts";

/** The reasons of pi's `session_start`, and ours. */
const STARTS: Readonly<Record<string, "start" | "clear" | "switch" | "branch">> = {
  startup: "start",
  reload: "start",
  new: "clear",
  resume: "switch",
  fork: "branch",
};

/** pi's session events as the one event that hooks hear. `undefined` for any other event. */
export function sessionEvent(event: PiEvent, context: PiContext): SessionEvent | undefined {
  const session = context.sessionManager;
  const entries = session.getEntries();
  const base = { type: "session", entries, sessionFile: session.getSessionFile() ?? null } as const;
  const none = { ...base, previousSessionFile: null };
  const { targetSessionFile } = event;
  const target = typeof targetSessionFile === "string" ? { targetSessionFile } : {};
  switch (event.type) {
    case "session_start": {
      const reason = STARTS[event.reason] ?? "start";
      const begun = { ...base, previousSessionFile: event.previousSessionFile ?? null, cause: event.reason };
      return reason === "branch" ? { ...begun, reason, targetTurnIndex: entries.length } : { ...begun, reason };
    }
    case "session_shutdown":
      return { ...none, ...target, reason: "shutdown", cause: event.reason };
    case "session_before_switch":
      return { ...none, ...target, reason: event.reason === "new" ? "before_clear" : "before_switch" };
    case "session_before_fork": {
      const { entryId, position } = event;
      const targetTurnIndex = entries.findIndex(({ id }) => id === entryId);
      return { ...none, reason: "before_branch", targetTurnIndex, entryId, position };
    }
    case "session_before_compact":
      return { ...none, ...beforeCompact(event, context) };
    case "session_compact": {
      const { compactionEntry, fromExtension, reason, willRetry } = event;
      const { tokensBefore } = compactionEntry;
      return {
        ...none,
        reason: "compact",
        compactionEntry,
        tokensBefore,
        fromHook: fromExtension,
        cause: reason,
        willRetry,
      };
    }
    default:
      return undefined;
  }
}

/** The names of pi 0.27, for hooks, beside those of later versions, for extensions. */
function beforeCompact(
  event: PiEvent,
  { sessionManager, model, modelRegistry }: PiContext,
): Omit<
  Extract<SessionEvent, { reason: "before_compact" }>,
  "type" | "entries" | "sessionFile" | "previousSessionFile"
> {
  const { preparation, branchEntries, customInstructions, reason, willRetry, signal } = event;
  const first = sessionManager.getEntries().findIndex(({ id }) => id === preparation.firstKeptEntryId);
  const turnStartIndex = preparation.isSplitTurn ? first : -1;
  return {
    reason: "before_compact",
    cause: reason,
    cutPoint: { firstKeptEntryIndex: first, turnStartIndex, isSplitTurn: preparation.isSplitTurn === true },
    previousSummary: preparation.previousSummary,
    messagesToSummarize: preparation.messagesToSummarize,
    messagesToKeep: [],
    tokensBefore: preparation.tokensBefore,
    customInstructions,
    preparation,
    branchEntries,
    willRetry,
    model,
    resolveApiKey: ({ provider }) => modelRegistry.getApiKeyForProvider(provider),
    signal,
  };
}

/** The decision about a session event, as pi takes it. */
export function sessionResult(event: PiEvent, result: SessionEventResult | undefined): object | undefined {
  if (!result || !event.type.startsWith("session_before_")) return undefined;
  const { cancel, skipConversationRestore, compaction, compactionEntry } = result;
  return {
    ...(cancel === undefined ? {} : { cancel }),
    ...(skipConversationRestore === undefined ? {} : { skipConversationRestore }),
    ...(event.type === "session_before_compact" ? compactionOf(event, compaction, compactionEntry) : {}),
  };
}

function compactionOf(
  { preparation, branchEntries }: PiEvent,
  compaction: SessionEventResult["compaction"],
  entry: SessionEventResult["compactionEntry"],
): object {
  const { firstKeptEntryId, tokensBefore } = preparation;
  if (compaction) return { compaction: { firstKeptEntryId, tokensBefore, ...compaction } };
  if (!entry) return {};
  const kept = branchEntries[entry.firstKeptEntryIndex]?.id ?? firstKeptEntryId;
  return { compaction: { summary: entry.summary, firstKeptEntryId: kept, tokensBefore: entry.tokensBefore } };
}
