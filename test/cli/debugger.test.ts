import { spawn } from "node:child_process";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

interface Frame {
  location: { scriptId: string; lineNumber: number };
}

interface Message {
  method: string;
  params: { scriptId: string; url: string; sourceMapURL: string; callFrames: Frame[] };
}

const REASON = "after the breakpoint";

/** A hook of each dialect whose third line decides about a call. */
const HOOKS: Record<string, string> = {
  pi: `import type { HookAPI } from "cordon/hooks";
export default (pi: HookAPI): void => pi.on("tool_call", async ({ toolName }) => {
  const reason: string = toolName && "${REASON}";
  return { block: true, reason };
});`,
  interceptors: `import { getGlobalInterceptorRegistry, type InterceptorRegistration } from "cordon/interceptors";
const handler: InterceptorRegistration<"tool.before">["handler"] = (_input, output) => {
  const reason: string = "${REASON}";
  Object.assign(output, { block: true, blockReason: reason });
};
getGlobalInterceptorRegistry()?.add({ id: "gate", name: "tool.before", handler });`,
  openclaw: `interface Answer { block: boolean; blockReason: string }
const gate = (): Answer => {
  const blockReason: string = "${REASON}";
  return { block: true, blockReason };
};
export default { id: "gate", register: (api: { on: Function }): void => void api.on("before_tool_call", gate) };`,
  strands: `import { BeforeToolCallEvent, type LocalAgent } from "@strands-agents/sdk";
const gate = (event: BeforeToolCallEvent): void => {
  const reason: string = "${REASON}";
  event.cancel = reason;
};
export default { name: "gate", initAgent: (agent: LocalAgent): void => void agent.addHook(BeforeToolCallEvent, gate) };`,
  extension: `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
export default function (pi: ExtensionAPI): void { pi.on("tool_call", async (event, ctx) => {
  const reason: string = ctx.cwd && "${REASON}";
  return { block: event.toolName !== "", reason };
}); }`,
};

test.each(Object.entries(HOOKS))(
  "a breakpoint in the TypeScript of a trusted hook stops there: %s",
  async (_name, source) => {
    const folder = temporaryFolder();
    writeFiles(folder, { "hook.ts": source });
    const main = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");
    const args = ["--inspect-brk=127.0.0.1:0", main, "run", "--no-discover", "--trusted-hook", "hook.ts"];
    const env = { ...process.env, CORDON_HOME: join(folder, "home"), NODE_OPTIONS: "" };
    const child = spawn(process.execPath, args, { cwd: folder, env, detached: true });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.end('{"type":"tool_call","toolName":"bash","toolCallId":"1","input":{}}\n');
    let stdout = "";
    // A process waits for its debugger to leave: its verdict is the end here.
    const judged = new Promise<void>((resolve) => {
      child.on("close", () => resolve());
      child.stdout.on("data", (chunk) => {
        stdout += chunk;
        if (stdout.includes(REASON)) resolve();
      });
    });
    const address = await new Promise<string>((resolve) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        const found = /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(line);
        if (found) resolve(found[0]);
      });
    });

    const socket = new WebSocket(address);
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    let id = 0;
    const tell = (method: string, params: object = {}): void =>
      socket.send(JSON.stringify({ id: ++id, method, params }));
    const stops: string[] = [];
    const scripts = new Map<string, string>();
    socket.addEventListener("message", ({ data }) => {
      const { method, params } = JSON.parse(String(data)) as Message;
      if (method === "Debugger.scriptParsed") {
        scripts.set(params.scriptId, params.url);
        // Where an editor sets the breakpoint of line 3: it looks that up in the script's own source map.
        const place = params.url.endsWith("hook.ts") ? placeIn(params.sourceMapURL, 3) : undefined;
        if (place) tell("Debugger.setBreakpoint", { location: { scriptId: params.scriptId, ...place } });
      }
      if (method !== "Debugger.paused") return;
      const [frame] = params.callFrames;
      if (frame) stops.push(`${scripts.get(frame.location.scriptId)}:${frame.location.lineNumber}`);
      tell("Debugger.resume");
    });
    tell("Runtime.enable");
    tell("Debugger.enable");
    // As editors do: a script waits until its breakpoints are set.
    tell("Debugger.setInstrumentationBreakpoint", { instrumentation: "beforeScriptWithSourceMapExecution" });
    // Node loses this request where it comes before its script waits (3 of 200 on a busy machine).
    const starting = setInterval(() => tell("Runtime.runIfWaitingForDebugger"), 500);
    tell("Runtime.runIfWaitingForDebugger");
    await judged;
    clearInterval(starting);
    socket.close();
    // Lines count from 0.
    expect(stops).toContainEqual(expect.stringMatching(/hook\.ts:2$/));
    expect(stdout).toContain(REASON);
  },
);

/** The place in a script that its source map gives for a line of its source, from 1. */
function placeIn(sourceMapURL: string, wanted: number): { lineNumber: number; columnNumber: number } | undefined {
  const text = Buffer.from(sourceMapURL.slice(sourceMapURL.indexOf(",") + 1), "base64").toString();
  const map = new SourceMap(JSON.parse(text));
  for (let line = 0; line < 100; line++)
    for (let column = 0; column < 200; column++) {
      const entry = map.findEntry(line, column);
      if ("originalLine" in entry && entry.originalLine === wanted - 1)
        return { lineNumber: entry.generatedLine, columnNumber: entry.generatedColumn };
    }
  return undefined;
}
