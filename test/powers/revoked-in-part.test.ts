import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer as createWebServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import type { LogLine } from "../../src/session/log-line.ts";
import { eventually } from "../support/eventually.ts";
import { on, scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

async function listening(server: Server): Promise<string> {
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const web = (listener: RequestListener): Promise<string> => {
  const server = createWebServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return listening(server);
};

/** A session whose only hook has these powers by the grants file, and a function that writes others into it. */
async function granted(source: string, capabilities: object) {
  const folder = temporaryFolder();
  const path = join(folder, "hook.ts");
  writeFiles(folder, { "hook.ts": source, "work/a.txt": "a" });
  const grant = (powers: object): void => {
    const entry = { capabilities: { events: { see: ["*"], block: true }, ...powers } };
    writeFiles(folder, { "home/grants.json": JSON.stringify({ version: 1, hooks: { [path]: entry } }) });
  };
  grant(capabilities);
  const log: LogLine[] = [];
  const host = await HookHost.start({
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    discover: false,
    spare: false,
    hooks: [path],
    log: (line) => void log.push(line),
  });
  onTestFinished(() => host.close());
  const said = (): string[] => log.map(({ text }) => text);
  const begin = () => host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  const taken = () => eventually(() => expect(said().join()).toContain("some of its powers were revoked"));
  return { folder: join(folder, "work"), grant, said, begin, taken };
}

test("a request that is under way follows no redirect to what was revoked meanwhile", async () => {
  const sent: string[] = [];
  const second = await web((request, response) => {
    request.on("data", (data) => sent.push(String(data))).on("end", () => response.end("here"));
  });
  const asked: (() => void)[] = [];
  const first = await web((_request, response) => {
    asked.push(() => void response.writeHead(307, { location: `http://${second}/` }).end());
  });
  const { grant, said, begin, taken } = await granted(
    on(
      "turn_start",
      `void fetch("http://${first}/", { method: "POST", body: "words" }).then(() => console.log("answered"), () => console.log("refused"));`,
    ),
    { net: { connect: [first, second] } },
  );
  await begin();
  await eventually(() => expect(asked).toHaveLength(1));
  grant({ net: { connect: [first] } });
  await taken();
  asked[0]?.();
  await eventually(() => expect(said()).toContain("refused"));
  expect(sent).toEqual([]);
});

test("what still arrives from a place that was revoked arrives no more, though a redirect led there", async () => {
  let isOpen = true;
  const second = await web((_request, response) => {
    const timer = setInterval(() => response.write("x".repeat(1000)), 20);
    response.on("close", () => {
      isOpen = false;
      clearInterval(timer);
    });
  });
  const first = await web(
    (_request, response) => void response.writeHead(302, { location: `http://${second}/` }).end(),
  );
  const { grant, said, begin } = await granted(
    on(
      "turn_start",
      `const reader = (await fetch("http://${first}/")).body!.getReader();
       await reader.read();
       console.log("reads");
       void (async () => { try { for (;;) await reader.read(); } catch { console.log("cut"); } })();`,
    ),
    { net: { connect: [first, second] } },
  );
  await begin();
  expect(said()).toContain("reads");
  grant({ net: { connect: [first] } });
  await eventually(() => expect(said()).toContain("cut"));
  await eventually(() => expect(isOpen).toBe(false));
});

test("a connection goes on where another place was revoked", async () => {
  const tick = createServer((socket) => {
    const timer = setInterval(() => socket.write("x"), 20);
    socket.on("error", () => {}).on("close", () => clearInterval(timer));
  });
  const [one, other] = [await listening(tick), "127.0.0.1:9"];
  const { grant, said, begin, taken } = await granted(
    on(
      "turn_start",
      `require("node:net").connect(${one.split(":")[1]}, "127.0.0.1").on("error", () => {}).on("data", () => console.log("tick"));`,
    ),
    { net: { connect: [one, other] } },
  );
  await begin();
  grant({ net: { connect: [one] } });
  await taken();
  const before = said().length;
  await eventually(() => expect(said().length).toBeGreaterThan(before + 3));
});

const FILES = 6000;

test("a folder's removal ends where what lies in it was revoked meanwhile", async () => {
  const act = 'require("node:fs").promises.rm("d", { recursive: true })';
  const { folder, grant, said, begin, taken } = await granted(
    on(
      "turn_start",
      `void ${act}.then(() => console.log("done"), (error: any) => console.log("ended: " + error.code));`,
    ),
    { fs: { write: ["$CWD/d", "$CWD/d/**"] } },
  );
  for (let at = 0; at < FILES; at++) {
    if (at % 100 === 0) mkdirSync(join(folder, "d", String(at)), { recursive: true });
    writeFileSync(join(folder, "d", String(at - (at % 100)), `${at}`), "");
  }
  const began = begin();
  grant({ fs: { write: ["$CWD/d"] } });
  await Promise.all([began, taken()]);
  await eventually(() => expect(said().join()).toMatch(/ended: NOT_GRANTED|done/));
  const left = readdirSync(join(folder, "d"), { recursive: true }).length;
  await delay(300);
  expect(said().join()).toContain("ended: NOT_GRANTED");
  expect(readdirSync(join(folder, "d"), { recursive: true })).toHaveLength(left);
});

test("what was allowed once ends when its power is revoked, whatever other powers there are", async () => {
  let isOpen = true;
  const place = await web((_request, response) => {
    const timer = setInterval(() => response.write("x".repeat(1000)), 20);
    response.on("close", () => {
      isOpen = false;
      clearInterval(timer);
    });
  });
  const source = on(
    "turn_start",
    `const reader = (await fetch("http://${place}/")).body!.getReader();
     await reader.read();
     console.log("reads");
     void (async () => { try { for (;;) await reader.read(); } catch { console.log("cut"); } })();`,
  );
  const grant = { capabilities: { events: { see: ["*"] }, net: { connect: ["example.com:443"] }, env: ["HOME"] } };
  const { host, log } = await startSession(
    { asker: { source, grant } },
    { ui: scriptedUi({ select: () => "Allow once" }), hasUI: true },
  );
  await host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  expect(log.map(({ text }) => text)).toContain("reads");
  await host.revoke("asker", "net");
  await eventually(() => expect(log.map(({ text }) => text)).toContain("cut"));
  await eventually(() => expect(isOpen).toBe(false));
});
