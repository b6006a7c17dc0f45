/** An MCP server of the official SDK with all that a server can have: over stdio, or over HTTP if it is asked for a port. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const NAMES = ["bash", "secret", "structured", "slow", "asks", "die", "mixed"];
const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });

function made(): Server {
  const server = new Server(
    { name: "everything", version: "1.0.0" },
    {
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, logging: {}, completions: {} },
      instructions: "Use with care.",
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: NAMES.map((name) => ({
      name,
      inputSchema: { type: "object" as const },
      ...(name === "structured" ? { outputSchema: { type: "object" as const } } : {}),
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const { name, arguments: given, _meta } = params;
    const input = given ?? {};
    switch (name) {
      case "bash":
        return text(`ran ${String(input.command)}`);
      case "secret":
        return text("the password is hunter2");
      case "structured": {
        const structuredContent = { password: "hunter2", of: [1] };
        return { ...text(JSON.stringify(structuredContent)), structuredContent };
      }
      case "mixed":
        return {
          content: [
            { type: "text", text: "hunter2" },
            { type: "resource_link", uri: "file:///a", name: "a" },
            { type: "audio", data: "AAAA", mimeType: "audio/wav" },
          ],
        };
      case "slow": {
        const progressToken = _meta?.progressToken ?? 0;
        await sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
        await new Promise((resolve) => {
          if (input.waits) signal.addEventListener("abort", resolve);
          else resolve(undefined);
        });
        if (signal.aborted) await server.sendLoggingMessage({ level: "info", data: "slow was cancelled" });
        return text("slow is done");
      }
      case "asks": {
        const asked = { role: "user" as const, content: { type: "text" as const, text: "hello" } };
        const said = await server.createMessage({ messages: [asked], maxTokens: 10 });
        const { roots } = await server.listRoots();
        const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
        const elicited = await server.elicitInput({ message: "your name", requestedSchema });
        return text(JSON.stringify([said.content, roots, elicited]));
      }
      case "die":
        process.exit(3);
    }
    throw new Error(`no tool ${name}`);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: "file:///a", name: "a" }] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [{ uri, text: "a resource with hunter2" }],
  }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: "greet" }] }));
  server.setRequestHandler(GetPromptRequestSchema, () => ({
    messages: [{ role: "user", content: { type: "text", text: "greet hunter2" } }],
  }));
  server.setRequestHandler(CompleteRequestSchema, () => ({ completion: { values: ["one", "two"] } }));
  server.setRequestHandler(SetLevelRequestSchema, async () => {
    await server.sendToolListChanged();
    return {};
  });
  return server;
}

if (process.argv[2] === "http") {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer(async (request, response) => {
    if (process.env.WANTED && request.headers.authorization !== process.env.WANTED) {
      response.writeHead(401).end();
      return;
    }
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    // The SDK's own types disagree under exact optional properties.
    await made().connect(transport as Parameters<Server["connect"]>[0]);
    return transport.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1", () => console.log((http.address() as AddressInfo).port));
} else await made().connect(new StdioServerTransport());
