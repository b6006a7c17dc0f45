import { describe, expect, test } from "vitest";
import { sandboxes } from "../failure/processes.ts";
import { startSession } from "../support/session.ts";
import { UNHURRIED } from "../support/unhurried.ts";
import { adapter } from "./strands-adapter.ts";
import { FULL, play, strandsSession } from "./strands-sides.ts";
import { after, before, plugin } from "./strands-source.ts";

const gotcha = (object: string, member: string): string =>
  `Object.defineProperty(${object}, "${member}", { get() { throw new Error("gotcha"); } });`;

/** A dead hook must become `cancel`, never a throw: shown before a real agent of the SDK. */
describe("a dead hook cancels the call, and the agent survives", () => {
  const QUICK = { ...FULL, limits: { cpuMs: 200 } };
  const dead = (reason: RegExp) => [["error", { text: expect.stringMatching(reason) }]];
  const noAnswer = () => undefined;

  test.each([
    ["an endless loop", before("for (;;);"), /^hook plugin cannot judge this call: .*\(CPU_EXCEEDED\)/],
    ["an endless loop of microtasks", before("for (;;) await null;"), /\(CPU_EXCEEDED\)/],
    ["a source that does not parse", before("let = = 1;"), /plugin\.ts:\d+:7: Unexpected "=" \(LOAD_FAILED\)/],
    [
      "an initAgent that throws",
      'throw new Error("no");',
      /cannot judge this call: plugin\.ts:\d+:\d+: no \(LOAD_FAILED\)/,
    ],
    [
      "a missing module",
      'await import("./nowhere.ts");',
      /Cannot find module '\.\/nowhere\.ts', imported by plugin\.ts \(LOAD_FAILED\)/,
    ],
    [
      "a thrown value that throws when it is read",
      before("throw { get message() { throw 1; }, toString() { throw 2; } };"),
      /^Hook failed, blocking execution: the hook threw a value that cannot be shown$/,
    ],
    [
      "an input that is not JSON",
      before("event.toolUse.input = { n: 1n };"),
      /^Do not know how to serialize a BigInt$/,
    ],
    ["a cancel that throws when it is read", before(gotcha("event", "cancel")), /^gotcha$/],
    ["a toolUse that throws when it is read", before(gotcha("event", "toolUse")), /^gotcha$/],
    ["an input that throws when it is read", before(gotcha("event.toolUse", "input")), /^gotcha$/],
  ])("%s", async (_name, body, reason) => {
    const { host } = await startSession({ plugin: { source: plugin(body), grant: QUICK } });
    const trace = await play({}, [adapter(host)], [], noAnswer);
    expect(trace).toEqual({
      ran: [],
      results: dead(reason),
      asked: [],
      history: [{ text: "hi" }],
      ended: "endTurn",
      errors: [],
    });
  });

  test("a bomb of memory", async () => {
    const source = plugin(before("const all: unknown[] = []; for (;;) all.push(new Array(100_000).fill(all.length));"));
    const { host } = await startSession({ plugin: { source, grant: { ...FULL, limits: UNHURRIED } } });
    const { ran, results, ended } = await play({}, [adapter(host)], [], noAnswer);
    expect({ ran, results, ended }).toEqual({ ran: [], results: dead(/MEMORY/), ended: "endTurn" });
  });

  test("a callback that never settles, at its deadline", async () => {
    const source = plugin(before("await new Promise(() => {});"));
    const { host } = await startSession({ plugin: { source, grant: QUICK } }, { hookTimeout: 300 });
    const { ran, results, ended } = await play({}, [adapter(host)], [], noAnswer);
    expect({ ran, results, ended }).toEqual({ ran: [], results: dead(/\(TIMEOUT\)/), ended: "endTurn" });
  });

  test("a process that is killed while it judges", async () => {
    const source = plugin(before('console.log("here"); await new Promise(() => {});'));
    const { host, log } = await strandsSession({ plugin: source });
    const life = play({}, [adapter(host)], [], noAnswer);
    await expect.poll(() => log.map(({ text }) => text), { timeout: 30_000 }).toContain("here");
    for (const pid of sandboxes()) process.kill(pid, "SIGKILL");
    const { ran, results, ended } = await life;
    expect({ ran, results, ended }).toEqual({ ran: [], results: dead(/\(CRASHED\)/), ended: "endTurn" });
  });

  test("a hook that dies after the call: the model reads the tool's result, and the person gets a report", async () => {
    const { host, errors } = await startSession({ plugin: { source: plugin(after("for (;;);")), grant: QUICK } });
    const { ran, results, ended } = await play({}, [adapter(host)], [], noAnswer);
    expect([ran.length, results, ended]).toEqual([1, [["success", { text: 'alpha: {"text":"hi"}' }]], "endTurn"]);
    expect(errors.length).toBeGreaterThan(0);
  });

  test("a hook that dies only in the first call judges the second one", async () => {
    const source = plugin(before('if (event.toolUse.input.bad) for (;;); event.cancel = "alive";'));
    const { host } = await startSession({ plugin: { source, grant: QUICK } });
    const turns = [[{ name: "alpha", input: { bad: true } }], [{ name: "alpha", input: {} }]];
    const { results } = await play({ turns }, [adapter(host)], [], noAnswer);
    expect(results).toEqual([...dead(/cannot judge this call/), ["error", { text: "alive" }]]);
  });

  test("a closed host cancels", async () => {
    const { host } = await strandsSession({ plugin: plugin(before("")) });
    await host.close();
    const { ran, results } = await play({}, [adapter(host)], [], noAnswer);
    expect([ran, results]).toEqual([[], dead(/the hook host is closed/)]);
  });
});
