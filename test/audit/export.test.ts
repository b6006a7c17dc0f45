import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { exportState, isExported, MOST_WAITING } from "../../src/audit/export-settings.ts";
import { factsIn } from "../support/audit-log.ts";
import { cordon, RpcAgent, startCordon } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { onToolCall, startSession, type TestSession, temporaryFolder, writeFiles } from "../support/session.ts";
import { OtlpReceiver } from "./otlp-receiver.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const GATE = onToolCall(`
  if (event.input.command === "echo") await ctx.exec("echo", ["hello"]);
  if (event.input.command === "cat") await ctx.exec("cat", ["/etc/passwd"]).catch(() => {});
  if (event.input.command === "rm") return { block: true, reason: "no rm" };`);
const gate = { source: GATE, grant: { capabilities: { exec: [{ program: "echo", args: ["hello"] }] } } };

const homeOf = ({ folder }: TestSession): string => join(folder, "home");

test("each line of the audit and each judged call arrives, with the names of OpenTelemetry's conventions", async () => {
  const receiver = await OtlpReceiver.start();
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url);
  vi.stubEnv("OTEL_SERVICE_NAME", "my agent");
  vi.stubEnv("TRACEPARENT", `00-${traceId}-b7ad6b7169203331-01`);
  const session = await startSession({ gate });
  for (const command of ["ls", "echo", "cat", "rm"]) await session.call(command);
  await session.host.close();

  const lines = factsIn(homeOf(session));
  expect(receiver.logs.map(({ attributes }) => attributes["cordon.prev"])).toEqual(lines.map(({ prev }) => prev));
  expect(receiver.logs.map(({ time }) => time)).toEqual(lines.map(({ time }) => time));
  expect(receiver.resource).toMatchObject({ "service.name": "my agent", "process.pid": process.pid });
  const logOf = (outcome: string) => receiver.logs.find(({ attributes }) => attributes["cordon.outcome"] === outcome);
  expect(logOf("allowed")).toMatchObject({
    event: "cordon.audit",
    severity: "INFO",
    attributes: { "cordon.hook.id": "gate", "cordon.power": "exec", "process.command_line": "echo hello" },
  });
  expect(logOf("NOT_GRANTED")).toMatchObject({
    severity: "WARN",
    attributes: { "process.command_line": "cat /etc/passwd" },
  });
  expect(logOf("block")).toMatchObject({
    severity: "WARN",
    body: "block gate tool_call bash: no rm",
    attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash" },
  });

  const judged = receiver.spans.filter(({ name }) => name === "tool_call bash");
  expect(judged.map(({ attributes }) => attributes["cordon.outcome"])).toEqual(["pass", "pass", "pass", "block"]);
  expect(judged[3]?.attributes).toMatchObject({
    "cordon.hook.id": "gate",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "bash",
    "gen_ai.tool.call.id": "call-1",
  });
  const [exec, ...more] = receiver.spans.filter(({ name }) => name === "exec");
  expect([exec?.attributes, more]).toEqual([
    expect.objectContaining({ "process.command_line": "echo hello", "cordon.outcome": "done" }),
    [],
  ]);
  expect(exec?.ms).toBeGreaterThan(0);
  for (const { traceId: id, parent } of receiver.spans) expect([id, parent]).toEqual([traceId, "b7ad6b7169203331"]);
});

describe("a receiver changes no verdict and takes no time of it, and what is lost is counted", () => {
  const CALLS = 150;
  /** Times of calls in ms, in order of size; and the answers. */
  async function judge(session: TestSession): Promise<{ times: number[]; blocked: number }> {
    const times: number[] = [];
    let blocked = 0;
    for (let at = 0; at < CALLS; at++) {
      const start = performance.now();
      if ((await session.call(at % 3 === 0 ? "rm" : "ls")) !== undefined) blocked++;
      times.push(performance.now() - start);
    }
    return { times: times.sort((a, b) => a - b), blocked };
  }

  /** The address of a server that takes connections and never says a word. */
  async function mute(): Promise<string> {
    const server = createServer((socket) => void socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${Object(server.address()).port}`;
  }

  const flood = async (): Promise<string> => {
    const megabyte = Buffer.alloc(1 << 20, 32);
    const receiver = await OtlpReceiver.start((response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(megabyte));
      };
      response.on("drain", pour);
      pour();
    });
    return receiver.url;
  };

  test.each<[string, () => Promise<string>]>([
    ["that is dead", async () => "http://127.0.0.1:9"],
    ["that never answers", mute],
    ["that floods", flood],
    ["that refuses all", async () => (await OtlpReceiver.start((response) => void response.writeHead(400).end())).url],
    ["that is no address", async () => "no address"],
  ])("%s", async (_name, address) => {
    const quiet = await judge(await startSession({ gate }));
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", await address());
    const session = await startSession({ gate });
    const { times, blocked } = await judge(session);
    expect(blocked).toBe(quiet.blocked);
    // A wait for a receiver would be in all of them.
    const middle = CALLS / 2;
    expect(times[middle]).toBeLessThan((quiet.times[middle] as number) * 3 + 20);
    const start = performance.now();
    await session.host.close();
    expect(performance.now() - start).toBeLessThan(5000);

    const lines = factsIn(homeOf(session));
    const lost = lines.filter(({ event }) => event === "telemetry");
    // Each line but the one that says so, and a span for each call.
    expect(lost).toEqual([
      expect.objectContaining({
        hook: "",
        outcome: "lost",
        value: expect.stringContaining(`${lines.length - 1 + CALLS} lines and spans`),
      }),
    ]);
    expect(session.log.filter(({ text }) => text.startsWith("OpenTelemetry:")).length).toBeLessThanOrEqual(1);
  });

  test("a flood of lines at a receiver that never answers: the oldest wait, the others are lost, and one line is logged", async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", await mute());
    const session = await startSession({ gate });
    const many = MOST_WAITING + 10;
    for (let at = 0; at < many; at++) session.host.holds("bash", { hook: "gate", reason: `${at}` });
    expect(session.log.map(({ text }) => text)).toEqual([
      "OpenTelemetry: some of the audit could not be sent: the receiver is too slow",
    ]);
    await session.host.close();
    const lines = factsIn(homeOf(session));
    expect(lines.at(-1)?.value).toContain(`${lines.length - 1} lines and spans`);
    expect(lines.filter(({ outcome }) => outcome === "block")).toHaveLength(many);
  });
});

describe("it works wherever hooks run", () => {
  const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "rm" } };
  const place = () => {
    const home = temporaryFolder();
    writeFiles(home, { "hooks/gate.ts": GATE });
    return home;
  };
  const blocks = (receiver: OtlpReceiver): number =>
    receiver.logs.filter(({ attributes }) => attributes["cordon.outcome"] === "block").length;

  test("in cordon run", async () => {
    const receiver = await OtlpReceiver.start();
    const home = place();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    const { code } = await cordon(["run", "--json"], { cwd: home, home, env, input: `${JSON.stringify(event)}\n` });
    expect([code, blocks(receiver), receiver.spans.length]).toEqual([0, 1, 1]);
  });

  test("in cordon serve", async () => {
    const receiver = await OtlpReceiver.start();
    const home = place();
    const env = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${receiver.url}/v1/logs` };
    const agent = new RpcAgent(startCordon(["serve"], { cwd: home, home, env }));
    await agent.request("initialize", { protocolVersion: 1, cwd: home });
    await agent.request("emit", { event });
    await agent.request("shutdown");
    await agent.ended;
    expect([blocks(receiver), receiver.spans.length]).toEqual([1, 0]);
  });

  test("in the daemon", async () => {
    const receiver = await OtlpReceiver.start();
    const home = place();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    const input = JSON.stringify({
      session_id: "one",
      cwd: home,
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "rm" },
    });
    const { stdout } = await cordon(["hook", "claude-code"], { cwd: home, home, env, input });
    expect(stdout).toContain("no rm");
    await eventually(() => expect(blocks(receiver)).toBe(1));
    await cordon(["daemon", "stop"], { cwd: home, home });
  });
});

test.each<[string, NodeJS.ProcessEnv, boolean, boolean]>([
  ["nothing", {}, false, false],
  ["an address", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://x" }, true, true],
  ["an address of logs", { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://x" }, true, false],
  ["an address of traces", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://x" }, false, true],
  ["an exporter", { OTEL_LOGS_EXPORTER: "otlp" }, true, false],
  ["no exporter of logs", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://x", OTEL_LOGS_EXPORTER: "none" }, false, true],
  ["another exporter", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://x", OTEL_TRACES_EXPORTER: "zipkin" }, true, false],
  ["two exporters", { OTEL_TRACES_EXPORTER: "console, otlp" }, false, true],
  ["an SDK that is off", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://x", OTEL_SDK_DISABLED: "TRUE" }, false, false],
  ["an empty address", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }, false, false],
])("the standard's variables switch it: %s", (_name, env, logs, traces) => {
  expect([isExported("logs", env), isExported("traces", env)]).toEqual([logs, traces]);
  expect(exportState(env)).toEqual({ isOn: logs || traces, missing: [] });
});
