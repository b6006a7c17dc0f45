import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

/** A function could be of another dialect. */
const manifestOf = (source: string): object =>
  source.includes("(registry") ? { manifest: { dialect: "interceptors" } } : {};

const STRANDS = 'import { BeforeToolCallEvent } from "@strands-agents/sdk";\n';

/** A wrong answer has no line of the hook's in it: the line in which its handler was registered stands for it. */
test.each<[what: string, source: string, line: number | undefined]>([
  [
    "pi, the second of two handlers",
    `export default (pi: any) => {
      pi.on("tool_call", () => {});
      pi.on("tool_call", () => ({ blocked: true }));
    };`,
    3,
  ],
  [
    "pi, an input that is none, of one handler",
    `export default (pi: any) => {
      pi.on("tool_call", (event: any) => { event.input = 3; });
    };`,
    2,
  ],
  [
    "pi, an input that is none, of two handlers: it may be of either",
    `export default (pi: any) => {
      pi.on("tool_call", (event: any) => { event.input = 3; });
      pi.on("tool_call", () => {});
    };`,
    undefined,
  ],
  [
    "pi, an error of its own keeps its line",
    `export default (pi: any) => {
      pi.on("tool_call", () => {
        throw new Error("x");
      });
    };`,
    3,
  ],
  [
    "pi, errors that the hook changed since",
    `export default (pi: any) => {
      pi.on("tool_call", () => ({ blocked: true }));
      Error.stackTraceLimit = 0;
      const broken = { get() { throw new RangeError("no"); } };
      for (const name of ["name", "message", "stack", "toString"]) Object.defineProperty(Error.prototype, name, broken);
    };`,
    2,
  ],
  [
    "an interceptor",
    `export default (registry: any) => {
      registry.add({ id: "n", name: "tool.before",
        handler(_input: any, output: any) { output.blockReason = "no"; } });
    };`,
    2,
  ],
  [
    "an interceptor that its module registers",
    `import { getGlobalInterceptorRegistry } from "cordon/interceptors";
      getGlobalInterceptorRegistry().add({ id: "n", name: "tool.before",
        handler(_input: any, output: any) { output.blockReason = "no"; } });`,
    2,
  ],
  [
    "OpenClaw",
    `export default { id: "claw", register(api: any) {
      api.on("before_tool_call", () => {});
      api.on("before_tool_call", () => ({ requireApproval: {} }));
    } };`,
    3,
  ],
  [
    "Strands",
    `${STRANDS}export default { name: "a", initAgent(agent: any) {
      agent.addHook(BeforeToolCallEvent, (event: any) => { event.toolUse = 3; });
    } };`,
    3,
  ],
])("%s", async (_what, source, line) => {
  const { call, errors } = await startSession({ gate: { source, ...manifestOf(source) } });
  expect(await call("ls")).toMatchObject({ block: true });
  const [error] = errors;
  const [, found] = /gate\.ts:(\d+):/.exec(error?.stack ?? "") ?? [];
  expect([errors.length, found]).toEqual([1, line === undefined ? undefined : `${line}`]);
  expect(error?.stack ?? "").not.toMatch(/cordon-(hook|guest|realm)\.js/);
});

test("a handler that throws a text blocks with pi's words, and has no line", async () => {
  const { call, errors } = await startSession({
    gate: 'export default (pi: any) => { pi.on("tool_call", () => { throw "text"; }); };',
  });
  expect(await call("ls")).toMatchObject({ block: true, reason: "Hook failed, blocking execution: text" });
  expect(errors).toMatchObject([{ error: "text" }]);
});
