import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ToolCallOutcome } from "../../src/verdicts/tool-call.ts";
import { on, scriptedUi, sharedSession } from "../support/session.ts";

/**
 * Each wait has a deadline of its own. All of one event have 60 times what the hook itself has: 24 seconds here. The waits are
 * few and long, since what is between them counts as the hook's own time.
 */
const OPTIONS = { hookTimeout: 400 };
const MOST_MS = 24_000;

const server = createServer((_request, response) => void setTimeout(() => response.end("x"), 6000));
server.listen(0, "127.0.0.1");
await once(server, "listening");
const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const capabilities = {
  events: { see: ["tool_call"], block: true },
  ui: ["confirm" as const, "draw" as const],
  agent: ["compact" as const],
  exec: [{ program: "sleep", args: [{ kind: "text" as const }], fullAccess: true }],
  net: { connect: [place] },
};

/** A person who takes longer than all programs may. */
const ui = {
  ...scriptedUi(),
  confirm: async () => {
    await delay(MOST_MS + 1000);
    return true;
  },
  theme: () => ({ name: "dark", fg: {}, bg: {} }),
  custom() {},
  mount() {},
};

/** An agent that never comes to an end. */
const agent = { act: { compact: () => new Promise(() => {}) } };

const JUDGED = { block: true, reason: "judged" };
const judged = "return { block: true, reason: 'judged' };";
const blocked = (reason: RegExp) => ({ block: true, hook: "waits", reason: expect.stringMatching(reason) });
const OUTWAITED = blocked(/waited more than 24000 ms in all/);

/** What a hook does, and what becomes of the call. */
const cases: [name: string, body: string, verdict: object][] = [
  ["programs without end", 'for (;;) await ctx.exec("sleep", ["6"]);', OUTWAITED],
  [
    "programs without end, three at a time",
    'const one = async () => { for (;;) await ctx.exec("sleep", ["6"]); }; await Promise.all([one(), one(), one()]);',
    OUTWAITED,
  ],
  [
    "programs without end, whatever it is told",
    'for (;;) { try { await ctx.exec("sleep", ["6"]); } catch {} }',
    OUTWAITED,
  ],
  [
    "programs without end that it blocks for",
    'for (;;) execFileSync("sleep", ["6"]);',
    blocked(/waited more than 24000 ms in all.*\(TIMEOUT\)/),
  ],
  ["requests without end", `for (;;) await fetch("http://${place}/");`, OUTWAITED],
  [
    "programs that it blocks for, and computes while it is told that its time is up",
    `for (const end = Date.now() + 300; Date.now() < end; ) await new Promise((done) => setTimeout(done, 5));
     for (const end = Date.now() + 600; Date.now() < end; );
     for (;;) execFileSync("sleep", ["6"]);`,
    // A slow machine sees its time end after it has begun to wait.
    blocked(/(did not answer within 400 ms|waited more than 24000 ms in all).*\(TIMEOUT\)/),
  ],
  [
    "a component without the keyboard",
    "await ctx.ui.custom(() => ({ invalidate() {}, render: () => [] }), { overlay: true, overlayOptions: { nonCapturing: true } });",
    OUTWAITED,
  ],
  [
    "the agent, without end",
    "await new Promise((done) => ctx.compact({ onComplete: done, onError: done }));",
    OUTWAITED,
  ],
  ["programs for less time", `for (let at = 0; at < 2; at++) await ctx.exec("sleep", ["6"]); ${judged}`, JUDGED],
  ["a person", `if (await ctx.ui.confirm("Go on?", "")) ${judged}`, JUDGED],
];

const sessions = cases.map(([, body]) =>
  sharedSession(
    {
      waits: {
        source: on("tool_call", body, 'import { execFileSync } from "node:child_process";'),
        grant: { capabilities },
      },
    },
    { ...OPTIONS, ui, agent, hasUI: true },
  ),
);

/** A tool of a hook's own, which is no event: the person who waits for it can end it. */
const extension = sharedSession(
  {
    offers: {
      source: `import { Type } from "@sinclair/typebox";
        export default (pi) => pi.registerTool({ name: "long", label: "L", description: "D", parameters: Type.Object({}),
          async execute() {
            for (let at = 0; at < 5; at++) await pi.exec("sleep", ["6"]);
            return { content: [{ type: "text", text: "done" }] };
          } });`,
      grant: { capabilities: { tools: ["*"], exec: capabilities.exec } },
    },
  },
  OPTIONS,
);

let verdicts: ToolCallOutcome[];
let ran: { content: unknown };
let tookMs: number;
beforeAll(async () => {
  const begun = performance.now();
  const tool = extension.host.offers.runTool("long", {}, { toolCallId: "1" });
  verdicts = await Promise.all(sessions.map(({ call }) => call()));
  ran = await tool;
  tookMs = performance.now() - begun;
});

test.each(cases.map(([name, , verdict], at) => ({ name, verdict, at })))(
  "a hook that waits for $name",
  ({ verdict, at }) => {
    expect(verdicts[at]).toMatchObject(verdict);
  },
);

test("a tool of a hook's may wait for longer", () => {
  expect(ran.content).toEqual([{ type: "text", text: "done" }]);
  expect(tookMs).toBeGreaterThan(MOST_MS);
});
