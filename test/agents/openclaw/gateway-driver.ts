/**
 * Starts OpenClaw's gateway, sends prompts as a plan says, and answers its questions as a person with the gateway's token does:
 * `node gateway-driver.ts OPENCLAW PLAN`. Writes each question that it heard, as a line of JSON.
 */
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Plan {
  /** Sessions in which a prompt is sent, at once. */
  users: readonly string[];
  /** What the person answers, in the order of the questions. None: nothing. */
  answers: readonly string[];
  /** The prompt is given up after this time, in ms, and sent once more. */
  abortAfter?: number;
}

const [openclaw = "", plan = ""] = process.argv.slice(2);
const { users, answers, abortAfter }: Plan = JSON.parse(plan);
const PORT = 18789;
const TOKEN = "dummy";

const gateway = spawn(process.execPath, [openclaw, "gateway", "run", "--port", String(PORT), "--bind", "loopback"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const isReady = Promise.withResolvers<void>();
gateway.stdout.on("data", (part: Buffer) => {
  process.stderr.write(part);
  if (part.includes("[gateway] ready")) isReady.resolve();
});
await isReady.promise;

// One process owns the state of OpenClaw: the person's client has its own.
process.env.OPENCLAW_STATE_DIR = mkdtempSync(join(tmpdir(), "openclaw-client-"));
const { GatewayClient, startGatewayClientWhenEventLoopReady } = await import(
  join(dirname(openclaw), "dist", "plugin-sdk", "gateway-runtime.js")
);
const isConnected = Promise.withResolvers<void>();
const left = [...answers];
const client = new GatewayClient({
  url: `ws://127.0.0.1:${PORT}`,
  token: TOKEN,
  clientName: "cli",
  mode: "cli",
  caps: ["approvals"],
  scopes: ["operator.approvals", "operator.admin"],
  onHelloOk: () => isConnected.resolve(),
  onEvent({ event, payload }: { event: string; payload: { id: string; request: object } }) {
    if (event !== "plugin.approval.requested") return;
    process.stdout.write(`${JSON.stringify({ asked: payload.request })}\n`);
    const decision = left.shift();
    if (decision) void client.request("plugin.approval.resolve", { id: payload.id, decision });
  },
});
await startGatewayClientWhenEventLoopReady(client, { clientOptions: {} });
await isConnected.promise;

const prompt = async (user: string, signal?: AbortSignal): Promise<void> => {
  const answer = await fetch(`http://127.0.0.1:${PORT}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      "x-openclaw-message-channel": "webchat",
    },
    body: JSON.stringify({ model: "openclaw", messages: [{ role: "user", content: "go" }], user }),
    ...(signal ? { signal } : {}),
  });
  process.stderr.write(`${await answer.text()}\n`);
};
if (abortAfter !== undefined)
  await Promise.all(users.map((user) => prompt(user, AbortSignal.timeout(abortAfter)).catch(() => {})));
await Promise.all(users.map((user) => prompt(user)));
client.stop();
gateway.kill("SIGTERM");
await new Promise((resolve) => gateway.once("exit", resolve));
process.exit(0);
