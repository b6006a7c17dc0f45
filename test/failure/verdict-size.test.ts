import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_CALL_MEMBERS, MAX_MEMBERS, mostMembers } from "../../sandbox/wire/messages.ts";
import { readVerdict } from "../../src/supervisor/guest-frames.ts";
import { onToolCall, startSession } from "../support/session.ts";

const membersOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, one) => sum + 1 + membersOf(one), 0)
    : 0;

test("a verdict may have as many members as its event, whatever that looks like, and those of a call more", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 6 }), { maxLength: 3 }), (given) => {
      const most = mostMembers(
        "tool_call",
        given.map((one) => JSON.stringify(one)),
      );
      expect(most).toBeGreaterThanOrEqual(
        MAX_CALL_MEMBERS + given.reduce((sum: number, one) => sum + membersOf(one), 0),
      );
      expect(most).toBeLessThanOrEqual(MAX_MEMBERS);
    }),
  );
  const huge = `[${"0,".repeat(MAX_MEMBERS)}0]`;
  expect(mostMembers("tool_result", [huge])).toBe(MAX_MEMBERS);
  expect(mostMembers("run", [])).toBe(MAX_MEMBERS);
});

test("the host reads no more members than the guest of a small event sends, and leaves room between both", () => {
  const event = (type: string, text = "{}", withheld: [string, unknown][] = []) =>
    ({ type, text, withheld: new Map(withheld) }) as never;
  const result = (members: number) => `{"result":[${"0,".repeat(members - 1)}0]}`;
  const isRead = (members: number, about: never): boolean => {
    try {
      return readVerdict("r", result(members), about) !== undefined;
    } catch {
      return false;
    }
  };
  const small = MAX_CALL_MEMBERS + mostMembers("tool_call", ["{}"]) - 1;
  expect([isRead(small, event("tool_call")), isRead(small + 1, event("tool_call"))]).toEqual([true, false]);
  expect([isRead(MAX_MEMBERS - 1, event("run")), isRead(MAX_MEMBERS, event("run"))]).toEqual([true, false]);
  const large = result(50_000);
  expect(isRead(50_000 + small, event("tool_result", large))).toBe(true);
  expect(isRead(50_000 + small, event("session", "{}", [["entries", JSON.parse(large)]]))).toBe(true);
});

const RIGHTS = { see: ["*"], block: true, rewriteInput: ["*"], rewriteResult: ["*"], guardResult: ["*"] };
const fills = (count: number) =>
  onToolCall(
    `for (let i = 0; i < ${count / 1000}; i++) event.input["x" + i] = Array.from({ length: 999 }, (_, at) => at);`,
  );

test.each([
  ["may change calls", RIGHTS],
  ["may change nothing", { see: ["*"], block: true }],
])("a hook that %s says what fits a call, and is blocked for more", async (_what, events) => {
  const grant = { capabilities: { events } };
  const { call, errors } = await startSession({ fills: { source: fills(9_000), grant } });
  expect(await call("ls")).not.toMatchObject({ block: true });
  const more = await startSession({ fills: { source: fills(12_000), grant } });
  expect(await more.call("ls")).toMatchObject({ block: true, reason: expect.stringContaining("members") });
  expect(more.errors).toMatchObject([{ code: "BAD_RESULT" }]);
  expect(more.host.hooks[0]?.state).toBe("active");
  expect(errors.filter(({ code }) => code !== "NOT_GRANTED")).toEqual([]);
});

test("a hook changes one part of a result with more members than any call has", async () => {
  const source = `export default (pi: any) => pi.on("tool_result", (event: any) => ({
    details: { rows: event.details.rows.map((row: any, at: number) => at === 7 ? { ...row, name: "changed" } : row) },
  }));`;
  const { host } = await startSession({ changes: { source, grant: { capabilities: { events: RIGHTS } } } });
  const rows = Array.from({ length: 15_000 }, (_, at) => ({ at, name: "n" }));
  const { result } = await host.emitToolResult({
    type: "tool_result",
    toolName: "read",
    toolCallId: "1",
    input: {},
    content: [{ type: "text", text: "x" }],
    details: { rows },
    isError: false,
  });
  const changed = (result?.details as { rows: typeof rows } | undefined)?.rows ?? [];
  expect(changed).toHaveLength(rows.length);
  expect(changed[7]).toEqual({ at: 7, name: "changed" });
});
