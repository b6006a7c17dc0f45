import { join } from "node:path";
import { expect, test } from "vitest";
import type { AuditLine } from "../../src/audit/line.ts";
import type { SessionEvent, ToolResultEvent } from "../../src/hook-api.ts";
import { sandboxesOf } from "../sandbox/proc.ts";
import { factsIn } from "../support/audit-log.ts";
import { cordon } from "../support/command.ts";
import { on, startSession } from "../support/session.ts";

type Events = Record<string, unknown>;
const granted = (events: Events) => ({ capabilities: { events: { see: ["*"], ...events } } });

const RESULT: ToolResultEvent = {
  type: "tool_result",
  toolName: "read",
  toolCallId: "1",
  input: {},
  content: [{ type: "text", text: "the key" }],
  details: undefined,
  isError: false,
};

const around = { type: "session" as const, entries: [], sessionFile: null, previousSessionFile: null };
const BRANCH: SessionEvent = { ...around, reason: "before_branch", targetTurnIndex: 1 };
const COMPACT = {
  ...around,
  reason: "before_compact",
  cutPoint: { firstKeptEntryIndex: 0, turnStartIndex: -1, isSplitTurn: false },
  messagesToSummarize: [],
  messagesToKeep: [],
  tokensBefore: 1,
  model: { provider: "test", id: "x" },
} as unknown as SessionEvent;

const ENTRY = { type: "compaction", timestamp: "now", summary: "short", firstKeptEntryIndex: 0, tokensBefore: 1 };

type Session = Awaited<ReturnType<typeof startSession>>;

/** The current lines of the log's files about events, without those about loads. */
const onDisk = ({ folder }: Session): AuditLine[] =>
  factsIn(join(folder, "home")).filter(({ event }) => event === "tool_result" || event === "session");

const brief = (lines: readonly AuditLine[]): unknown[] =>
  lines.map(({ hook, event, outcome }) => [hook, event, outcome]);

const audit = (session: Session, ...flags: string[]) =>
  cordon(["audit", ...flags], { cwd: session.folder, home: join(session.folder, "home") });

/** The lines that the command prints for programs. */
async function found(session: Session, ...flags: string[]): Promise<AuditLine[]> {
  const { code, stdout, stderr } = await audit(session, "--json", ...flags);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Ways in which a guard of results gives no verdict. */
const FAILURES: Record<string, { source: string; says: RegExp; hookTimeout?: number; act?: () => void }> = {
  throws: { source: on("tool_result", 'throw new Error("no idea");'), says: /^hook guard failed: no idea$/ },
  "gives an invalid result": { source: on("tool_result", "return 7;"), says: /\(BAD_RESULT\)/ },
  "never answers": {
    source: on("tool_result", "await new Promise(() => {});"),
    says: /\(TIMEOUT\)/,
    hookTimeout: 500,
  },
  "loses its process": {
    source: on("tool_result", 'console.log("here"); await new Promise(() => {});'),
    says: /\(CRASHED\)/,
    act: () => {
      for (const pid of sandboxesOf()) process.kill(pid, "SIGKILL");
    },
  },
  "could not be loaded": { source: "export default 1;", says: /\(LOAD_FAILED\)/ },
};

test.for(Object.keys(FAILURES))("a withheld result is recorded before it is reported: its guard %s", async (how) => {
  const { source, says, hookTimeout = 30_000, act } = FAILURES[how] as (typeof FAILURES)[string];
  const told: string[] = [];
  const session = await startSession(
    { guard: { source, grant: granted({ guardResult: ["read"] }) } },
    {
      hookTimeout,
      log: ({ text }) => {
        told.push(text);
        if (text === "here") act?.();
      },
    },
  );
  const result = (await session.host.emit(RESULT)) as { content: { text: string }[] };
  const lines = onDisk(session);
  expect(brief(lines)).toEqual([["guard", "tool_result", "withheld"]]);
  const [line] = lines as [AuditLine];
  expect(line.value).toMatch(says);
  // The record has the same words that the model gets instead of the result.
  expect(result).toMatchObject({ content: [{ text: `Result withheld: ${line.value}` }], isError: true });
  expect(session.audit.at(-1)).toEqual(line);
  expect(JSON.stringify(lines)).not.toContain("the key");

  expect(await found(session, "--outcome", "withheld")).toEqual([line]);
  expect(await found(session, "--power", "tool_result", "--hook", "guard")).toEqual([line]);
  expect((await audit(session, "--outcome", "withheld", "--hook", "other")).code).toBe(1);
  expect(await found(session, "--outcome", "rewrite")).toEqual([]);
  expect((await audit(session, "--outcome", "withheld")).stdout).toMatch(
    /^\S+ \S+ withheld guard tool_result hook guard /,
  );
  expect((await audit(session, "--verify")).code).toBe(0);
});

test("a hook that fails without being a guard of that tool's results withholds nothing", async () => {
  const session = await startSession({
    guard: { source: on("tool_result", 'throw new Error("no idea");'), grant: granted({ guardResult: ["bash"] }) },
  });
  expect(await session.host.emit(RESULT)).toBeUndefined();
  expect(onDisk(session).map(({ outcome }) => outcome)).not.toContain("withheld");
  await session.host.emit({ ...RESULT, toolName: "bash" });
  expect(onDisk(session).at(-1)).toMatchObject({ hook: "guard", outcome: "withheld" });
});

test("other hooks' verdicts on a result come before the line that withholds it", async () => {
  const session = await startSession({
    first: {
      source: on("tool_result", 'return { content: [{ type: "text", text: "-" }] };'),
      grant: granted({ rewriteResult: ["*"] }),
    },
    second: { source: on("tool_result", "return undefined;"), grant: granted({}) },
    guard: {
      source: on("tool_result", "throw new Error(event.content[0].text);"),
      grant: granted({ guardResult: ["*"] }),
    },
    last: { source: on("tool_result", "return undefined;"), grant: granted({ rewriteResult: ["*"] }) },
  });
  const { result, changedBy } = await session.host.emitToolResult(RESULT);
  const lines = onDisk(session);
  expect(result?.content).toEqual([{ type: "text", text: "Result withheld: hook guard failed: -" }]);
  expect(changedBy).toEqual(["guard"]);
  expect(lines.map(({ hook, outcome }) => `${hook} ${outcome}`).sort()).toEqual([
    "first rewrite",
    "guard withheld",
    "second pass",
  ]);
  expect(brief(lines)[0]).toEqual(["first", "tool_result", "rewrite"]);
});

/** Answers to a session's event that cancel nothing, and the powers that they need. */
const ANSWERS: Record<string, { event: SessionEvent; answer: object; events: Events }> = {
  "a compaction of its own": { event: COMPACT, answer: { compactionEntry: ENTRY }, events: { compact: true } },
  "keeping the conversation": {
    event: BRANCH,
    answer: { skipConversationRestore: true },
    events: { cancel: true },
  },
  "an explicit `cancel: false`": { event: BRANCH, answer: { cancel: false }, events: { cancel: true } },
};

test.for(Object.keys(ANSWERS))("an answer to a session's event is recorded before it is reported: %s", async (what) => {
  const { event, answer, events } = ANSWERS[what] as (typeof ANSWERS)[string];
  const source = on("session", `return ${JSON.stringify(answer)};`);
  const session = await startSession({ keeper: { source, grant: granted(events) } });
  const result = await session.host.emit(event);
  const lines = onDisk(session);
  expect(result).toEqual(answer);
  expect(lines).toMatchObject([{ hook: "keeper", event: "session", value: event.reason, outcome: "answered" }]);
  expect(session.audit.at(-1)).toEqual(lines[0]);

  expect(await found(session, "--outcome", "answered")).toEqual(lines);
  expect(await found(session, "--power", "session", "--hook", "keeper")).toEqual(lines);
  expect(await found(session, "--outcome", "answered", "--power", "tool_result")).toEqual([]);
  expect(await found(session, "--outcome", "cancel")).toEqual([]);
  expect((await audit(session, "--outcome", "answered")).stdout).toMatch(
    new RegExp(`^\\S+ \\S+ answered keeper session ${event.reason}\n$`),
  );
  expect((await audit(session, "--verify")).code).toBe(0);
});

test("answers and a cancel are recorded in the hooks' order, and hooks after the cancel have no line", async () => {
  const answers = (answer: object) => on("session", `return ${JSON.stringify(answer)};`);
  const session = await startSession({
    first: { source: answers({ skipConversationRestore: true }), grant: granted({ cancel: true }) },
    second: { source: answers({ cancel: true }), grant: granted({ cancel: true }) },
    third: { source: answers({ skipConversationRestore: true }), grant: granted({ cancel: true }) },
  });
  expect(await session.host.emit(BRANCH)).toEqual({ cancel: true });
  expect(brief(onDisk(session))).toEqual([
    ["first", "session", "answered"],
    ["second", "session", "cancel"],
  ]);
  expect(brief(await found(session, "--power", "session", "--outcome", "answered"))).toEqual([
    ["first", "session", "answered"],
  ]);
});

test("an answer that the grant covers in part is recorded without its cancel", async () => {
  const source = on("session", `return { cancel: true, compactionEntry: ${JSON.stringify(ENTRY)} };`);
  const session = await startSession({
    keeper: { source, grant: granted({ compact: true }) },
    outsider: { source, grant: granted({}) },
  });
  expect(await session.host.emit(COMPACT)).toEqual({ compactionEntry: ENTRY });
  const lines = onDisk(session);
  expect(lines.filter(({ outcome }) => outcome === "answered")).toMatchObject([
    { hook: "keeper", value: "before_compact" },
  ]);
  expect(lines.map(({ outcome }) => outcome)).not.toContain("cancel");
  expect(brief(lines.filter(({ outcome }) => outcome === "NOT_GRANTED"))).toEqual([
    ["keeper", "session", "NOT_GRANTED"],
    ["outsider", "session", "NOT_GRANTED"],
    ["outsider", "session", "NOT_GRANTED"],
  ]);
});
