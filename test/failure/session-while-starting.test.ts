/** A session that begins while hooks start, restart or judge: each hears of the last one, once, and judges after that. */
import { expect, test } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { sampled } from "../support/length.ts";
import { type Sources, startSession } from "../support/session.ts";
import { ASKS, begins, GRANT, person, SEES } from "./guarded-things.ts";

/** A guard without rules while it handles the start of a session. */
const GUARD = `export default (pi: any) => {
  let rules = false;
  pi.on("session", async ({ reason }: any, ctx: any) => {
    if (reason === "shutdown") return;
    rules = false;
    if (await ctx.ui.confirm("told", reason)) rules = true;
  });
  pi.on("tool_call", () => rules && { block: true, reason: "one" });
  pi.on("tool_result", () => rules && { content: [{ type: "text", text: "key=***" }] });
  pi.on("permission_request", () => rules && { deny: "one" });
  pi.on("user_bash", () => rules && { result: { output: "one", exitCode: 1, cancelled: false, truncated: false } });
};`;
const guard: Sources[string] = { source: GUARD, grant: GRANT };

const VERDICTS = {
  "a call": { block: true, reason: "one" },
  "a result": { content: [{ type: "text", text: "key=***" }] },
  "a permission": { deny: expect.stringContaining("one") },
  "a person's command": { result: { output: "one" } },
} satisfies Record<keyof typeof ASKS, object>;
const THINGS = Object.keys(ASKS) as (keyof typeof ASKS)[];

test.each(sampled(THINGS, 2))(
  "%s waits for a guard that restarts and begins a session by the first of two",
  async (thing) => {
    const { asked, answer, options } = person();
    const session = await startSession({ guard }, options);
    const reloading = session.host.reload("guard");
    const first = ASKS[thing](session);
    await asked;
    const second = ASKS[thing](session);
    answer();
    expect(await Promise.all([first, second])).toMatchObject([VERDICTS[thing], VERDICTS[thing]]);
    await reloading;
  },
);

test.each(sampled(THINGS, 2))("%s waits for a guard that restarts while another session begins", async (thing) => {
  const { asked, answer, options } = person();
  const confirm = async (_title: string, reason: string): Promise<boolean> =>
    reason.endsWith("start") || options.ui.confirm();
  const session = await startSession({ guard }, { hasUI: true, ui: { ...options.ui, confirm } });
  await session.host.emit(begins("start"));
  const all = [session.host.reload("guard"), session.host.emit(begins("switch")), ASKS[thing](session)];
  await asked;
  const later = ASKS[thing](session);
  answer();
  expect(await Promise.all([all[2], later])).toMatchObject([VERDICTS[thing], VERDICTS[thing]]);
  await Promise.all(all);
});

test("a call that hooks are asked about together is judged anew by one that hears of another session meanwhile", async () => {
  const [judging, judged] = [person(), person()];
  const slow: Sources[string] = {
    source: `export default (pi: any) => pi.on("tool_call", async (_event: any, ctx: any) => void (await ctx.ui.confirm("judges", "")));`,
    grant: { capabilities: { events: { see: SEES, block: true }, ui: ["confirm"] } },
  };
  const confirm = async (title: string, reason: string): Promise<boolean> =>
    title.endsWith("judges") ? judging.options.ui.confirm() : reason.endsWith("start") || judged.options.ui.confirm();
  const { host, call } = await startSession(
    { slow, guard: { ...guard, grant: { ...slow.grant, ...GRANT, priority: -1 } } },
    { hasUI: true, ui: { ...judged.options.ui, confirm } },
  );
  await host.emit(begins("start"));
  const early = call("rm");
  await judging.asked;
  const begun = host.emit(begins("switch"));
  await judged.asked;
  judging.answer();
  // The guard is asked in the middle of that now, and would let it pass.
  await new Promise((done) => setTimeout(done, 100));
  judged.answer();
  expect(await early).toMatchObject({ block: true, hook: "guard", reason: "one" });
  await begun;
});

/** Orders in which a restart and sessions may come. The last one is a session. */
const ORDERS: ("reload" | "call" | "switch" | "clear")[][] = [
  ["reload", "switch"],
  ["reload", "call", "switch"],
  ["reload", "call", "switch", "call", "clear"],
  ["switch", "reload", "clear"],
  ["switch", "call", "reload", "call", "clear"],
  ["reload", "switch", "clear", "switch"],
];

test.each(ORDERS.map((order) => ({ order })))(
  "a hook hears of sessions in their order, and of the last one once: $order",
  async ({ order }) => {
    const source = `export default (pi: any) => {
    pi.on("session", async ({ reason, sessionFile }: any) => { console.log(sessionFile ?? reason); await new Promise((done) => setTimeout(done, 50)); });
    pi.on("tool_call", () => {});
  };`;
    const { host, call, log } = await startSession({ guard: { source, grant: GRANT } });
    await host.emit(begins("start"));
    const sessions: string[] = [];
    const all = order.map((act, index) => {
      if (act === "reload") return host.reload("guard");
      if (act === "call") return call("ls");
      sessions.push(`${act}-${index}`);
      return host.emit({ ...begins(act), sessionFile: sessions.at(-1) } as HookEvent);
    });
    await Promise.all(all);
    await call("ls");
    const heard = log.map(({ text }) => text).filter((text) => /-\d$/.test(text));
    expect(heard.at(-1)).toBe(sessions.at(-1));
    expect(heard).toEqual(sessions.filter((one) => heard.includes(one)));
  },
);
