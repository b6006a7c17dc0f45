import { join } from "node:path";
import { expect, test } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { hookFolder, startFolder } from "./hook-folder.ts";

/** What a hook of each dialect does with a handler for its events, each by the handler's line of code. */
const DIALECTS: Record<string, { events: string[]; hook: (events: string[], load: string) => string }> = {
  pi: {
    events: [
      "session",
      "agent_start",
      "agent_end",
      "turn_start",
      "turn_end",
      "tool_call",
      "tool_result",
      "message",
      "params",
    ],
    hook: (events, load) => `import type { HookAPI } from "cordon/hooks";
import { act } from "./act.ts";
export default (pi: HookAPI): void => {
  ${load}
  for (const name of ${JSON.stringify(events)} as any[]) pi.on(name, () => act(name));
};`,
  },
  extension: {
    events: [
      "session_start",
      "before_agent_start",
      "context",
      "input",
      "tool_call",
      "tool_result",
      "turn_start",
      "agent_end",
    ],
    hook: (events, load) => `import { type ExtensionAPI, isToolCallEventType } from "@earendil-works/pi-coding-agent";
import { act } from "./act.ts";
export default (pi: ExtensionAPI): void => {
  ${load}
  for (const name of ${JSON.stringify(events)} as any[]) pi.on(name, () => act(isToolCallEventType && name));
};`,
  },
  interceptors: {
    events: ["tool.before", "tool.after", "message.before", "params.before"],
    hook: (events, load) => `import { getGlobalInterceptorRegistry } from "cordon/interceptors";
import { act } from "./act.ts";
const id: string = "a";
${load}
for (const name of ${JSON.stringify(events)} as any[]) getGlobalInterceptorRegistry()?.add({ id: id + name, name, handler: () => act(name) });`,
  },
  openclaw: {
    events: ["before_tool_call", "after_tool_call", "message_received", "session_start", "session_end", "agent_end"],
    hook: (events, load) => `import { act } from "./act.ts";
interface Api { on(name: string, handler: () => unknown): void }
export default { id: "a", register(api: Api): void {
  ${load}
  for (const name of ${JSON.stringify(events)} as any[]) api.on(name, () => act(name));
} };`,
  },
  strands: {
    events: ["BeforeToolCallEvent", "AfterToolCallEvent", "BeforeInvocationEvent", "AfterInvocationEvent"],
    hook: (
      events,
      load,
    ) => `import * as sdk from "@strands-agents/sdk"; import type { LocalAgent } from "@strands-agents/sdk";
import { act } from "./act.ts";
export default { name: "a", initAgent(agent: LocalAgent): void {
  ${load}
  for (const name of ${JSON.stringify(events)} as any[]) agent.addHook((sdk as any)[name], () => act(name));
} };`,
  },
};

/** Lines 4, 5, 7 and 8 tell, throw at once, throw after a wait, and throw where nobody waits. */
const ACT = `interface Erased { gone: true }
const times: Record<string, number> = {};
export function act(name: string): Promise<void> | void {
  const mode = ["event", "async", "timer"][(times[name] = (times[name] ?? -1) + 1)]; console.log("told " + name);
  if (mode === "event") throw new Error("event " + name);
  if (mode === "async") return (async (): Promise<void> => { await new Promise((done) => setTimeout(done, 1));
    throw new Error("async " + name); })();
  if (mode === "timer") setTimeout(() => { throw new Error("timer " + name); }, 1);
}
`;

const LINES = { event: 5, async: 7, timer: 8 } as const;

const tool = { toolName: "bash", toolCallId: "1", input: { command: "ls" } };
const EVENTS = [
  { type: "session", reason: "start", sessionFile: null, previousSessionFile: null, entries: [], targetTurnIndex: 0 },
  { type: "input", text: "a", source: "interactive" },
  { type: "before_agent_start", prompt: "a", systemPrompt: "b" },
  { type: "message", text: "a", metadata: {} },
  { type: "params", provider: "a", model: "b", metadata: {} },
  { type: "context", messages: [] },
  { type: "agent_start" },
  { type: "turn_start", turnIndex: 0, timestamp: 0 },
  { type: "tool_call", ...tool },
  { type: "tool_result", ...tool, content: [], isError: false },
  { type: "turn_end", turnIndex: 0, message: {}, toolResults: [] },
  { type: "agent_end", messages: [] },
  {
    type: "session",
    reason: "shutdown",
    sessionFile: null,
    previousSessionFile: null,
    entries: [],
    targetTurnIndex: 0,
  },
] as unknown as HookEvent[];

const SEE = { see: ["*", ...EVENTS.map(({ type }) => type)], block: true };

test.each(Object.keys(DIALECTS))("%s: a console line and an error of each event name their place", async (dialect) => {
  const { events, hook } = DIALECTS[dialect] as (typeof DIALECTS)[string];
  const folder = hookFolder({ "index.ts": hook(events, ""), "act.ts": ACT });
  const grant = { capabilities: { events: SEE } };
  const { host, errors, log, hook: info } = await startFolder(folder, "index.ts", {}, { grant });
  expect(info().state, info().reason).toBe("active");
  const act = join(folder, "hook", "act.ts");
  // To pi's hooks, the end of a session is the same event as its start.
  const sent = dialect === "pi" ? EVENTS.slice(0, -1) : EVENTS;
  for (const [mode, line] of Object.entries(LINES)) {
    errors.length = 0;
    log.length = 0;
    for (const event of sent) await host.emit(event);
    const wanted = events.map((name) => `${mode} ${name}`).sort();
    await expect.poll(() => [...new Set(errors.map(({ error }) => error))].sort(), { timeout: 10_000 }).toEqual(wanted);
    for (const { error, stack } of errors) {
      expect(stack, error).toContain(`${act}:${line}:`);
      expect(stack).not.toMatch(/cordon-(hook|guest|realm)\.js/);
    }
    const told = log.filter(({ text }) => text.startsWith("told "));
    expect([...new Set(told.map(({ text }) => text.slice(5)))].sort()).toEqual([...events].sort());
    expect(new Set(told.map(({ at }) => at?.replace(/:\d+$/, "")))).toEqual(new Set([`${act}:4`]));
  }
});

test.each(Object.keys(DIALECTS))("%s: a console line and an error while it loads name their place", async (dialect) => {
  const { events, hook } = DIALECTS[dialect] as (typeof DIALECTS)[string];
  const folder = hookFolder({
    "index.ts": hook(events, 'console.log("told"); throw new Error("at load");'),
    "act.ts": ACT,
  });
  const { hook: info, log } = await startFolder(folder);
  const line =
    hook(events, "HERE")
      .split("\n")
      .findIndex((text) => text.includes("HERE")) + 1;
  const at = (text: string) => log.find((one) => one.text.includes(text))?.at ?? JSON.stringify(log);
  expect(info()).toMatchObject({ state: "failed", reason: expect.stringContaining("at load") });
  expect(at("told")).toMatch(new RegExp(`/hook/index\\.ts:${line}:\\d+$`));
  expect(at("at load")).toMatch(new RegExp(`/hook/index\\.ts:${line}:\\d+$`));
  expect(info().reason).toMatch(new RegExp(`index\\.ts:${line}:\\d+`));
});
