import { expect, test } from "vitest";
import { EVENT_NAMES, EXTENSION_EVENTS } from "../../sandbox/wire/events.ts";
import type { HookEvent } from "../../src/hook-api.ts";
import { startSession } from "../support/session.ts";
import { compile } from "./compile.ts";
import { type PageTable, tablesOf } from "./page-tables.ts";
import { pageAt, plainText } from "./pages.ts";
import { sharedMachine } from "./place.ts";
import { extensionEventFields } from "./tables.ts";

const shared = sharedMachine();
const { tokens } = pageAt("docs/events.md");

const tables = tablesOf({ tokens });
const under = (of: string, first: string): PageTable | undefined =>
  tables.find((table) => table.of === of && table.head[0] === first);
const members = ({ rows }: PageTable): string => rows.map(([name, type]) => `${name}: ${type};`).join(" ");

/** Results by event, as the library names them. */
const RESULTS: Readonly<Record<string, string>> = {
  tool_call: "Extract<ToolCallEventResult, { block: boolean }>",
  tool_result: "ToolResultEventResult",
  message: "MessageEventResult",
  params: "ParamsEventResult",
  session: "SessionEventResult",
};

const HEAD = `
import type { AgentToolResult, InterceptorInput, InterceptorOutput, MessageBeforeInput, MessageBeforeOutput, ParamsBeforeInput, ParamsBeforeOutput, ToolAfterInput, ToolAfterOutput, ToolBeforeInput, ToolBeforeOutput } from "cordon/interceptors";
import type { CompactionEntry, HookEvent, ImageContent, MessageEventResult, ParamsEventResult, SessionEvent, SessionEventResult, TextContent, ToolCallEventResult, ToolResultEventResult } from "cordon/hooks";
type AgentValue = any;
type Flat<T> = { [Key in keyof T]: T[Key] };
type Same<A, B> = (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false;
type Event<Name> = Extract<HookEvent, { type: Name }>;
type OfReason<Reason> = SessionEvent extends infer One ? (One extends { reason: infer Any } ? (Reason extends Any ? Omit<One, "reason"> : never) : never) : never;
declare function same<A, B>(is: Same<A, B>): void;
`;

/** A line that compiles only if both types are the same. */
const claim = (one: string, other: string): string => `same<${one}, ${other}>(true);`;

const types = tables.filter(({ of, head }) => head[0] === "field" && !EVENT_NAMES.includes(of));
const claims = (): string[] => {
  const base = under("session", "field") as PageTable;
  const reasons = under("session", "reason") as PageTable;
  const events = tables.filter(({ of, head }) => head[0] === "field" && EVENT_NAMES.includes(of) && of !== "session");
  return [
    ...events.map((table) => claim(`Event<"${table.of}">`, `{ type: "${table.of}"; ${members(table)} }`)),
    ...reasons.rows.map(([reason = "", more = ""]) =>
      claim(
        `OfReason<"${reason}">`,
        `{ type: "session"; ${members(base)} ${more.replaceAll(/, (?=\w+\??(?:: |\())/g, "; ").replaceAll("; bool", ", bool")} }`,
      ),
    ),
    ...Object.entries(RESULTS).map(([event, type]) =>
      claim(type, `{ ${members(under(event, "result") as PageTable)} }`),
    ),
    ...types.map((table) => claim(table.of, `{ ${members(table)} }`)),
    ...(under("The dialect interceptors", "point")?.rows ?? []).flatMap(([point, input, output]) => [
      claim(`InterceptorInput["${point}"]`, `${input}`),
      claim(`InterceptorOutput["${point}"]`, `${output}`),
    ]),
  ];
};

test("the fields and results of pi's events and of interceptors are those of the types", async () => {
  const all = claims();
  expect(all.length).toBeGreaterThan(35);
  expect(await compile(shared.machine, "events", { "claims.ts": `${HEAD}\n${all.join("\n")}\n` })).toBe("");
});

test("a field that is wrong, missing or made up is found out", async () => {
  const [call = ""] = claims();
  const wrong = [
    call.replace("toolName: string", "toolName: number"),
    call.replace("toolName: string;", ""),
    call.replace("{ type", "{ more?: string; type"),
    call.replace("agentId?", "agentId"),
  ];
  const errors = await compile(shared.machine, "wrong", { "claims.ts": `${HEAD}\n${wrong.join("\n")}\n` });
  expect(errors.trim().split("\n")).toHaveLength(wrong.length);
});

test("each event has its place, and no other", () => {
  const shown = tables[0]?.rows.map(([name]) => name) ?? [];
  expect([...shown, ...Object.keys(EXTENSION_EVENTS)].sort()).toEqual([...EVENT_NAMES].sort());
  expect([...extensionEventFields().keys()].sort()).toEqual(Object.keys(EXTENSION_EVENTS).sort());
  const headings = tokens.flatMap((token) => (token.type === "heading" ? [plainText(token.tokens ?? [])] : []));
  expect(headings).toEqual(expect.arrayContaining(shown));
});

const tool = { toolName: "bash", toolCallId: "1", input: { command: "ls" }, agentId: "a", sessionKey: "k" };
const session = { type: "session" as const, entries: [], sessionFile: "/tmp/s", previousSessionFile: "/tmp/p" };
const result = { ...tool, type: "tool_result" as const, content: [], isError: false, durationMs: 1 };
const EVENTS: readonly HookEvent[] = [
  { ...tool, type: "tool_call" },
  result,
  { ...result, isError: true, error: "broke" },
  { type: "message", text: "hi", metadata: {}, agentId: "a", sessionKey: "k" },
  { ...session, reason: "start" },
  { ...session, reason: "branch", targetTurnIndex: 0 },
  { ...session, reason: "shutdown" },
  { type: "agent_start" },
  { type: "agent_end", messages: [] },
];

/** All fields that a hook saw, by the name of the hook or class: those of its arguments, one after the other. */
async function seen(source: string): Promise<Map<string, string[][]>> {
  const { host, log } = await startSession(
    { sees: { source, grant: { capabilities: { events: { see: ["*"] }, session: ["entries", "messages"] } } } },
    { sessionFile: "/tmp/s" },
  );
  for (const event of EVENTS) await (event.type === "tool_call" ? host.emitToolCall(event) : host.emit(event));
  const all = new Map<string, string[][]>();
  for (const { text } of log) {
    const [name, ...fields] = JSON.parse(text) as [string, ...string[][]];
    const before = all.get(name) ?? [];
    all.set(
      name,
      fields.map((names, at) => [...new Set([...(before[at] ?? []), ...names])].sort()),
    );
  }
  return all;
}

const namesIn = (cell = ""): string[] =>
  cell
    .split(", ")
    .map((name) => name.replace("?", ""))
    .sort();

/** Prints what kind of value each member has. */
const KINDS = `((all) => console.log(JSON.stringify(["", Object.entries(all).filter(([, value]) => value !== undefined)
  .map(([name, value]) => name + " " + (Array.isArray(value) ? "array" : typeof value))])))`;

/** Members that the events here leave undefined. */
const UNSEEN = ["selectedTool", "retry"];

/** What was seen of each member is of the type on the page, and the page has each. Takes it out of what was seen. */
function expectKinds(dialect: string, saw: Map<string, string[][]>): void {
  const kindsOf = (type: string): string[] =>
    type
      .split(" | ")
      .map((one) => (/^(string|number|boolean)$/.test(one) ? one : one.endsWith("[]") ? "array" : "object"));
  const rows = under(dialect, "member")?.rows ?? [];
  const possible = rows.flatMap(([name, type = ""]) => kindsOf(type).map((kind) => `${name} ${kind}`));
  const kinds = saw.get("")?.[0] ?? [];
  saw.delete("");
  expect(possible).toEqual(expect.arrayContaining(kinds));
  const names = rows.map(([name]) => name).filter((name) => !UNSEEN.includes(name ?? ""));
  expect([...new Set(kinds.map((one) => one.split(" ")[0]))].sort()).toEqual(names.sort());
}

test("the fields of OpenClaw's hooks are those that a hook sees", async () => {
  const rows = under("The dialect openclaw", "hook")?.rows ?? [];
  const handlers = rows.map(
    ([name]) =>
      `api.on("${name}", (event, context) => {
        console.log(JSON.stringify(["${name}", Object.keys(event), Object.keys(context)]));
        ${KINDS}({ ...event, ...context });
      });`,
  );
  const saw = await seen(`export default { id: "sees", register(api: any) { ${handlers.join("\n")} } };`);
  expectKinds("The dialect openclaw", saw);
  expect(Object.fromEntries(saw)).toEqual(
    Object.fromEntries(rows.map(([name, event, context]) => [name, [namesIn(event), namesIn(context)]])),
  );
});

test("the fields of Strands' events are those that a callback sees", async () => {
  const rows = under("The dialect strands", "event")?.rows ?? [];
  const names = rows.map(([name]) => name);
  const saw = await seen(`import { ${names.join(", ")} } from "@strands-agents/sdk";
export default { name: "sees", initAgent(agent: any) {
  for (const [name, type] of Object.entries({ ${names.join(", ")} }))
    agent.addHook(type, (event: any) => {
      console.log(JSON.stringify([name, Object.keys(event)]));
      ${KINDS}(event);
    });
} };`);
  expectKinds("The dialect strands", saw);
  expect(Object.fromEntries(saw)).toEqual(Object.fromEntries(rows.map(([name, fields]) => [name, [namesIn(fields)]])));
});
