import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

interface Message {
  method: string;
  params: { scriptId: string; url: string; callFrames: { location: { scriptId: string } }[] };
}

test("Node's debugger stops inside a trusted hook", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { "hook.ts": onToolCall('debugger;\nreturn { block: true, reason: "after the breakpoint" };') });
  const main = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");
  const args = ["--inspect-brk=127.0.0.1:0", main, "run", "--no-discover", "--trusted-hook", "hook.ts"];
  const env = { ...process.env, CORDON_HOME: join(folder, "home"), NODE_OPTIONS: "" };
  const child = spawn(process.execPath, args, { cwd: folder, env, detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end('{"type":"tool_call","toolName":"bash","toolCallId":"1","input":{}}\n');
  let stdout = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  const address = await new Promise<string>((resolve) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const found = /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(line);
      if (found) resolve(found[0]);
    });
  });

  const socket = new WebSocket(address);
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  let id = 0;
  const tell = (method: string): void => socket.send(JSON.stringify({ id: ++id, method }));
  const stops: string[] = [];
  const scripts = new Map<string, string>();
  socket.addEventListener("message", ({ data }) => {
    const { method, params } = JSON.parse(String(data)) as Message;
    if (method === "Debugger.scriptParsed") scripts.set(params.scriptId, params.url);
    if (method !== "Debugger.paused") return;
    stops.push(scripts.get(params.callFrames[0]?.location.scriptId ?? "") ?? "");
    tell("Debugger.resume");
  });
  for (const method of ["Runtime.enable", "Debugger.enable", "Runtime.runIfWaitingForDebugger"]) tell(method);
  child.stdout.once("data", () => socket.close());
  await new Promise((resolve) => child.on("close", resolve));
  expect(stops).toContainEqual(expect.stringMatching(/hook\.ts$/));
  expect(stdout).toContain("after the breakpoint");
});
