import { CordonError } from "../../base/errors.ts";
import type { HookHost } from "../../host/host.ts";
import { ToolGates, type ToolNameOptions } from "../tool-gates.ts";
import type { AiTool } from "./tool-api.ts";
import { type Wrapped, wrapTool } from "./wrap-tool.ts";

export interface WithCordonOptions extends ToolNameOptions {
  /**
   * Tools whose calls no hook can judge, since they run elsewhere: in the provider, or in whoever gets the call. Each has to be
   * named here.
   */
  unjudged?: readonly string[];
}

/**
 * Wraps the tools of Vercel's AI SDK with the host's hooks, for `generateText`, `streamText`, `ToolLoopAgent` and the like. What
 * hooks judged is what runs; a block is the tool's error, `Blocked by hook <id>: <reason>`, which the model reads. A result that
 * hooks changed is a text. Throws a {@link CordonError} (`BAD_GRANT`) for a tool without `execute` that `unjudged` does not name.
 * The tools that are returned are frozen: wrap again what you add.
 */
export function withCordon<Tools extends Readonly<Record<string, object>>>(
  tools: Tools,
  host: HookHost,
  { unjudged = [], ...names }: WithCordonOptions = {},
): Tools {
  const gates = new ToolGates(host, names);
  const wrapped = new Map<string, Wrapped>();
  const left = new Map<string, AiTool>();
  for (const [name, tool] of Object.entries(tools) as [string, AiTool][]) {
    // Read once: a getter could give another function later.
    const { execute } = tool;
    if (typeof execute === "function") wrapped.set(name, { name, tool, execute });
    else if (unjudged.includes(name)) left.set(name, tool);
    else
      throw new CordonError(
        "BAD_GRANT",
        `the tool ${name} has no execute: it runs elsewhere, and no hook can judge its calls; to have it so, name it in { unjudged: [${JSON.stringify(name)}] }`,
      );
  }
  const entries = [...left, ...[...wrapped].map(([name, one]) => [name, wrapTool(one, wrapped, gates)])];
  return Object.freeze(Object.fromEntries(entries)) as Tools;
}
