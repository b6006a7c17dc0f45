import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ElicitRequestSchema,
  type JSONRPCMessage,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { McpProxy } from "../../src/agents/mcp/proxy.ts";
import type { HookHost } from "../../src/host/host.ts";
import { type Plan, type Rig, TOOLS, textOf } from "./rig.ts";

/** A server of the official SDK in this process, whose tools do what the plan says. */
function serverOf({ execute }: Plan): Server {
  const server = new Server({ name: "tools", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map((name) => ({ name, inputSchema: { type: "object" as const } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }): Promise<CallToolResult> => {
    const output = await execute(params.name, params.arguments, signal);
    return { content: [{ type: "text", text: textOf(output) }] };
  });
  return server;
}

/** Puts the proxy between a client of the official SDK and a server. `answer`: what the person chooses. */
async function connected(
  host: HookHost,
  server: Server,
  names: { toolNames?: Record<string, string> } = {},
  answer: (message: string) => string = () => "Deny",
): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const [input, output] = [new PassThrough(), new PassThrough()];
  void new McpProxy({
    input,
    output,
    host: Promise.resolve(host),
    connect: (listener) => {
      near.onmessage = (message) => listener.message(JSON.stringify(message));
      return {
        send: (text) => void near.send(JSON.parse(text) as JSONRPCMessage),
        agreed: () => {},
        close: () => near.close(),
      };
    },
    names,
    log: () => {},
  });
  const client = new Client({ name: "agent", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: "accept",
    content: { answer: answer(params.message) },
  }));
  // Both ends read and write lines in the same way.
  await client.connect(new StdioServerTransport(output, input));
  return client;
}

export const mcpRig: Rig = {
  name: "MCP",
  runsOthers: false,
  async run(host, plan) {
    const { calls, signal, toolNames } = plan;
    const client = await connected(host, serverOf(plan), toolNames ? { toolNames } : {}, plan.answer);
    const results = await Promise.all(
      calls.map(({ tool: name, input }) =>
        client.callTool({ name, arguments: input }, undefined, signal ? { signal } : {}),
      ),
    );
    return results.map(({ content }) =>
      (content as { text?: string }[]).map((part) => part.text ?? JSON.stringify(part)).join("\n"),
    );
  },
};
