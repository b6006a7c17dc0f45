import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";
import { UNHURRIED } from "../support/unhurried.ts";
import { site } from "./net-attack.ts";
import { exchanged, freePort, GET, isOpen, statusOf, wire } from "./net-attack-server.ts";

const TOP = `
  import http from "node:http";
  const raw = (method: string, ...args: any[]): Promise<any> => (globalThis as any)[Symbol.for("cordon.host")].call(method, args);
  const started = (port: number) => new Promise<any>((done, fail) => {
    const server = http.createServer((request: any, response: any) => response.end("served"));
    server.on("error", fail).listen(port, () => done(server));
  });
  const busy = (ms: number) => { for (const end = Date.now() + ms; Date.now() < end; ); };
  let told = "";
`;

/** A hook whose powers are in a file, as a person would write it. Each event runs a text of the test's. */
async function start(net: object, steps: Record<string, string>) {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const path = join(folder, "hook.ts");
  const cases = Object.entries(steps).map(([name, body]) => `if (event.input.step === "${name}") { ${body} }`);
  writeFiles(folder, {
    "hook.ts": onToolCall(`${cases.join("\n")}\nreturn { block: true, reason: told };`, TOP),
    "work/x": "",
  });
  const grant = (powers: object): void =>
    writeFiles(home, {
      "grants.json": JSON.stringify({
        version: 1,
        hooks: {
          [path]: { capabilities: { events: { see: ["*"], block: true }, ...powers }, limits: UNHURRIED },
        },
      }),
    });
  grant({ net });
  const host = await HookHost.start({
    spare: false,
    cwd: join(folder, "work"),
    home,
    discover: false,
    hooks: [path],
    log: () => {},
  });
  onTestFinished(() => host.close());
  const step = async (name: string): Promise<string | undefined> => {
    // Events within a few milliseconds share one read of the file.
    await delay(20);
    const input = { step: name };
    const verdict = await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input });
    return (verdict as { reason?: string } | undefined)?.reason;
  };
  return { grant, step };
}

const place = (port: number): string => `127.0.0.1:${port}`;
const closed = (port: number) => expect.poll(() => isOpen(port), { timeout: 10_000 }).toBe(false);

test("a server ends when the power to listen is revoked", async () => {
  const port = await freePort();
  const { grant, step } = await start({ listen: [place(port)] }, { start: `await started(${port});` });
  await step("start");
  expect(statusOf(await exchanged(port, GET("/")))).toBe(200);
  grant({});
  await step("nothing");
  await closed(port);
});

test("a server whose endpoint was revoked ends, and a server at another endpoint stays", async () => {
  const [gone, stays] = [await freePort(), await freePort()];
  const steps = { start: `await started(${gone}); await started(${stays});` };
  const { grant, step } = await start({ listen: [place(gone), place(stays)] }, steps);
  await step("start");
  grant({ net: { listen: [place(stays)] } });
  await step("nothing");
  expect(statusOf(await exchanged(stays, GET("/")))).toBe(200);
  expect.soft(await exchanged(gone, GET("/")).catch(String)).not.toContain("served");
  await closed(gone);
});

test("a server whose hook takes no requests ends as well", async () => {
  const port = await freePort();
  const steps = { start: `await raw("net.listen", "127.0.0.1", ${port});` };
  const { grant, step } = await start({ listen: [place(port)] }, steps);
  await step("start");
  expect(await isOpen(port)).toBe(true);
  grant({});
  await step("nothing");
  await closed(port);
});

test("a server whose hook is busy at that moment ends as well", async () => {
  const port = await freePort();
  const steps = { start: `await started(${port});`, busy: "busy(1500);" };
  const { grant, step } = await start({ listen: [place(port)] }, steps);
  await step("start");
  const working = step("busy");
  await delay(200);
  // The hook took a request and has not handled it: it does not wait for the next one.
  const waiting = await wire(port);
  waiting.write(GET("/"));
  await delay(200);
  grant({});
  await step("nothing");
  await working;
  await closed(port);
});

test("an open request ends when the power to connect is revoked, and the server sees it", async () => {
  const there = await site();
  const steps = {
    start: `void fetch("http://127.0.0.1:${there.port}/slow").then(() => (told = "answered"), (error: any) => (told = error.name));`,
    again: `told = await fetch("http://127.0.0.1:${there.port}/").then((r: any) => String(r.status), (error: any) => error.code);`,
  };
  const { grant, step } = await start({ connect: [place(there.port)] }, steps);
  expect(await step("again")).toBe("200");
  await step("start");
  await expect.poll(() => there.requests.length).toBe(2);
  grant({});
  expect(await step("again")).toBe("NOT_GRANTED");
  await expect.poll(() => there.open, { timeout: 10_000 }).toBe(0);
});
