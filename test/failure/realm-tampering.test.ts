import { describe, expect, test } from "vitest";
import { startSession } from "../support/session.ts";
import { TAMPERINGS } from "./realm-tamperings.ts";

/** The handler's act in its changed realm, by dialect: it throws, blocks, passes, or rewrites. */
const DIALECTS: Record<string, string> = {
  pi: `export default function (pi: any) {
    runtimeFunction = pi.on;
    pi.on("tool_call", async (event: any) => {
      const act = tampered(event.input);
      if (act === "throw") throw new HonestError("thrown");
      if (act === "reject") return HonestPromise(new HonestError("rejected"));
      if (act === "block") return { block: true, reason: "no" };
      if (act === "rewrite") event.input.command = "rewritten";
      return undefined;
    });
  }`,
  interceptors: `export default [{
    id: "tampering", name: "tool.before", toolMatcher: /^exec$/,
    handler: async (input: any, output: any) => {
      const act = tampered(output.args);
      if (act === "throw") throw new HonestError("thrown");
      if (act === "reject") return HonestPromise(new HonestError("rejected"));
      if (act === "block") { output.block = true; output.blockReason = "no"; }
      if (act === "rewrite") output.args.command = "rewritten";
    },
  }];`,
  openclaw: `export default { id: "tampering", register(api: any) {
    runtimeFunction = api.on;
    api.on("before_tool_call", async (event: any) => {
      const act = tampered(event.params);
      if (act === "throw") throw new HonestError("thrown");
      if (act === "reject") return HonestPromise(new HonestError("rejected"));
      if (act === "block") return { block: true, blockReason: "no" };
      if (act === "rewrite") return { params: { ...event.params, command: "rewritten" } };
    });
  } };`,
  strands: `import { BeforeToolCallEvent } from "@strands-agents/sdk";
  export default { name: "tampering", initAgent(agent: any) {
    runtimeFunction = agent.addHook;
    agent.addHook(BeforeToolCallEvent, async (event: any) => {
      const act = tampered(event.toolUse.input);
      if (act === "throw") throw new HonestError("thrown");
      if (act === "reject") return HonestPromise(new HonestError("rejected"));
      if (act === "block") event.cancel = "no";
      if (act === "rewrite") event.toolUse.input.command = "rewritten";
    });
  } };`,
};

/** All tamperings, each of which starts in a new realm. The hook saves the built-ins that it needs before. */
const PRELUDE = `
let runtimeFunction: any = () => {};
const HonestError = Error;
const makePromise = Promise;
const HonestPromise = (reason: unknown) => new makePromise((_, reject) => reject(reason));
const define = Object.defineProperty;
const put = (holder: any, name: PropertyKey, value: unknown) =>
  define(holder, name, { value, writable: true, configurable: true, enumerable: false });
const swallow = (holder: any, name: PropertyKey) =>
  define(holder, name, { get: () => undefined, set() {}, configurable: true });
let done = false;
function tampered(input: any): string {
  if (!done) { done = true; deeds[input.deed](); }
  return input.act;
}
const deeds: any = [${TAMPERINGS.map(([, code]) => `() => { ${code} }`).join(",\n")}];
`;

const GRANT = { capabilities: { events: { see: ["*"], block: true, rewriteInput: ["*"] } } };
const NEIGHBOUR = `export default function (pi: any) {
  pi.on("tool_call", (event: any) => (event.input.command === "neighbour" ? { block: true, reason: "mine" } : undefined));
}`;

test("there are many ways to tamper with a realm", () => {
  expect(TAMPERINGS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(TAMPERINGS.map(([name]) => name)).size).toBe(TAMPERINGS.length);
});

describe.each(Object.entries(DIALECTS))("a hook of %s that tampers with its realm", (_dialect, source) => {
  test("never turns a throw or a block into a pass, loses no rewrite, and does not affect another hook", {
    timeout: 240_000,
  }, async () => {
    const { host, call, errors } = await startSession({
      tamperer: { source: PRELUDE + source, grant: GRANT },
      neighbour: { source: NEIGHBOUR, grant: GRANT },
    });
    const wrong: string[] = [];
    for (const [deed, [name]] of TAMPERINGS.entries()) {
      for (const act of ["throw", "reject", "block", "rewrite", "pass"]) {
        // Each tampering starts its first act in a new realm, and its next acts in the realm that it changed.
        if (act === "throw") await host.reload("tamperer");
        let outcome = await call({ command: "ls", deed, act });
        if (host.hooks.some(({ state }) => state !== "active")) {
          await host.reload();
          outcome = await call({ command: "ls", deed, act });
        }
        const blocker = outcome && "block" in outcome ? outcome.hook : undefined;
        const rewritten = outcome !== undefined && "input" in outcome && outcome.input.command === "rewritten";
        // A failure is always right. It is wrong to pass a call that the handler did not pass.
        const right = blocker === "tamperer" || (act === "rewrite" && rewritten) || (act === "pass" && !outcome);
        if (!right) wrong.push(`${name}, ${act}: ${JSON.stringify(outcome)}`);
      }
      const other = await call({ command: "neighbour", deed, act: "pass" });
      if (!other || !("block" in other)) wrong.push(`${name}: the neighbour's block was lost`);
    }
    expect(wrong).toEqual([]);
    expect(errors.filter(({ hookPath }) => hookPath.endsWith("neighbour.ts"))).toEqual([]);
  });
});
