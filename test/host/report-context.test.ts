import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

const NAMES = ["one", "two", "three"];

/** A hook that does this, which it was not granted. Returns what was reported, after the name of the call in whose context. */
async function reportsOf(asks: string, calls: "at once" | "in turn"): Promise<string[]> {
  const source = `import { readFileSync } from "node:fs";
    export default (pi) => pi.on("tool_call", async (event, ctx) => { ${asks}; });`;
  const { host, call } = await startSession({ asking: source });
  const context = new AsyncLocalStorage<string>();
  const told: string[] = [];
  host.onError(({ error }) => void told.push(`${context.getStore()}: ${/: (.*?);/.exec(error)?.[1]}`));
  const made = (name: string) => context.run(name, () => call({ command: name }));
  if (calls === "at once") await Promise.all(NAMES.map(made));
  else for (const name of NAMES) await made(name);
  return told.sort();
}

test("what a hook may not do is reported in the context of the call that it did it for", async () => {
  const asks = "await ctx.exec(event.input.command).catch(() => {})";
  expect(await reportsOf(asks, "at once")).toEqual(["one: one", "three: three", "two: two"]);
});

test("so is what it blocks for, which stands for no call while several are open", async () => {
  const asks = "try { readFileSync('/' + event.input.command) } catch {}";
  expect(await reportsOf(asks, "in turn")).toEqual(["one: read /one", "three: read /three", "two: read /two"]);
});
