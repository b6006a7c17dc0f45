import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { GATE, REDACT } from "./mcp-hostile.ts";
import { cordonMcp, resultText, SERVER, startClient, workplace } from "./mcp-process.ts";

describe("over streamable HTTP", () => {
  async function site(env: object = {}): Promise<string> {
    const [command = "", ...args] = SERVER;
    const server = spawn(command, [...args, "http"], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void server.kill());
    const [port] = await once(createInterface({ input: server.stdout }), "line");
    return `http://127.0.0.1:${port}/mcp`;
  }

  test("calls and results are judged, and the rest passes", async () => {
    const place = workplace({ gate: GATE, redact: REDACT });
    const client = await startClient(cordonMcp(place, "--url", await site()), place);
    const read = async (name: string, command: string) =>
      resultText({ result: await client.callTool({ name, arguments: { command } }) });
    expect(await read("bash", "rm -rf /")).toMatch(/^Blocked by hook .*gate.ts: no$/);
    expect(await read("bash", "ls")).toContain("ran ls");
    expect(await read("secret", "")).toContain("the password is ***");
    expect((await client.listResources()).resources).toHaveLength(1);
  });

  test("a header is sent, and without it the client is told that the server refuses", async () => {
    const place = workplace({ gate: GATE });
    const url = await site({ WANTED: "Bearer key" });
    const client = await startClient(cordonMcp(place, "--header", "Authorization: Bearer key", "--url", url), place);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await expect(startClient(cordonMcp(place, "--url", url), place)).rejects.toThrow(/cannot be reached/);
  });
});
