import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

/** Walks all objects that can be reached from `roots`: says how many there are, and which are of another realm. */
const WALK = `
const walked = (roots: Record<string, unknown>): string => {
  const seen = new Set<unknown>();
  const foreign: string[] = [];
  const visit = (value: any, at: string, depth: number): void => {
    if (typeof value !== "object" || value === null || seen.has(value) || depth > 6) return;
    seen.add(value);
    let top = value;
    while (Object.getPrototypeOf(top) !== null) top = Object.getPrototypeOf(top);
    if (top !== Object.prototype && top !== value) foreign.push(at);
    for (let owner = value; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
      for (const key of Reflect.ownKeys(owner)) {
        let member: unknown;
        try {
          member = value[key];
        } catch {
          // A power that it lacks.
        }
        visit(member, at + "." + String(key), depth + 1);
      }
    }
  };
  for (const [name, root] of Object.entries(roots)) visit(root, name, 0);
  return JSON.stringify({ seen: seen.size, foreign });
};
`;

/** By dialect: a hook that blocks with what it found, how many objects at least, and which are of the runtime's realm on purpose. */
const HOOKS: [dialect: string, source: string, atLeast: number, foreign: string[]][] = [
  [
    "pi",
    `export default (pi: any) => {
      pi.on("tool_call", (event: any, ctx: any) => ({ block: true, reason: walked({ pi, event, ctx }) }));
    };`,
    12,
    [],
  ],
  [
    "interceptors",
    `export default [{ id: "walk", name: "tool.before", handler(input: any, output: any) {
      output.block = true;
      output.blockReason = walked({ input, output });
    } }];`,
    3,
    // No setter of the hook may swallow a block.
    ["output"],
  ],
  [
    "openclaw",
    `export default { id: "walk", register(api: any) {
      api.on("before_tool_call", (event: any, ctx: any) => ({ block: true, blockReason: walked({ event, ctx }) }));
    } };`,
    3,
    [],
  ],
  [
    "strands",
    `import { BeforeToolCallEvent } from "@strands-agents/sdk";
    export default { name: "walk", initAgent(agent: any) {
      agent.addHook(BeforeToolCallEvent, (event: any) => {
        const { appState, toolRegistry } = event.agent;
        appState.set("key", 1);
        appState.set(undefined, 2);
        if (!Array.isArray(appState.keys()) || appState.keys()[1] !== undefined) throw new Error("other keys");
        const [keys, all, tool] = [appState.keys(), appState.getAll(), toolRegistry.get("read")];
        event.cancel = walked({ event, keys, all, tool });
      });
    } };`,
    4,
    [],
  ],
];

test.each(HOOKS)("what a hook of %s gets is of its own realm", async (dialect, source, atLeast, foreign) => {
  const { call } = await startSession({ walk: { source: WALK + source, manifest: { dialect } } });
  const { reason } = (await call("ls")) as { reason: string };
  const found: { seen: number; foreign: string[] } = JSON.parse(reason);
  expect(found.foreign).toEqual(foreign);
  expect(found.seen).toBeGreaterThanOrEqual(atLeast);
});
