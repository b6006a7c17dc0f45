import { join } from "node:path";
import { expect, test } from "vitest";
import { buildHook } from "../../src/bundle/build.ts";
import { hookFolder, startFolder } from "../bundle/hook-folder.ts";
import { startFacts } from "./facts.ts";

const ALS = `const { AsyncLocalStorage } = await import("node:async_hooks"); const als: any = ((globalThis as any).als ??= new AsyncLocalStorage());`;

test("a store that a handler enters ends with its event", async () => {
  const { ask } = await startFacts({
    enter: `${ALS} als.enterWith("left"); return als.getStore();`,
    look: `${ALS} const now = als.getStore() ?? null; await null; return [now, als.getStore() ?? null];`,
  });
  expect(await ask("enter")).toBe("left");
  expect(await ask("look")).toEqual([null, null]);
});

test("a hook that breaks its frames breaks itself alone: its gate still decides", async () => {
  const { ask, host, call } = await startFacts({
    break: `const host = (globalThis as any)[Symbol.for("cordon.host")];
      const frames = host.asyncFrames;
      const tried = ["enter", "run", "current"].map((name) => { try { frames[name] = () => { throw new Error("mine"); }; return "set"; } catch (e: any) { return e.name; } });
      frames.enter({ get has() { throw new Error("mine"); } });
      frames.enter(new Proxy(new Map(), { get() { throw new Error("mine"); } }));
      return tried;`,
    after: `${ALS} return als.run("fine", () => als.getStore());`,
  });
  expect(await ask("break")).toEqual(["TypeError", "TypeError", "TypeError"]);
  expect(await ask("after")).toBe("fine");
  expect(await call({ fact: "no such fact" })).toBeUndefined();
  expect(host.hooks[0]?.state).toBe("active");
});

const GATE = (first: string): string => `${first}
async function late(): Promise<void> {
  await null;
  throw new Error("from line four");
}
export default (pi: any) => pi.on("tool_call", async () => {
  await late();
});`;

test("only a bundle that uses async_hooks has generators for async functions, and its traces keep their places", async () => {
  const code = async (first: string): Promise<string> => {
    const root = join(hookFolder({ "index.ts": GATE(first) }), "hook");
    return (await buildHook(process.execPath, { root, entry: "index.ts" })).code;
  };
  const uses = `import { AsyncLocalStorage } from "node:async_hooks"; (globalThis as any).kept = AsyncLocalStorage;`;
  expect(await code(uses)).toMatch(/__async\(/);
  expect(await code(uses)).not.toMatch(/\basync (function|\()|\bawait /);
  expect(await code("")).toMatch(/async function late/);
  const session = await startFolder(hookFolder({ "index.ts": GATE(uses) }));
  expect(await session.reason()).toMatch(/from line four/);
  expect(session.errors[0]?.stack).toMatch(/index\.ts:4:\d+/);
});

test("a top-level await is followed, too", async () => {
  const folder = hookFolder({
    "index.ts": `import { AsyncLocalStorage } from "node:async_hooks";
      const als = new AsyncLocalStorage();
      als.enterWith("top"); await null; const seen = als.getStore();
      export default (pi: any) => pi.on("tool_call", () => ({ block: true, reason: [seen, als.getStore()].join() }));`,
  });
  expect(await (await startFolder(folder)).reason()).toMatch(/top,$/);
});
