import { existsSync, readFileSync } from "node:fs";
import { createServer as createWebServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { AuditLine } from "../../src/audit/line.ts";
import type { SessionEvent } from "../../src/hook-api.ts";
import { eventually } from "../support/eventually.ts";
import { on, scriptedUi, startSession } from "../support/session.ts";

const SESSION: SessionEvent = {
  type: "session",
  reason: "start",
  entries: [],
  sessionFile: null,
  previousSessionFile: null,
};

async function listening(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const served = (port: number): Promise<string> =>
  fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2000) }).then(
    (response) => response.text(),
    (error) => error.cause?.code ?? error.name,
  );
const serves = (port: number): string =>
  on(
    "session",
    `const server = require("node:http").createServer((_q: any, r: any) => r.end("served"));
     server.on("error", (error: any) => console.log("failed"));
     server.listen(${port}, "127.0.0.1", () => console.log("listens"));`,
  );

test.each([
  ["at once", (act: () => void) => act()],
  ["a moment later", (act: () => void) => queueMicrotask(act)],
])("a server that is being opened when its power is revoked, %s, does not come to be", async (_name, when) => {
  const port = await freePort();
  const grant = { capabilities: { events: { see: ["*"] }, net: { listen: [`127.0.0.1:${port}`] } } };
  const revoke: { now?: () => void } = {};
  const onAudit = ({ capability }: AuditLine): void => {
    if (capability === "net.listen") when(() => revoke.now?.());
  };
  const { host, log } = await startSession({ server: { source: serves(port), grant } }, { onAudit });
  revoke.now = () => void host.revoke("server", "net");
  await host.emit(SESSION);
  await eventually(() => expect(log.map(({ text }) => text)).toContain("failed"));
  expect(await served(port)).toBe("ECONNREFUSED");
});

test("a server that a person allows after its hook was started again does not come to be", async () => {
  const port = await freePort();
  const answers: ((answer: string) => void)[] = [];
  const ui = { ...scriptedUi(), select: () => new Promise<string>((resolve) => answers.push(resolve)) };
  const grant = { capabilities: { events: { see: ["*"] } } };
  const { host, audit } = await startSession({ server: { source: serves(port), grant } }, { ui, hasUI: true });
  void host.emit(SESSION);
  await eventually(() => expect(answers).toHaveLength(1));
  await host.reload("server");
  answers[0]?.("Allow once");
  await eventually(() => expect(audit.map(({ outcome }) => outcome)).toContain("consent: once"));
  await delay(200);
  expect(await served(port)).toBe("ECONNREFUSED");
  expect(audit.filter(({ outcome }) => outcome === "allowed")).toEqual([]);
});

test("nothing is sent whose power a listener of the audit takes", async () => {
  const sent: string[] = [];
  const lines: (string | undefined)[] = [];
  const revoke: { now?: () => void } = {};
  const onAudit = ({ outcome }: AuditLine): void => {
    lines.push(outcome);
    if (outcome === "allowed") revoke.now?.();
  };
  const source = on("turn_start", 'pi.send("words");');
  const grant = { capabilities: { events: { see: ["*"] }, send: { perMinute: 5 } } };
  const { host } = await startSession(
    { sender: { source, grant } },
    { onAudit, onSend: (text) => void sent.push(text) },
  );
  revoke.now = () => void host.revoke("sender", "send");
  await host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  await eventually(() => expect(lines).toEqual(expect.arrayContaining(["allowed", "revoked"])));
  await delay(100);
  expect(sent).toEqual([]);
});

test("a program that does not end when it is asked to ends with its power", async () => {
  const script = 'trap "" TERM; while :; do echo x >> ticks; sleep 0.02; done';
  const exec = [{ program: "sh", args: ["-c", script], fullAccess: true }];
  const source = on("session", `require("node:child_process").spawn("sh", ["-c", ${JSON.stringify(script)}]);`);
  const grant = { capabilities: { events: { see: ["*"] }, exec } } as never;
  const { host, folder } = await startSession({ runner: { source, grant } });
  const ticks = (): string => readFileSync(join(folder, "work", "ticks"), "utf8");
  await host.emit(SESSION);
  await eventually(() => expect(existsSync(join(folder, "work", "ticks"))).toBe(true));
  await host.revoke("runner", "exec");
  await delay(500);
  const then = ticks();
  await delay(500);
  expect(ticks()).toBe(then);
});

test("what came in before a revocation is not read after it, and a cut body is no whole one", async () => {
  const tcp = await listening(createServer((socket) => socket.on("error", () => {}).write("A".repeat(40_000))));
  const web = await listening(
    createWebServer((_request, response) => {
      response.write("B".repeat(200_000));
      setTimeout(() => response.end("END"), 3000).unref();
    }),
  );
  const connect = [`127.0.0.1:${tcp}`, `127.0.0.1:${web}`];
  const source = on(
    "session",
    `const socket = require("node:net").connect(${tcp}, "127.0.0.1");
     socket.on("connect", () => socket.pause());
     socket.on("error", (error: any) => console.log("socket " + error.code));
     const reader = (await fetch("http://127.0.0.1:${web}/")).body!.getReader();
     await reader.read();
     console.log("reads");
     setTimeout(async () => {
       socket.on("data", (data: any) => console.log("came " + data.length));
       socket.resume();
       try { for (;;) { const { done } = await reader.read(); console.log(done ? "whole" : "part"); if (done) break; } } catch { console.log("cut"); }
     }, 500);`,
  );
  const grant = { capabilities: { events: { see: ["*"] }, net: { connect } } };
  const { host, log, audit } = await startSession({ reader: { source, grant } });
  await host.emit(SESSION);
  await eventually(() => expect(log.map(({ text }) => text)).toContain("reads"));
  await host.revoke("reader", "net");
  const before = audit.length;
  const said = (): string[] => log.map(({ text }) => text);
  await eventually(() => expect(said()).toEqual(expect.arrayContaining(["cut", "socket NOT_GRANTED"])));
  expect(said().filter((text) => /^(came|whole)/.test(text))).toEqual([]);
  expect(audit.slice(before).filter(({ outcome }) => outcome === "allowed")).toEqual([]);
});

test.each([undefined, null, "no key", 7, { message: 5 }])(
  "an agent's service that rejects with %j harms nobody, and its hook hears of it",
  async (thrown) => {
    const fail = (): Promise<never> => Promise.reject(thrown);
    const source = on(
      "turn_start",
      'try { await pi.setModel({ provider: "a", id: "b" }); } catch { console.log("caught"); }',
    );
    const grant = { capabilities: { events: { see: ["*"] }, agent: ["setModel"] } } as never;
    const { host, log } = await startSession({ asker: { source, grant } }, {
      agent: { act: { setModel: fail }, read: {} },
    } as never);
    await host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
    expect(log.map(({ text }) => text)).toContain("caught");
  },
);

test("powers that are revoked one after the other end all that used them, though a connection was taken before", async () => {
  const quiet = createServer(() => {});
  const port = await listening(quiet);
  const source = on(
    "session",
    `const socket = require("node:net").connect(${port}, "127.0.0.1");
     socket.on("error", () => {}).on("data", () => {}).on("connect", () => console.log("connected"));
     pi.exec("sleep", ["300"]).then(() => console.log("program ended"), () => console.log("program ended"));`,
  );
  const grant = {
    capabilities: {
      events: { see: ["*"] },
      net: { connect: [`127.0.0.1:${port}`] },
      exec: [{ program: "sleep", args: ["300"], fullAccess: true }],
    },
  };
  const { host, log, audit } = await startSession({ both: { source, grant } });
  await host.emit(SESSION);
  const said = () => log.map(({ text }) => text);
  await eventually(() => expect(said()).toContain("connected"));
  await host.revoke("both", "net");
  await host.revoke("both", "exec");
  await eventually(() => expect(said()).toContain("program ended"));
  const revoked = audit.filter(({ outcome, capability }) => outcome === "revoked" && capability !== undefined);
  expect(revoked.map(({ capability }) => capability)).toEqual(["net", "exec"]);
});
