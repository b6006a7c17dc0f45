import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";

/** Holds the first call back until the second comes, and answers both in that entry: first the one that `order` says. */
const HOLDS = onToolCall(
  `  const { toolCallId, input: { order } } = event;
  if (toolCallId === "held") { await new Promise((go) => { release = go; }); return; }
  if (order === "held first") { release(); for (let turn = 0; turn < 50; turn++) await null; return; }
  void (async () => { for (let turn = 0; turn < 50; turn++) await null; release(); })();`,
  "let release: (value?: unknown) => void;",
);

test.each(["held first", "held last"])(
  "two verdicts of one entry, the %s, both count, and the later hooks hear both events",
  async (order) => {
    const second = onToolCall("  console.log(event.toolCallId);");
    const { host, log } = await startSession({ first: HOLDS, second });
    const call = (toolCallId: string) =>
      host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId, input: { order } });
    const held = call("held");
    // A verdict that was lost would block when the time is up.
    expect(await Promise.all([held, call("other")])).toEqual([undefined, undefined]);
    expect(log.map(({ text }) => text).toSorted()).toEqual(["held", "other"]);
  },
);
