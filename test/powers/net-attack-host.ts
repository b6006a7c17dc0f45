/**
 * A small agent with one hook, run as a program of its own, so that its environment can be like a person's:
 * `node net-attack-host.ts JSON`. Prints the hook's answer and this process's own response from the same endpoint.
 */
import { HookHost } from "../../src/host/host.ts";
import type { HookHostOptions } from "../../src/session/options.ts";

const { url, ...options } = JSON.parse(process.argv[2] as string) as HookHostOptions & { url: string };
const host = await HookHost.start(options);
const verdict = await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { url } });
await host.close();
const plain = await fetch(url).then(
  (response) => response.text(),
  (error) => String(error.cause?.code ?? error),
);
console.log(JSON.stringify({ hook: (verdict as { reason?: string }).reason, plain }));
