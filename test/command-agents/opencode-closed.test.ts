import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { install, type Place, planOfInstall } from "../../src/agents/setup/install.ts";
import { opencode } from "../../src/agents/setup/opencode.ts";
import { MAX_BODY_BYTES } from "../../src/base/daemon-wire.ts";
import { Deadlines } from "../../src/shim/opencode/deadlines.ts";
import { hold } from "../../src/shim/opencode/hold.ts";
import { hooksFor } from "../../src/shim/opencode/plugin.ts";
import { sampled } from "../support/length.ts";
import { onToolCall } from "../support/session.ts";
import { DAEMON_FAILURES, type Failure, move } from "./failures.ts";
import type { HostAnswer, HostCall } from "./opencode-host.ts";
import { World } from "./world.ts";

const world = new World(
  {
    gate: onToolCall('if (event.input.command === "no") return { block: true, reason: "no" };'),
    longer: onToolCall('if (event.input.command === "ls") event.input.command = "ls -l";'),
    slow: onToolCall('if (event.input.command === "slow") await new Promise(() => {});'),
    redacts: `export default (pi) => pi.on("tool_result", (event) => {
      const [{ text }] = event.content;
      if (text.includes("KEY")) return { content: [{ type: "text", text: text.replace(/KEY\\w+/g, "***") }] };
    });`,
  },
  {
    longer: { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } } },
    redacts: { capabilities: { events: { see: ["tool_result"], rewriteResult: ["*"] } } },
  },
);
const place: Place = {
  setup: opencode,
  home: world.home,
  places: { user: world.folder, env: {} },
  project: undefined,
};
install(place, planOfInstall(place), { node: process.execPath, monitor: false });

const PLUGIN = join(opencode.folder(place.places), "plugins", "cordon.js");
const PATHS = join(world.home, "bin", "paths.json");
const run = promisify(execFile);

/** Calls the plugin's hooks in a process of its own. */
async function host(calls: readonly HostCall[], variables: object = {}, speed = 1): Promise<HostAnswer[]> {
  const file = join(import.meta.dirname, "opencode-host.ts");
  const args = [file, pathToFileURL(PLUGIN).href, JSON.stringify(calls), JSON.stringify(variables), String(speed)];
  const { stdout } = await run(process.execPath, args, { cwd: world.work, env: { PATH: "/usr/bin:/bin" } });
  return JSON.parse(stdout);
}

const use = (sessionID = "s") => ({ tool: "bash", sessionID, callID: "c" });
const call = (args: unknown, session?: string): HostCall => ({
  hook: "tool.execute.before",
  given: [use(session), { args }],
});
const after = (output: object): HostCall => ({
  hook: "tool.execute.after",
  given: [{ ...use(), args: { command: "cat" } }, output],
});
const note: HostCall = { hook: "chat.message", given: [{ sessionID: "s" }, { parts: [{ type: "text", text: "hi" }] }] };

describe("opencode's plugin, when nothing is wrong", () => {
  test("lets a call run as it was judged, a changed one as it was changed, and throws for a blocked one", async () => {
    const own = { command: "fine", deep: { list: [1] } };
    const [fine, changed, blocked] = await host([call(own), call({ command: "ls" }), call({ command: "no" })]);
    expect(fine).toEqual({ given: [use(), { args: own }], open: false });
    expect(changed).toMatchObject({ given: [use(), { args: { command: "ls -l" } }], open: false });
    expect(blocked?.error).toBe(`Blocked by hook ${world.hook("gate")}: no`);
  });

  test("gives the model what hooks saw of a result, whoever changes it meanwhile", async () => {
    const members = { output: "a KEY1", metadata: { more: "a KEY1" }, attachments: [{ url: "data:KEY1" }] };
    const [changed] = await host([{ ...after({ output: "fine", metadata: {} }), changes: { afterMs: 0, members } }]);
    expect(changed?.given[1]).toEqual({ output: "fine", metadata: {} });
  });

  test("takes a secret out of a result, and the files that came with it", async () => {
    const output = { title: "", output: "a KEY1", metadata: { output: "a KEY1" }, attachments: [{ url: "data:KEY1" }] };
    const [plain, redacted] = await host([after({ output: "fine", attachments: [] }), after(output)]);
    expect(plain?.given[1]).toEqual({ output: "fine", attachments: [] });
    expect(redacted?.given[1]).toEqual({
      title: "",
      output: 'a ***\n{"attachments":[{"url":"data:***"}]}',
      metadata: { output: "" },
      attachments: [],
    });
  });

  test("gives up a call whose turn is over", async () => {
    const idle = { event: { type: "session.idle", properties: { sessionID: "gone" } } };
    const meanwhile = { afterMs: 1000, hook: "event", given: [idle] };
    const [given] = await host([{ ...call({ command: "slow" }, "gone"), meanwhile }]);
    expect(given?.error).toContain("given up");
  });

  test.each([["a text"], [null], [[1]]])("lets no call pass whose input is %j", async (args) => {
    expect((await host([call(args)]))[0]?.error).toBeDefined();
  });
});

/** Another text of a file, until the test is over. */
function rewrite(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, "utf8");
  writeFileSync(path, change(before));
  onTestFinished(() => writeFileSync(path, before));
}

const withPaths = (parts: object) => rewrite(PATHS, (text) => JSON.stringify({ ...JSON.parse(text), ...parts }));

const FAILURES: Failure[] = [
  { name: "what it loads is gone", arrange: () => move(join(world.home, "bin", "opencode.mjs")) },
  {
    name: "what it loads is broken",
    arrange: () => rewrite(join(world.home, "bin", "opencode.mjs"), () => "export {"),
  },
  { name: "its paths are gone", arrange: () => move(PATHS) },
  { name: "its paths are broken", arrange: () => rewrite(PATHS, () => "{") },
  {
    name: "Node is gone",
    async arrange() {
      await world.stop();
      withPaths({ node: "/nowhere/node" });
    },
  },
  {
    name: "the daemon cannot be started",
    async arrange() {
      await world.stop();
      withPaths({ start: "/nowhere/start.js" });
    },
  },
  { name: "the home is too deep for a socket", arrange: () => withPaths({ home: `/tmp/${"deep/".repeat(30)}` }) },
  ...DAEMON_FAILURES,
];

/** These are told by nothing but the deadline, or late. */
const ENDLESS = ["the daemon hangs", "the daemon cannot be started"];

const REMEDY = /run: cordon doctor|grants\.json/;

describe("opencode's plugin", () => {
  test.each(sampled(FAILURES, 2))("throws when $name, and what only tells goes on", async ({ name, arrange }) => {
    await arrange(world);
    const speed = ENDLESS.includes(name) ? 100 : 1;
    const [judged, result, told] = await host(
      [call({ command: "fine" }), after({ output: "a KEY1" }), note],
      {},
      speed,
    );
    expect([judged?.error, result?.error, told?.error]).toEqual([
      expect.stringMatching(REMEDY),
      expect.stringMatching(REMEDY),
      undefined,
    ]);
  });

  test("throws when the daemon dies while hooks judge, and asks the next one", async () => {
    const judged = host([call({ command: "slow" })]);
    await expect.poll(async () => (await world.status())?.sessions.length ?? 0, { timeout: 20_000 }).toBeGreaterThan(0);
    await new Promise((done) => setTimeout(done, 1000));
    await world.kill();
    expect((await judged)[0]?.error).toContain("before it answered");
    expect((await host([call({ command: "no" })]))[0]?.error).toContain(": no");
  });

  test.each([
    ["NODE_OPTIONS", "--require /nowhere.cjs"],
    ["LD_PRELOAD", "/nowhere.so"],
  ])("starts a daemon that knows nothing of opencode's %s", async (name, value) => {
    await world.stop();
    const [judged] = await host([call({ command: "no" })], { [name]: value });
    expect(judged?.error).toContain(": no");
  });
});

describe("a call's size", () => {
  // What surrounds the command, as the plugin sends it.
  const around = JSON.stringify({ directory: "/", input: use(), output: { args: { command: "" } } }).length;
  const judge = (bytes: number) =>
    hooksFor("/")["tool.execute.before"](use(), { args: { command: "x".repeat(bytes - around) } });

  test("may be the limit, and not one more", async () => {
    // It has got to its paths, which are not beside its source.
    await expect(judge(MAX_BODY_BYTES / 2)).rejects.toThrow(/ENOENT.*paths\.json/);
    await expect(judge(MAX_BODY_BYTES / 2 + 1)).rejects.toThrow(/more than \d+ bytes/);
  });
});

describe("what was judged", () => {
  test("is all that a tool finds, to its depth, and stays so", () => {
    const own = Object.create({ command: "rm" }, { [Symbol.iterator]: { value: 1, configurable: true } });
    Object.assign(own, { command: "rm", extra: 1 });
    hold(own, JSON.parse('{"list":[{"a":1}],"__proto__":{"command":"rm"}}'));
    expect([Reflect.ownKeys(own), own.command]).toEqual([["list", "__proto__"], undefined]);
    expect([Reflect.set(own, "command", "rm"), Reflect.set(own.list[0], "a", 2), Reflect.set(own.list, 1, 2)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test.each([
    ["frozen", Object.freeze({ command: "rm" })],
    ["sealed", Object.seal({ command: "rm" })],
    ["closed to new fields", Object.preventExtensions({})],
    ["a text", "rm"],
    ["nothing", null],
  ])("cannot be put in what is %s", (_what, own) => {
    expect(() => hold(own, { command: "ls" })).toThrow();
  });
});

describe("a deadline", () => {
  const never = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("told"))));

  test("ends what does not end, and tells it", async () => {
    let told: AbortSignal | undefined;
    const late = new Deadlines().within(10, "s", (signal) => {
      told = signal;
      return new Promise<never>(() => {});
    });
    await expect(late).rejects.toThrow("in time");
    expect(told?.aborted).toBe(true);
  });

  test("of one session is not that of another", async () => {
    const deadlines = new Deadlines();
    const [one, other] = [deadlines.within(60_000, "one", never), deadlines.within(200, "other", never)];
    deadlines.end("one");
    await expect(one).rejects.toThrow("given up");
    await expect(other).rejects.toThrow("in time");
  });
});
