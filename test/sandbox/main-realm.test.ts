import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { locateRuntime } from "../../src/runtime/locate.ts";
import { type Finding, runProbes } from "./probe.ts";
import { ABSENT, PROBES } from "./probes.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-probe-")));
const data = join(folder, "data");
const reached = { tcp: 0, udp: 0, unix: 0 };
const tcp = createServer((socket) => {
  reached.tcp++;
  socket.end("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
});
const unix = createServer((socket) => {
  reached.unix++;
  socket.end();
});
const udp = createSocket("udp4").on("message", () => reached.udp++);
let bystander: ChildProcess;
let confined: Map<string, Finding>;
let bare: Map<string, Finding>;
let left: string[];
let contacts: typeof reached;

beforeAll(async () => {
  mkdirSync(data);
  const targets = {
    folder: data,
    secret: join(data, "secret.txt"),
    victim: join(data, "victim.txt"),
    json: join(data, "data.json"),
    module: join(data, "module.mjs"),
    addon: join(data, "fake.node"),
    marker: join(data, "marker"),
    socket: join(folder, "s"),
    port: 0,
    udp: 0,
    bystander: 0,
  };
  writeFileSync(targets.secret, "A=the secret\n");
  writeFileSync(targets.victim, "");
  writeFileSync(targets.addon, "no addon");
  writeFileSync(targets.json, '{"a":1}');
  writeFileSync(targets.module, "export default 1;");
  bystander = spawn("/bin/sleep", ["600"], { stdio: "ignore" });
  targets.bystander = bystander.pid as number;
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => unix.listen(targets.socket, resolve));
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  targets.port = (tcp.address() as { port: number }).port;
  targets.udp = udp.address().port;
  const runtime = await locateRuntime({ home: join(folder, "home"), workspaces: [] });
  const before = readdirSync(data);
  // Without the kernel's layers, so that only Node's own permissions are tested.
  const unwalled = { ...runtime, ffi: false };
  confined = await runProbes("confined", join(folder, "confined"), unwalled, [...PROBES, ...ABSENT], targets);
  left = readdirSync(data).filter((name) => !before.includes(name));
  contacts = { ...reached };
  bare = await runProbes("bare", join(folder, "bare"), runtime, PROBES, targets);
});

afterAll(() => {
  bystander.kill("SIGKILL");
  tcp.close();
  unix.close();
  udp.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each(PROBES.map(({ name }) => name))("the sandbox process is refused: %s", (name) => {
  expect(confined.get(name)).toHaveProperty("refused");
  expect(confined.get(name)).not.toEqual({ refused: "no answer" });
});

test.each(ABSENT.map(({ name }) => name))("the sandbox process lacks %s", (name) => {
  expect(confined.get(name)).toHaveProperty("refused");
});

test.each(PROBES.map(({ name }) => name))("the probe succeeds in a bare Node: %s", (name) => {
  expect(bare.get(name)).toHaveProperty("got");
});

test("no probe left a file or reached a socket", () => {
  expect(left).toEqual([]);
  expect(contacts).toEqual({ tcp: 0, udp: 0, unix: 0 });
  expect(existsSync(join(folder, "s"))).toBe(true);
});
