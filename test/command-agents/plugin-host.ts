/**
 * Loads a plugin and tells it of calls in the order in which OpenClaw does: `node plugin-host.ts PLUGIN LATEST`, with requests
 * and answers as lines of JSON. `LATEST`: the longest time that anything may wait, in ms.
 */
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { Context, Decision, PluginApi, ToolCallEvent } from "../../src/shim/openclaw/plugin-api.ts";

export type Asked =
  | {
      kind: "call";
      event: ToolCallEvent;
      context: Context;
      /** What the person answers if asked. */
      answer?: string;
      /** What another plugin makes of the call after the policy. */
      between?: Record<string, unknown>;
      /** The policy is not told of it. */
      unannounced?: true;
      /** The call is given up after this time, in ms. */
      abortAfter?: number;
    }
  | { kind: "result"; event: object; context: Context }
  | { kind: "note"; name: string; event: object; context: Context };

/** What came of it. `ran`: the input that the tool has. */
export interface Came {
  ran?: Record<string, unknown>;
  reason?: string;
  approval?: Record<string, unknown>;
  result?: object;
  failed?: string;
}

type Handler = (event: never, context: Context) => Promise<Decision | undefined>;

/** Values that JSON cannot carry, by the texts that stand for them. */
const VALUES: Record<string, unknown> = {
  "<date>": new Date(0),
  "<big>": 1n,
  "<nan>": Number.NaN,
  "<undefined>": undefined,
};

if (import.meta.main) {
  const [plugin = "", latest] = process.argv.slice(2);
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => timeout(Math.min(ms, Number(latest)));
  const handlers = new Map<string, Handler>();
  let policy!: Parameters<PluginApi["registerTrustedToolPolicy"]>[0];
  let middleware!: Parameters<PluginApi["registerAgentToolResultMiddleware"]>[0];
  const api: PluginApi = {
    config: { workspace: process.cwd() },
    runtime: { agent: { resolveAgentWorkspaceDir: () => process.cwd() } },
    registerTrustedToolPolicy(given) {
      policy = given;
    },
    registerAgentToolResultMiddleware(given) {
      middleware = given;
    },
    on: (name, handler) => void handlers.set(name, handler),
  };
  (await import(pathToFileURL(plugin).href)).default.register(api);

  const call = async ({
    event,
    context,
    answer,
    between,
    unannounced,
    abortAfter,
  }: Extract<Asked, { kind: "call" }>): Promise<Came> => {
    const abortSignal = abortAfter === undefined ? undefined : timeout(abortAfter);
    const told = { ...context, ...(abortSignal ? { abortSignal } : {}) };
    const params = Object.fromEntries(
      Object.entries(event.params).map(([name, value]) => [name, VALUES[String(value)] ?? value]),
    );
    let came: Came = {};
    let at = { ...event, params };
    const first = unannounced ? undefined : await policy.evaluate(structuredClone(at), told);
    if (first?.block) return { reason: first.blockReason ?? "" };
    if (first?.requireApproval) {
      const { onResolution, ...approval } = first.requireApproval;
      came = { approval };
      onResolution(answer ?? "timeout");
      if (answer !== "allow-once") return { ...came, reason: `the person: ${answer}` };
    }
    at = { ...at, params: { ...at.params, ...first?.params, ...between } };
    const last = await handlers.get("before_tool_call")?.(structuredClone(at) as never, told);
    if (last?.block) return { ...came, reason: last.blockReason ?? "" };
    if (last?.requireApproval) throw new Error("asked too late");
    return { ...came, ran: { ...at.params, ...last?.params } };
  };

  for await (const line of createInterface({ input: process.stdin })) {
    const asked: Asked = JSON.parse(line);
    const done = async (): Promise<Came> => {
      if (asked.kind === "call") return call(asked);
      if (asked.kind === "result") return (await middleware(asked.event, asked.context)) ?? {};
      await handlers.get(asked.name)?.(asked.event as never, asked.context);
      return {};
    };
    const came = await done().catch((error: Error): Came => ({ failed: error.message }));
    process.stdout.write(
      `${JSON.stringify(came, (_name, value) => (typeof value === "bigint" ? String(value) : value))}\n`,
    );
  }
}
