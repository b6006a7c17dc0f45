/** What comes while a guard still handles the start of the session waits for it: its rules, and its handlers, are there after that. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { requestRestart } from "../../src/session/restart-request.ts";
import { sampled } from "../support/length.ts";
import {
  type Sources,
  scriptedUi,
  startSession,
  type TestSession,
  temporaryFolder,
  writeFiles,
} from "../support/session.ts";
import { ASKS, begins, GRANT, person, SEES } from "./guarded-things.ts";

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
  "a call": [ASKS["a call"], { block: true, reason: "one" }, /"block":true.*has not handled the start/],
  "a result": [
    ASKS["a result"],
    { content: [{ type: "text", text: "key=***" }] },
    /withheld.*has not handled the start/,
  ],
  "a permission": [ASKS["a permission"], { deny: expect.stringContaining("one") }, /"deny".*has not handled the start/],
  "a person's command": [ASKS["a person's command"], { result: { output: "one" } }, /has not handled the start.*126/],
};

const rows = Object.keys(GUARDS).flatMap((how) => Object.keys(JUDGED).map((judged) => ({ how, judged })));

test.each(sampled(rows, 2))("$judged waits for a guard that $how", async ({ how, judged }) => {
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

test.each(sampled(rows, 2))("$judged does not pass if a guard that $how takes too long", async ({ how, judged }) => {
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
  onTestFinished(() => void vi.unstubAllEnvs());
  const { host, call } = await startSession({ guard: { source: source("one"), grant: GRANT } }, options);
  const begun = host.emit(begins("start"));
  await asked;
  const early = call("rm");
  answer();
  expect(await early).toMatchObject({ block: true, hook: "guard", reason: "one" });
  await begun;
});

/** A guard whose time for the start of the session is up, by itself. */
const SLOW: Record<string, (how: string) => string> = {
  "never handles the start": (how) =>
    how.replaceAll('await ctx.ui.confirm("rules", "")', "await new Promise(() => {})"),
  "is slower than it may be": (how) =>
    how.replaceAll('await ctx.ui.confirm("rules", "")', "await new Promise((done) => setTimeout(done, 1500))"),
};
const slowRows = Object.keys(SLOW).flatMap((slow) => rows.map((row) => ({ slow, ...row })));

test.each(sampled(slowRows, 3))(
  "$judged does not pass a guard that $slow, and that $how",
  async ({ slow, how, judged }) => {
    const source = SLOW[slow]?.(GUARDS[how]?.("one") as string) as string;
    const session = await startSession({ guard: { source, grant: GRANT } }, { hookTimeout: 300 });
    const [ask] = JUDGED[judged] as (typeof JUDGED)[string];
    await session.host.emit(begins("start"));
    const said = JSON.stringify(await ask(session));
    expect(said).toMatch(/did not handle the start of the session in time \(TIMEOUT\); to go on: .*restart/);
    expect(JSON.stringify(await ask(session))).toBe(said);
  },
);

const READS_A_FILE = `import { readFileSync } from "node:fs";
  export default (pi: any) => {
    let rules = false;
    pi.on("session", async () => { if (readFileSync("slow", "utf8") === "yes") await new Promise(() => {}); rules = true; });
    pi.on("tool_call", () => rules && { block: true, reason: "one" });
  };`;

test.each<[string, (session: TestSession) => Promise<unknown>]>([
  ["a new session", ({ host }) => host.emit(begins("clear"))],
  ["a restart", ({ host }) => host.reload("guard")],
  [
    "a restart that a person asks for from a terminal",
    async ({ folder }) => requestRestart(join(folder, "home"), "guard"),
  ],
])("a guard whose time was up at the start judges again after %s", async (_what, act) => {
  const grant = { capabilities: { events: { see: SEES, block: true }, fs: { read: ["$CWD/**"] } } };
  const session = await startSession({ guard: { source: READS_A_FILE, grant } }, { hookTimeout: 300 });
  writeFiles(session.folder, { "work/slow": "yes" });
  await session.host.emit(begins("start"));
  expect(await session.call("rm")).toMatchObject({ block: true, reason: expect.stringContaining("in time") });
  writeFiles(session.folder, { "work/slow": "no" });
  // A restart that was asked for at the same millisecond would not count as one since.
  await new Promise((done) => setTimeout(done, 5));
  await act(session);
  expect(await session.call("rm")).toMatchObject({ block: true, reason: "one" });
});

test("a guard whose process ends while it handles the start, through another's fault, is told again before it judges", async () => {
  const loops = {
    source: `import { existsSync } from "node:fs"; export default (pi: any) => pi.on("session", () => { if (existsSync("loop")) for (;;); });`,
    grant: { capabilities: { events: { see: SEES }, fs: { read: ["$CWD/**"] } }, limits: { cpuMs: 200 }, priority: 1 },
  };
  const guard = GUARDS["registers its handlers then"]?.("one").replace('await ctx.ui.confirm("rules", "");', "");
  const session = await startSession({ loops, guard: { source: guard as string, grant: loops.grant } });
  writeFiles(session.folder, { "work/loop": "" });
  await session.host.emit(begins("start"));
  rmSync(join(session.folder, "work", "loop"));
  expect(await session.call("rm")).toMatchObject({ block: true, hook: "guard", reason: "one" });
});

test("a guard that throws at the start of the session judges on, as in pi", async () => {
  const source = `export default (pi: any) => {
    pi.on("session", () => { throw new Error("no rules"); });
    pi.on("tool_call", () => ({ block: true, reason: "judged" }));
  };`;
  const { host, call, errors } = await startSession({ guard: { source, grant: GRANT } });
  await host.emit(begins("start"));
  expect(await call("rm")).toMatchObject({ block: true, reason: "judged" });
  expect(errors).toMatchObject([{ event: "session", error: "no rules" }]);
});

test("a hook that fails open lets pass what it did not get ready for", async () => {
  const source = SLOW["never handles the start"]?.(GUARDS["gets its rules then"]?.("one") as string) as string;
  const { host, call } = await startSession(
    { guard: { source, grant: { ...GRANT, failure: "open" } } },
    { hookTimeout: 300 },
  );
  await host.emit(begins("start"));
  expect(await call("rm")).toBeUndefined();
});

/** A tool that gives its result when the test says so. */
function slowTool() {
  const [running, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const tool = {
    name: "bash",
    execute: async () => {
      running.resolve();
      await go.promise;
      return { content: [{ type: "text" as const, text: "SECRET" }] };
    },
  };
  return { tool, running: running.promise, go: () => go.resolve() };
}

describe("where an agent announces no session", () => {
  const OWN = Object.fromEntries(
    Object.entries(GUARDS).map(([how, source]) => [
      how,
      source("one").replace('await ctx.ui.confirm("rules", "");', ""),
    ]),
  );
  const unannounced = Object.keys(OWN).flatMap((how) => Object.keys(JUDGED).map((judged) => ({ how, judged })));

  test.each(sampled(unannounced, 2))("$judged is judged by a guard that $how", async ({ how, judged }) => {
    const session = await startSession({ guard: { source: OWN[how] as string, grant: GRANT } });
    const [ask, verdict] = JUDGED[judged] as (typeof JUDGED)[string];
    expect(await ask(session)).toMatchObject(verdict);
  });

  test.each(Object.keys(OWN))("wrapped tools are judged by a guard that %s", async (how) => {
    const { host } = await startSession({ guard: { source: OWN[how] as string, grant: GRANT } });
    const { tool, go } = slowTool();
    go();
    const [wrapped] = wrapToolsWithHooks([{ ...tool, execute: (_id: string, _input: never) => tool.execute() }], host);
    await expect(wrapped?.execute("1", {} as never)).rejects.toThrow("Blocked by hook guard: one");
  });

  test("other events begin none", async () => {
    const source =
      'export default (pi: any) => { pi.on("session", () => console.log("heard")); pi.on("agent_end", () => {}); };';
    const { host, log } = await startSession({ hears: source });
    expect(["agent_end", "input"].map((type) => host.hasHandlers(type))).toEqual([true, false]);
    await host.emit({ type: "agent_end", messages: [] });
    expect(log).toEqual([]);
  });
});

test("a redactor that a person enables while a tool runs hears the result of that", async () => {
  const source = `export default (pi: any) => { pi.on("tool_result", () => ({ content: [{ type: "text", text: "key=***" }] })); };`;
  const options = { ui: scriptedUi(), hasUI: true, consent: async () => "session" as const };
  const { host } = await startSession({ guard: { source, grant: GRANT } }, options);
  await host.disable("guard");
  const { tool, running, go } = slowTool();
  const [wrapped] = wrapToolsWithHooks([{ ...tool, execute: (_id: string, _input: never) => tool.execute() }], host);
  const result = wrapped?.execute("1", {} as never);
  await running;
  await host.enable("guard");
  go();
  expect(JSON.stringify(await result)).toMatch(/key=\*\*\*/);
});
