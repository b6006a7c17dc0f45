import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
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

  test("of a server that is not there, the client is told why", async () => {
    const place = workplace({ gate: GATE });
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address() as AddressInfo;
    gone.close();
    const client = startClient(cordonMcp(place, "--url", `http://127.0.0.1:${port}/mcp`), place);
    const why = `cannot be reached: fetch failed (connect ECONNREFUSED 127.0.0.1:${port})`;
    await expect(client).rejects.toThrow(why);
  });

  test("the SDK's code comes with its licence, in a file that nothing but such a command loads", () => {
    const built = join(PACKAGE_ROOT, "dist", "src");
    expect(readFileSync(join(dirname(built), "LICENCES.md"), "utf8")).toMatch(
      /^## @modelcontextprotocol\/sdk [\d.]+ \(MIT\)$/m,
    );
    const files = readdirSync(built, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".js"))
      .map((file): [string, string] => [file, readFileSync(join(built, file), "utf8")]);
    const holders = files
      .filter(([, code]) => code.includes("StreamableHTTPClientTransport"))
      .map(([file]) => basename(file));
    expect(holders).toEqual([expect.stringMatching(/^http-server-/)]);
    const loads = files.flatMap(([, code]) => code.split("\n").filter((line) => line.includes(holders[0] ?? "")));
    expect(loads).toEqual([expect.stringContaining("await import(")]);
  });
});
