import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HookHost } from "../../dist/src/index.js";
import { createInterceptorRegistry, triggerInterceptors } from "../../sandbox/guest/interceptors/index.ts";
import type { DialectName } from "../../sandbox/wire/messages.ts";
import { inTurns, print, type Row, round, type Times, type Variant } from "./measure.ts";

/** Each dialect's hook checks the command and passes it. */
const LOOK = (command: string): string => `if (String(${command}).includes("rm -rf")) throw new Error("no");`;

const interceptors = (count: number): string => `
import { getGlobalInterceptorRegistry } from "cordon/interceptors";
for (let at = 0; at < ${count}; at++)
  getGlobalInterceptorRegistry().add({
    id: "look-" + at,
    name: "tool.before",
    toolMatcher: /^exec$/,
    handler: (_input, output) => { ${LOOK("output.args.command")} },
  });
`;

const DIALECTS: Readonly<Record<DialectName, string>> = {
  pi: `export default (pi) => pi.on("tool_call", async (event) => { ${LOOK("event.input.command")} });`,
  interceptors: interceptors(1),
  openclaw: `export default { id: "look", register(api) {
    api.on("before_tool_call", async (event) => { ${LOOK("event.params.command")} });
  } };`,
  strands: `import { BeforeToolCallEvent } from "@strands-agents/sdk";
  export default { name: "look", initAgent(agent) {
    agent.addHook(BeforeToolCallEvent, (event) => { ${LOOK("event.toolUse.input.command")} });
  } };`,
};

/** A host with these sources as hooks: ten in a folder, and so in a process. */
async function host(name: string, folder: string, sources: readonly string[], tool = "bash"): Promise<Variant> {
  const hooks = sources.map((source, at) => {
    const path = join(folder, name, String(Math.floor(at / 10)), `hook-${at}.js`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, source);
    return path;
  });
  const running = await HookHost.start({ cwd: folder, home: join(folder, "home"), discover: false, hooks });
  const down = running.hooks.find((hook) => hook.state !== "active");
  if (down) throw new Error(`${down.path}: ${down.reason}`);
  const once = async (): Promise<void> => {
    const event = { type: "tool_call", toolName: tool, toolCallId: "1", input: { command: "ls -la" } } as const;
    const verdict = await running.emitToolCall(event);
    if (verdict) throw new Error(JSON.stringify(verdict));
  };
  return { name, once, close: () => running.close() };
}

/** The same interceptors as a plain library in this process, without a sandbox. */
function library(count: number): Variant {
  const registry = createInterceptorRegistry();
  for (let at = 0; at < count; at++)
    registry.add({
      id: `look-${at}`,
      name: "tool.before",
      toolMatcher: /^exec$/,
      handler: (_input, output) => {
        if (String(output.args.command).includes("rm -rf")) throw new Error("no");
      },
    });
  const once = async (): Promise<void> => {
    const output = { args: { command: "ls -la" } };
    await triggerInterceptors(registry, "tool.before", { toolName: "exec", toolCallId: "1" }, output);
  };
  return { name: `library ${count}`, once, close: async () => {} };
}

/** Interceptors by number and by bundle, an event without handlers, and all dialects at once. */
export async function dialects(folder: string): Promise<boolean> {
  const place = join(folder, "dialects");
  const times = new Map<string, Times>();
  const variants = [
    ...[1, 10, 100].map(library),
    await host("one", place, [interceptors(1)]),
    await host("ten", place, [interceptors(10)]),
    await host("hundred", place, [interceptors(100)]),
    await host("ten bundles", place, Array(10).fill(interceptors(1))),
    await host("hundred bundles", place, Array(100).fill(interceptors(1))),
    await host("unwanted", place, [interceptors(100)], "read"),
    await host("nobody", place, []),
    await host("four dialects", place, Object.values(DIALECTS)),
    await host("four of pi's", place, Array(4).fill(DIALECTS.pi)),
  ];
  await inTurns(variants, 4, 100, times);
  await Promise.all(variants.map((variant) => variant.close()));
  const of = (name: string): number => times.get(name)?.median ?? Number.NaN;
  const row = (what: string, name: string, beside: string, rival: string): Row => ({
    what,
    value: `${round(of(name), of(name) < 10 ? 1 : 0)} µs`,
    beside: `${round(of(rival), of(rival) < 10 ? 1 : 0)} µs ${beside}`,
    ratio: of(name) / of(rival),
  });
  return print("Dialects: one tool_call", [
    row("1 interceptor", "one", "the same in this process, unprotected", "library 1"),
    row("10 in one bundle", "ten", "the same in this process, unprotected", "library 10"),
    row("10 in one bundle", "ten", "one", "one"),
    row("100 in one bundle", "hundred", "the same in this process, unprotected", "library 100"),
    row("100 in one bundle", "hundred", "one", "one"),
    row("10 bundles in one process", "ten bundles", "one", "one"),
    row("100 bundles in ten processes", "hundred bundles", "one", "one"),
    row("a call that none of 100 interceptors wants", "unwanted", "without any hook", "nobody"),
    row("four hooks, one of each dialect", "four dialects", "four of pi's", "four of pi's"),
  ]);
}
