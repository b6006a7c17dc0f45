import { DIALECTS, type DialectName as Dialect } from "../../sandbox/wire/messages.ts";
import type { HookHostOptions } from "../../src/session/options.ts";

export { DIALECTS, type Dialect };

/** Each dialect's names of the tests' tools. */
export const toolNameIn = (dialect: Dialect, tool: string): string =>
  tool === "bash" && (dialect === "interceptors" || dialect === "openclaw") ? "exec" : tool;

interface Parts {
  /** Code at the top of the module. */
  top?: string;
  /** Within the handler, with `tool`, `id` (of the call) and `input` in scope: may change `input` and set `block` (a reason) and `chosen` (a tool). */
  body: string;
  /** Priority among others. For pi the grant decides it. */
  priority?: number;
  /** Name of the hook. */
  name?: string;
}

/** A hook that judges tool calls, written for a dialect. */
export function inDialect(dialect: Dialect, { top = "", body, priority = 0, name = dialect }: Parts): string {
  const decide = `${top}
    async function decide(tool, id, input) { let block; let chosen; ${body}
      return { block, chosen };
    }`;
  switch (dialect) {
    case "pi":
      return `${decide}
        export default (pi) => pi.on("tool_call", async (event) => {
          const { block } = await decide(event.toolName, event.toolCallId, event.input);
          if (block !== undefined) return { block: true, reason: block };
        });`;
    case "interceptors":
      return `import { getGlobalInterceptorRegistry } from "cordon/interceptors";
        ${decide}
        getGlobalInterceptorRegistry().add({
          id: ${JSON.stringify(name)}, name: "tool.before", priority: ${priority},
          async handler(input, output) {
            const { block } = await decide(input.toolName, input.toolCallId, output.args);
            if (block !== undefined) { output.block = true; output.blockReason = block; }
          },
        });`;
    case "openclaw":
      return `${decide}
        export default { id: ${JSON.stringify(name)}, register(api) {
          api.on("before_tool_call", async (event) => {
            const { block } = await decide(event.toolName, event.toolCallId, event.params);
            return block === undefined ? { params: event.params } : { block: true, blockReason: block };
          }, { priority: ${priority} });
        } };`;
    case "strands":
      return `import { BeforeToolCallEvent } from "@strands-agents/sdk";
        ${decide}
        export default { name: ${JSON.stringify(name)}, initAgent(agent) {
          agent.addHook(BeforeToolCallEvent, async (event) => {
            const { block, chosen } = await decide(event.toolUse.name, event.toolUse.toolUseId, event.toolUse.input);
            if (block !== undefined) event.cancel = block;
            if (chosen !== undefined) event.selectedTool = agent.toolRegistry.get(chosen);
          }, { order: ${-priority} });
        } };`;
  }
}

type Grant = NonNullable<Exclude<NonNullable<HookHostOptions["hooks"]>[number], string>["grant"]>;

/** May block, and may replace the input of these tools. */
export const granted = (rewriteInput: readonly string[] = [], more: Partial<Grant> = {}): Grant => ({
  ...more,
  capabilities: { events: { see: ["*"], block: true, rewriteInput: [...rewriteInput] }, ...more.capabilities },
});

/** The grant that gives a hook its priority, if its own code cannot. */
export const hasMatchers = (dialect: Dialect, priority: number): Partial<Grant> =>
  dialect === "pi" ? { priority } : {};

/** Records the tool and the command that it was shown. */
export const TELL = 'console.log(tool + ": " + input.command);';

export const told = (log: readonly { hook?: string; text: string }[], hook?: string): string[] =>
  log.filter((line) => hook === undefined || line.hook === hook).map(({ text }) => text);
