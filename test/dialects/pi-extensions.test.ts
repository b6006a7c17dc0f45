import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

const session = (reason: string) =>
  ({ type: "session", reason, entries: [], sessionFile: null, previousSessionFile: null }) as never;

test("an extension's hooks run, and its other registrations are named", async () => {
  const { host, call } = await startSession({
    gate: `export default (pi) => {
      pi.registerMcpServer("x", {});
      pi.registerMcpServer("y", {});
      pi.registerFlag("strict", { type: "boolean", default: true });
      pi.on("no_such_event", () => {});
      // pi had this one, and now neither fires nor misses it.
      pi.on("session_switch", () => {});
      pi.on("tool_call", () => pi.getFlag("strict") ? { block: true, reason: "strict" } : undefined);
    };`,
  });
  expect(host.hooks).toMatchObject([
    {
      state: "active",
      unsupported: ["pi.registerMcpServer", 'pi.on("no_such_event")'],
    },
  ]);
  expect(await call()).toMatchObject({ block: true, reason: expect.stringContaining("strict") });
});

test("a hook without other registrations causes no report", async () => {
  const { host } = await startSession({ gate: `export default (pi) => { pi.on("tool_call", () => {}); };` });
  expect(host.hooks[0]).not.toHaveProperty("unsupported");
});

test("functions that hand over an object of the agent's process throw: a gate that needs one blocks", async () => {
  const { call } = await startSession({
    gate: `export default (pi) => { pi.on("tool_call", (_event, ctx) => { ctx.modelRegistry.getProviderAuth("p"); }); };`,
  });
  expect(await call()).toMatchObject({
    block: true,
    reason: expect.stringContaining("ctx.modelRegistry.getProviderAuth cannot be offered to a contained hook"),
  });
});

test("a handler that unsubscribes itself hides no later handler from the call", async () => {
  const { call } = await startSession({
    gate: `export default (pi) => {
      const off = pi.on("tool_call", () => { off(); });
      pi.on("tool_call", () => ({ block: true, reason: "judged" }));
    };`,
  });
  expect(await call()).toMatchObject({ block: true, reason: "judged" });
  expect(await call()).toMatchObject({ block: true, reason: "judged" });
});

test("a handler that was unsubscribed hears no further event", async () => {
  const { call, host, log } = await startSession({
    gate: `export default (pi) => { const off = pi.on("tool_call", () => { console.log("heard"); off(); off(); }); };`,
  });
  await call();
  await call();
  expect(log.map(({ text }) => text)).toEqual(["heard"]);
  expect(host.hooks[0]).toMatchObject({ events: [] });
});

test("later pi's names for a session's changes", async () => {
  const { host, log } = await startSession({
    a: `export default (pi) => {
      for (const type of ["session_start", "session_shutdown", "session_before_switch", "session_compact"])
        pi.on(type, (event) => console.log(event.type, event.reason));
    };`,
  });
  expect(host.hooks[0]).toMatchObject({ events: ["session"] });
  expect(host.hooks[0]).not.toHaveProperty("unsupported");
  for (const reason of ["start", "switch", "before_clear", "compact", "before_branch", "shutdown"])
    await host.emit(session(reason));
  expect(log.map(({ text }) => text)).toEqual([
    "session_start startup",
    "session_start resume",
    "session_before_switch new",
    "session_compact undefined",
    "session_shutdown quit",
  ]);
});

test("a name that only Cordon's module lacks fails at its use, and an unknown name fails at its import", async () => {
  const { host, call } = await startSession({
    used: `import { closeSync } from "node:fs";\nexport default (pi) => { pi.on("tool_call", () => { closeSync(1); }); };`,
    drawn: `import { TuiMainScreen } from "@mariozechner/pi-tui";\nclass Mine extends TuiMainScreen {}\nexport default () => { new Mine(); };`,
    wrong: `import { closeSnyc } from "node:fs";\nexport default () => closeSnyc;`,
  });
  expect(host.hooks.map(({ id, state, reason }) => [id, state, reason])).toEqual([
    ["used", "active", undefined],
    [
      "drawn",
      "failed",
      "drawn.ts:2:1: TuiMainScreen of @mariozechner/pi-tui is not offered to hooks: it draws on the agent's terminal",
    ],
    [
      "wrong",
      "failed",
      'wrong.ts:1:10: import of closeSnyc from "node:fs" cannot be offered to a hook; did you mean closeSync?',
    ],
  ]);
  expect(await call()).toMatchObject({ block: true });
});

test("a hook can catch the failure of a missing package", async () => {
  const { call } = await startSession({
    gate: `let found = "none";
      try { found = await import("not-there/at-all"); } catch (error) { found = error.code; }
      let required = "none";
      try { required = require("@not/there"); } catch (error) { required = error.message; }
      export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: found + " " + required })); };`,
  });
  expect(await call()).toMatchObject({
    block: true,
    reason: expect.stringContaining("ERR_MODULE_NOT_FOUND Cannot find package '@not/there'"),
  });
});

test("a hook can catch the failure of a module of another runtime's", async () => {
  const { call } = await startSession({
    gate: `import { createRequire } from "node:module";
      const found = [];
      try { await import("bun:sqlite"); } catch (error) { found.push(error.code); }
      try { createRequire(import.meta.url)("bun:sqlite"); } catch (error) { found.push(error.code); }
      export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: found.join() })); };`,
  });
  expect(await call()).toMatchObject({ reason: expect.stringContaining("ERR_MODULE_NOT_FOUND,ERR_MODULE_NOT_FOUND") });
});

test.each([
  ['import { Database } from "bun:sqlite"; export default () => Database;', "bun:sqlite"],
  ['export default () => import("data:text/javascript,1");', "data:text/javascript,1"],
  ['export default () => import("https://example.org/x.js");', "https://example.org/x.js"],
])("%s is refused", async (source, module) => {
  const { host } = await startSession({ gate: source });
  expect(host.hooks[0]).toMatchObject({ reason: expect.stringContaining(`import "${module}" is refused`) });
});

test("an extension can put a function of its own around one of pi's", async () => {
  const { call, host } = await startSession({
    gate: {
      source: `export default (pi) => {
        const { registerTool, on } = pi;
        const names = [];
        pi.registerTool = (tool) => { names.push(tool.name); registerTool({ ...tool, name: tool.name + "_2" }); };
        pi.on = (type, handler) => on.call(pi, type, (event, ctx) => { handler(event, ctx); return { block: true, reason: names.join() }; });
        pi.registerTool({ name: "one", description: "one", parameters: {}, execute: async () => ({ content: [] }) });
        pi.on("tool_call", () => {});
      };`,
      grant: { capabilities: { events: { see: ["tool_call"], block: true }, tools: ["one_2"] } },
    },
  });
  expect(host.offers.tools.map(({ name }) => name)).toEqual(["one_2"]);
  expect(await call()).toMatchObject({ block: true, reason: expect.stringContaining("one") });
});

test("a package that is imported by name must be there", async () => {
  const { host } = await startSession({ needs: `import x from "not-there";\nexport default () => x;` });
  expect(host.hooks).toMatchObject([
    { state: "failed", reason: expect.stringContaining('Could not resolve "not-there"') },
  ]);
});

test("node:util's types recognise values", async () => {
  const { call } = await startSession({
    gate: `import { types } from "node:util";
      import { isUint8Array } from "node:util/types";
      const values = [types.isProxy({}), types.isTypedArray(new Int8Array(1)), isUint8Array([]), types.isNativeError(new TypeError()),
        types.isAsyncFunction(async () => {}), types.isBoxedPrimitive(Object(1)), types.isAnyArrayBuffer(new ArrayBuffer(1))];
      export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: values.join() })); };`,
  });
  expect(await call()).toMatchObject({
    reason: expect.stringContaining("false,true,false,true,true,true,true"),
  });
});
