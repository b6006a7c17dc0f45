/** What comes while a guard still handles the start of the session waits for it: its rules, and its handlers, are there after that. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { sampled } from "../support/length.ts";
import { type Sources, scriptedUi, startSession, type TestSession, temporaryFolder } from "../support/session.ts";

const SEES = ["session", "tool_call", "tool_result", "permission_request", "user_bash"];
const GRANT: Exclude<Sources[string], string>["grant"] = {
  capabilities: {
    events: { see: SEES, block: true, guardResult: ["*"], rewriteResult: ["*"], rewriteUserInput: true },
    ui: ["confirm"],
  },
};

/** `rules`: a name by which versions differ. */
const HANDLERS = (rules: string): string => `
  pi.on("tool_call", () => rules && { block: true, reason: "${rules}" });
  pi.on("tool_result", () => rules && { content: [{ type: "text", text: "key=***" }] });
  pi.on("permission_request", () => rules && { deny: "${rules}" });
  pi.on("user_bash", () => rules && { result: { output: "${rules}", exitCode: 1, cancelled: false, truncated: false } });`;

const GUARDS: Record<string, (rules: string) => string> = {
  "registers its handlers then": (
    rules,
  ) => `export default (pi: any) => { pi.on("session", async (_event: any, ctx: any) => {
    await ctx.ui.confirm("rules", "");
    const rules = true;
    ${HANDLERS(rules)}
  }); };`,
  "gets its rules then": (rules) => `export default (pi: any) => {
    let rules = false;
    pi.on("session", async (_event: any, ctx: any) => { await ctx.ui.confirm("rules", ""); rules = true; });
    ${HANDLERS(rules)}
  };`,
};

const JUDGED: Record<string, [ask: (session: TestSession) => Promise<unknown>, verdict: object, late: RegExp]> = {
  "a call": [({ call }) => call("rm"), { block: true, reason: "one" }, /"block":true.*has not handled the start/],
  "a result": [
    ({ host }) =>
      host.emit({
        ...{ type: "tool_result", toolName: "bash", toolCallId: "1", input: {}, isError: false },
        content: [{ type: "text", text: "key=SECRET" }],
      }),
    { content: [{ type: "text", text: "key=***" }] },
    /withheld.*has not handled the start/,
  ],
  "a permission": [
    ({ host }) => host.emit({ type: "permission_request", toolName: "bash", input: {} }),
    { deny: expect.stringContaining("one") },
    /"deny".*has not handled the start/,
  ],
  "a person's command": [
    ({ host }) => host.emit({ type: "user_bash", command: "rm", excludeFromContext: false, cwd: "/" }),
    { result: { output: "one" } },
    /has not handled the start.*126/,
  ],
};

const rows = Object.keys(GUARDS).flatMap((how) => Object.keys(JUDGED).map((judged) => ({ how, judged })));

const begins = (reason: "start" | "switch" | "clear" | "branch"): HookEvent =>
  ({ type: "session", reason, entries: [], sessionFile: null, previousSessionFile: null }) as HookEvent;

/** A person who answers when the test says so. `asked` comes true with the first question. */
function person() {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const confirm = async (): Promise<boolean> => {
    asked.resolve();
    await answer.promise;
    return true;
  };
  return {
    asked: asked.promise,
    answer: () => answer.resolve(),
    options: { ui: { ...scriptedUi(), confirm }, hasUI: true },
  };
}

test.each(rows)("$judged waits for a guard that $how", async ({ how, judged }) => {
  const { asked, answer, options } = person();
  const session = await startSession({ guard: { source: GUARDS[how]?.("one") as string, grant: GRANT } }, options);
  const [ask, verdict] = JUDGED[judged] as (typeof JUDGED)[string];
  const begun = session.host.emit(begins("start"));
  await asked;
  const early = ask(session);
  answer();
  expect(await early).toMatchObject(verdict);
  await begun;
  expect(await ask(session)).toMatchObject(verdict);
});

test.each(rows)("$judged does not pass if a guard that $how takes too long", async ({ how, judged }) => {
  const { asked, answer, options } = person();
  const session = await startSession(
    { guard: { source: GUARDS[how]?.("one") as string, grant: GRANT } },
    { ...options, hookTimeout: 300 },
  );
  const [ask, verdict, late] = JUDGED[judged] as (typeof JUDGED)[string];
  const begun = session.host.emit(begins("start"));
  await asked;
  expect(JSON.stringify(await ask(session))).toMatch(late);
  answer();
  await begun;
  expect(await ask(session)).toMatchObject(verdict);
});

test.each(["switch", "clear", "branch"] as const)(
  "a call waits, too, when the session is another one: %s",
  async (reason) => {
    const { asked, answer, options } = person();
    const source = `export default (pi: any) => {
    let rules = true;
    pi.on("session", async ({ reason }: any, ctx: any) => {
      if (reason === "start") return;
      rules = false;
      await ctx.ui.confirm("rules", "");
      rules = true;
    });
    ${HANDLERS("one")}
  };`;
    const { host, call } = await startSession({ guard: { source, grant: GRANT } }, options);
    await host.emit(begins("start"));
    const begun = host.emit(begins(reason));
    await asked;
    const early = call("rm");
    answer();
    expect(await early).toMatchObject({ block: true, reason: "one" });
    await begun;
  },
);

test.each(sampled(rows, 2))(
  "of two at once after a reload with new files, $judged waits for a guard that $how",
  async ({ how, judged }) => {
    const { asked, answer, options } = person();
    let isNew = false;
    const confirm = (): Promise<boolean> => (isNew ? options.ui.confirm() : Promise.resolve(true));
    const source = GUARDS[how] as (rules: string) => string;
    const session = await startSession(
      { guard: { source: "export default () => {};", grant: GRANT } },
      { hasUI: true, ui: { ...options.ui, confirm } },
    );
    const [ask, verdict] = JUDGED[judged] as (typeof JUDGED)[string];
    await session.host.emit(begins("start"));
    writeFileSync(join(session.folder, "hooks", "guard.ts"), source("one"));
    isNew = true;
    await session.host.reload("guard");
    const first = ask(session);
    await asked;
    const second = ask(session);
    answer();
    expect(await Promise.all([first, second])).toMatchObject([verdict, verdict]);
  },
);

test("a hook that one before it keeps from hearing of the session is told by the call, and judges", async () => {
  const { asked, answer, options } = person();
  const slow: Sources[string] = {
    source: `export default (pi: any) => { pi.on("session", async (_event: any, ctx: any) => void (await ctx.ui.confirm("", ""))); };`,
    grant: {
      capabilities: { events: { see: SEES, block: false }, ui: ["confirm"], exec: [{ program: "true", args: [] }] },
    },
  };
  const source = `export default (pi: any) => { pi.on("session", () => { pi.on("tool_call", () => ({ block: true, reason: "no" })); }); };`;
  const { host, call } = await startSession({ slow, guard: source }, { ...options, hookTimeout: 300 });
  const begun = host.emit(begins("start"));
  await asked;
  expect(await call("rm")).toMatchObject({ block: true, hook: "guard", reason: "no" });
  answer();
  await begun;
});

test("a required guard that registers its handler then is waited for", async () => {
  const { asked, answer, options } = person();
  const source = GUARDS["registers its handlers then"] as (rules: string) => string;
  const policy = join(temporaryFolder(), "policy.json");
  writeFileSync(policy, JSON.stringify({ version: 1, required: ["guard"] }));
  vi.stubEnv("CORDON_POLICY", policy);
  const { host, call } = await startSession({ guard: { source: source("one"), grant: GRANT } }, options);
  const begun = host.emit(begins("start"));
  await asked;
  const early = call("rm");
  answer();
  expect(await early).toMatchObject({ block: true, hook: "guard", reason: "one" });
  await begun;
});
