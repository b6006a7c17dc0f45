import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";

const BRIDGE = 'const host = (globalThis as any)[Symbol.for("cordon.host")];';
const hook = (body: string) => onToolCall(`${BRIDGE}\n${body}`);
const POWERFUL = { capabilities: { events: { see: ["*"], block: true }, fs: { read: ["$CWD/**"] } } };

const MISUSES: { name: string; body: string }[] = [
  { name: "an unknown name", body: 'host.sync("fs.format", ["/"]);' },
  { name: "a name of Object.prototype", body: 'host.sync("constructor", []);' },
  { name: "a call that opens a dialog", body: 'host.sync("ui.confirm", ["a", "b"]);' },
  { name: "a call that waits for a change", body: 'host.sync("fs.changed", ["a", ""]);' },
  {
    name: "a call for blocking use only, without blocking",
    body: 'await host.call("session.read", ["entries"]);',
  },
  { name: "arguments of a wrong type", body: 'host.sync("fs.read", [{ toString: () => "a" }, "utf8"]);' },
  { name: "too many arguments", body: 'host.sync("fs.read", ["a", "utf8", 0, 1, 2, 3]);' },
  { name: "a path that is too long", body: 'host.sync("fs.read", ["a".repeat(4097), "utf8"]);' },
  { name: "a negative size", body: 'host.sync("fs.read", ["a", "utf8", -1, 5]);' },
];

test.each(MISUSES)("a hook that bypasses the modules gets an error and keeps running: $name", async ({ body }) => {
  const { call, errors } = await startSession({
    rogue: {
      source: hook(`try { ${body} } catch (error: any) { return { block: true, reason: String(error) }; }`),
      grant: POWERFUL,
    },
  });
  for (const _time of [1, 2])
    expect(await call()).toMatchObject({ block: true, hook: "rogue", reason: expect.stringMatching(/^TypeError: /) });
  expect(errors).toEqual([]);
});

test("a call that bypasses the modules is checked like a call of the modules", async () => {
  const { call } = await startSession({
    plain: {
      source: hook(
        'return { block: true, reason: (() => { try { return host.sync("fs.read", ["/etc/hostname", "utf8"]); } catch (e: any) { return e.code; } })() };',
      ),
      grant: POWERFUL,
    },
  });
  expect(await call()).toMatchObject({ reason: "NOT_GRANTED" });
});

test("the bridge cannot be changed or replaced, and gives no access to another isolate", async () => {
  const { call } = await startSession({
    first: hook(`
      const tell = (act: any) => { try { act(); return "done"; } catch { return "refused"; } };
      return { block: true, reason: [
        tell(() => { "use strict"; host.sync = () => "forged"; }),
        tell(() => { "use strict"; (globalThis as any)[Symbol.for("cordon.host")] = {}; }),
        tell(() => { "use strict"; delete (globalThis as any)[Symbol.for("cordon.host")]; }),
        Object.isFrozen(host), Object.isFrozen(host.machine), Object.keys(host).join(),
      ].join(" ") };`),
  });
  expect(await call()).toMatchObject({
    reason:
      "refused refused refused true true cwd,machine,sync,call,random,reached,agentTool,derive,bytesOfText,textOfBytes,library,asyncFrames,asyncGenerator",
  });
});

test.each([
  ["unknown names", `["", "nothing", "__proto__", "../url", "x".repeat(1e6)]`],
  ["names that are none", "[undefined, null, 5, {}, [], { toString() { throw 1; } }]"],
])("a library by %s is an error for the hook, and its verdict stands", async (_name, names) => {
  const { call } = await startSession({
    first: hook(`
      const told = (${names} as any[]).map((name) => { try { host.library(name); return "made"; } catch { return "refused"; } });
      return { block: true, reason: [...new Set(told)].join() };`),
  });
  expect(await call()).toMatchObject({ reason: "refused" });
});

test("lazy code that is evaluated among replaced built-ins makes no block a pass, and leaves another hook alone", async () => {
  const { call, host } = await startSession({
    first: hook(`
      const odd = () => { throw new Error("replaced"); };
      Map.prototype.get = Map.prototype.set = Object.entries = Object.keys = Object.defineProperty = odd as never;
      Array.prototype[Symbol.iterator] = odd as never;
      try { void URL; } catch {}
      try { void TextDecoder; } catch {}
      try { void structuredClone; } catch {}
      try { host.library("streams", null); } catch {}
      return { block: true, reason: "stands" };`),
    second: onToolCall("new URL('https://name.example'); return undefined;"),
  });
  expect(await call()).toMatchObject({ block: true, reason: "stands" });
  expect(host.hooks.map(({ state }) => state)).toEqual(["active", "active"]);
});
