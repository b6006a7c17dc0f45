import type { LinkListener, ServerLink } from "../agents/mcp/server-link.ts";
import { messageOf } from "../base/errors.ts";
import { HookHost } from "../host/host.ts";
import { logText } from "../session/log-line.ts";
import { type HostFlags, hostOptions, UsageError } from "./common.ts";
import { sayMarked } from "./print.ts";

export interface McpFlags extends HostFlags {
  url?: string;
  header?: string[];
  toolName?: string[];
}

/** `cordon mcp -- COMMAND`, or `--url URL`: puts hooks around an MCP server, for the client on standard input and output. */
export async function mcp(command: readonly string[], flags: McpFlags): Promise<void> {
  const connect = await connection(command, flags);
  const names = { toolNames: pairs(flags.toolName ?? [], "=", "--tool-name") };
  const { McpProxy } = await import("../agents/mcp/proxy.ts");
  const log = (text: string): void => sayMarked`cordon: ${text}`;
  const host = HookHost.start({
    ...hostOptions(flags),
    hasUI: false,
    consent: (question) => proxy.consent(question),
    log: (line) => sayMarked`${logText(line)}`,
  });
  host.catch((error: unknown) => log(`every call is blocked: ${messageOf(error)}`));
  const proxy = new McpProxy({ input: process.stdin, output: process.stdout, host, connect, names, log });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.stdin.destroy());
  process.stdin.once("close", () => process.stdin.emit("end"));
  process.exit(await proxy.whenOver());
}

async function connection(
  command: readonly string[],
  flags: McpFlags,
): Promise<(listener: LinkListener) => ServerLink> {
  const { url, header = [] } = flags;
  if ((url === undefined) === (command.length === 0))
    throw new UsageError("name one MCP server: cordon mcp -- COMMAND, or cordon mcp --url URL");
  if (url === undefined) {
    if (header.length > 0) throw new UsageError("--header goes with --url");
    const { StdioServer } = await import("../agents/mcp/stdio-server.ts");
    return (listener) => new StdioServer(command, listener);
  }
  const to = URL.canParse(url) ? new URL(url) : undefined;
  if (!to || !["http:", "https:"].includes(to.protocol)) throw new UsageError(`${url}: no address of the web`);
  const headers = pairs(header, ":", "--header");
  const { HttpServer } = await import("../agents/mcp/http-server.ts");
  return (listener) => new HttpServer(to, headers, listener);
}

function pairs(given: readonly string[], between: string, flag: string): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(between);
      if (at < 1) throw new UsageError(`${flag} ${text}: it has to be NAME${between}VALUE`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}
