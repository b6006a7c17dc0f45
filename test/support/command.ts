import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { paramsFault, resultFault } from "./rpc-contract.ts";

const MAIN = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");

interface Settings {
  cwd: string;
  home: string;
  env?: NodeJS.ProcessEnv;
  node?: string;
}

/** Starts the built command, without a controlling terminal. Killed when the test ends. */
export function startCordon(
  args: readonly string[],
  { cwd, home, env = {}, node = process.execPath }: Settings,
): ChildProcessWithoutNullStreams {
  const child = spawn(node, [MAIN, ...args], {
    cwd,
    env: { ...process.env, CORDON_HOME: home, PI_CODING_AGENT_DIR: join(home, "agent"), NO_COLOR: "1", ...env },
    detached: true,
  });
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  });
  return child;
}

/** Runs it to its end. */
export async function cordon(
  args: readonly string[],
  settings: Settings & { input?: string | Buffer },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = startCordon(args, settings);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(settings.input ?? "");
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}

type Message = {
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: { code: string } };
};

/** An agent that speaks JSON-RPC to `cordon serve`. Its test fails if Cordon says what `docs/openrpc.json` does not. */
export class RpcAgent {
  readonly child: ChildProcessWithoutNullStreams;
  readonly received: Message[] = [];
  readonly ended: Promise<number | null>;
  #waiting: { wanted: (message: Message) => boolean; resolve: (message: Message) => void }[] = [];
  #lastId = 0;
  /** Methods of the requests by id. */
  readonly #asked = new Map<string | number, string>();
  readonly #faults: string[] = [];
  /** Answers Cordon's own requests. */
  answer: (message: Message) => unknown = () => null;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.ended = new Promise((resolve) => child.on("close", resolve));
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => this.#receive(JSON.parse(line)));
    onTestFinished(() => expect(this.#faults, "against docs/openrpc.json").toEqual([]));
  }

  write(text: string): void {
    this.child.stdin.write(text);
  }

  async request(method: string, params: object = {}, id: string | number = ++this.#lastId): Promise<Message> {
    const answered = this.next((message) => message.id === id && message.method === undefined);
    this.#asked.set(id, method);
    this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answered;
  }

  /** The next matching message, or an earlier one. */
  next(wanted: (message: Message) => boolean): Promise<Message> {
    const there = this.received.find(wanted);
    if (there) return Promise.resolve(there);
    return new Promise((resolve) => this.#waiting.push({ wanted, resolve }));
  }

  #receive(message: Message): void {
    this.received.push(message);
    const fault = this.#faultOf(message);
    if (fault !== undefined) this.#faults.push(fault);
    const waiting = this.#waiting.find(({ wanted }) => wanted(message));
    if (waiting) {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      waiting.resolve(message);
    }
    if (message.method !== undefined && message.id !== undefined) {
      void Promise.resolve(this.answer(message)).then((result) => {
        if (result !== undefined) this.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n`);
      });
    }
  }
  #faultOf({ id, method, params, result, error }: Message): string | undefined {
    if (method !== undefined) return paramsFault("cordon", method, params);
    const asked = id === null || id === undefined ? undefined : this.#asked.get(id);
    return asked === undefined || error ? undefined : resultFault("agent", asked, result);
  }
}

/** The reasons of blocks that an agent without a person got for these commands, one after another, in a session over JSON-RPC. */
export async function served(
  commands: readonly string[],
  { flags = [], ...settings }: Settings & { flags?: readonly string[] },
): Promise<(string | undefined)[]> {
  const rpc = new RpcAgent(startCordon(["serve", ...flags], settings));
  await rpc.request("initialize", { protocolVersion: 1, cwd: settings.cwd });
  const reasons = await Array.fromAsync(commands, async (command) => {
    const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } };
    const { result } = (await rpc.request("emit", { event })) as { result?: { result?: { reason?: string } | null } };
    return result?.result?.reason;
  });
  await rpc.request("shutdown");
  await rpc.ended;
  return reasons;
}
