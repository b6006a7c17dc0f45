import { createServer, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { dial, dialSecurely } from "../../src/powers/net-dial.ts";
import { nameServer } from "./net-attack-dns.ts";
import { freePort } from "./net-attack-server.ts";

const NAME = "rebind.example";

/** Servers on one port at several addresses of this machine. Records which of them were dialled. */
async function servers(...addresses: string[]) {
  const port = await freePort();
  const dialled: string[] = [];
  for (const address of addresses) {
    const server: Server = createServer((socket) => {
      dialled.push(address);
      socket.on("error", () => {}).end();
    });
    await new Promise<void>((listening, reject) => server.on("error", reject).listen(port, address, listening));
    onTestFinished(() => void server.close());
  }
  return { port, dialled };
}

const signal = (): AbortSignal => AbortSignal.timeout(10_000);
const place = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** Addresses that a name may resolve to and that are not on the internet. */
const PRIVATE = [
  "127.0.0.1",
  "127.8.8.8",
  "0.0.0.0",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "100.100.100.200",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "168.63.129.16",
  "::",
  "::1",
  "::ffff:7f00:1",
  "::7f00:1",
  "::ffff:0:7f00:1",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::1",
  "2002:7f00:1::",
  "2001::1",
  "2001:db8::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fec0::1",
  "ff02::1",
];

test.for(PRIVATE)("a granted name that resolves to %s is refused", async (address) => {
  const { lookup, asked } = await nameServer([[address]]);
  const dialling = dial({ host: NAME, port: 9 }, { connect: [place(NAME, 9)] }, signal(), lookup);
  const told = await dialling.then(
    (socket) => void socket.destroy(),
    (error) => error as Error,
  );
  expect(told).toMatchObject({ code: "NOT_GRANTED", message: expect.stringContaining(`${NAME}:9`) });
  expect(asked).toEqual([NAME]);
});

/** The address that a dial reached or tried to reach, if known. */
const reached = (dialling: ReturnType<typeof dial>): Promise<{ code?: unknown; address?: string | undefined }> =>
  dialling.then(
    (socket) => {
      socket.destroy();
      return { address: socket.remoteAddress };
    },
    ({ code, address }) => ({ code, address }),
  );

/** Addresses on the internet, which may be unreachable from here. */
test.for(["8.8.8.8", "1.1.1.1", "2606:4700::1111"])("a name that resolves to %s is dialled", async (address) => {
  const { lookup } = await nameServer([[address]]);
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("dialled long enough")), 1500);
  const told = await reached(dial({ host: NAME, port: 9 }, { connect: [place(NAME, 9)] }, stop.signal, lookup));
  expect(told.code).not.toBe("NOT_GRANTED");
  expect([undefined, address]).toContain(told.address);
});

test("a private address is dialled if it is granted besides the name", async () => {
  const { port, dialled } = await servers("127.0.0.2");
  const { lookup } = await nameServer([["127.0.0.2"]]);
  const both = { connect: [place(NAME, port), place("127.0.0.2", port)] };
  (await dial({ host: NAME, port }, both, signal(), lookup)).destroy();
  expect(dialled).toEqual(["127.0.0.2"]);
  const otherPort = { connect: [place(NAME, port), place("127.0.0.2", port - 1)] };
  await expect(dial({ host: NAME, port }, otherPort, signal(), lookup)).rejects.toMatchObject({ code: "NOT_GRANTED" });
});

test("a name is resolved once: a later change is not dialled", async () => {
  const { port, dialled } = await servers("127.0.0.2", "127.0.0.3");
  const { lookup, asked } = await nameServer([["127.0.0.2"], ["127.0.0.3"]]);
  const grant = { connect: [place(NAME, port), place("127.0.0.2", port)] };
  (await dial({ host: NAME, port }, grant, signal(), lookup)).destroy();
  expect([asked, dialled]).toEqual([[NAME], ["127.0.0.2"]]);
  await expect(dial({ host: NAME, port }, grant, signal(), lookup)).rejects.toMatchObject({
    code: "NOT_GRANTED",
    message: expect.stringContaining("127.0.0.3"),
  });
  expect([asked, dialled]).toEqual([[NAME, NAME], ["127.0.0.2"]]);
});

test("a name that first resolves to the internet and then to this machine is refused the second time", async () => {
  const { port, dialled } = await servers("127.0.0.1");
  const { lookup } = await nameServer([["8.8.8.8"], ["127.0.0.1"]]);
  const grant = { connect: [place(NAME, port)] };
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("dialled long enough")), 1000);
  expect((await reached(dial({ host: NAME, port }, grant, stop.signal, lookup))).code).not.toBe("NOT_GRANTED");
  await expect(dial({ host: NAME, port }, grant, signal(), lookup)).rejects.toMatchObject({ code: "NOT_GRANTED" });
  expect(dialled).toEqual([]);
});

test.for([
  [["127.0.0.3", "127.0.0.2"], ["127.0.0.2"]],
  [["::1", "127.0.0.3", "127.0.0.2", "10.0.0.1"], ["127.0.0.2"]],
])("of several answers only the permitted ones are dialled: %j", async ([answers, expected]) => {
  const { port, dialled } = await servers("127.0.0.2", "127.0.0.3", "::1");
  const { lookup } = await nameServer([answers as string[]]);
  const grant = { connect: [place(NAME, port), place("127.0.0.2", port)] };
  (await dial({ host: NAME, port }, grant, signal(), lookup)).destroy();
  expect(dialled).toEqual(expected);
});

test("if the permitted address does not answer, the others are not tried", async () => {
  const { port, dialled } = await servers("127.0.0.3", "::1");
  const { lookup } = await nameServer([["127.0.0.2", "127.0.0.3", "::1"]]);
  const grant = { connect: [place(NAME, port), place("127.0.0.2", port)] };
  const dialling = dial({ host: NAME, port }, grant, signal(), lookup);
  await expect(dialling).rejects.toMatchObject({ code: "ECONNREFUSED", address: "127.0.0.2" });
  expect(dialled).toEqual([]);
});

test("localhost is this machine, whatever a name server answers", async () => {
  const { port, dialled } = await servers("127.0.0.1");
  const grant = { connect: [place("localhost", port)] };
  const poisoned = await nameServer([["192.168.1.1", "10.0.0.1"]]);
  const dialling = dial({ host: "localhost", port }, grant, signal(), poisoned.lookup);
  await expect(dialling).rejects.toMatchObject({ code: "NOT_GRANTED" });
  const honest = await nameServer([["192.168.1.1", "127.0.0.1"]]);
  (await dial({ host: "localhost", port }, grant, signal(), honest.lookup)).destroy();
  expect(dialled).toEqual(["127.0.0.1"]);
});

test("an address is not resolved", async () => {
  const { port, dialled } = await servers("127.0.0.1");
  const { lookup, asked } = await nameServer([["127.0.0.9"]]);
  (await dial({ host: "127.0.0.1", port }, { connect: [place("127.0.0.1", port)] }, signal(), lookup)).destroy();
  expect([asked, dialled]).toEqual([[], ["127.0.0.1"]]);
});

test("the same checks apply to secure connections", async () => {
  const { port, dialled } = await servers("127.0.0.1");
  const { lookup, asked } = await nameServer([["127.0.0.1"]]);
  const dialling = dialSecurely({ host: NAME, port }, { connect: [place(NAME, port)] }, signal(), lookup);
  await expect(dialling).rejects.toMatchObject({ code: "NOT_GRANTED" });
  expect([asked, dialled]).toEqual([[NAME], []]);
});

test("an aborted dial leaves no connection", async () => {
  const { port, dialled } = await servers("127.0.0.2");
  const { lookup } = await nameServer([["127.0.0.2"]]);
  const grant = { connect: [place(NAME, port), place("127.0.0.2", port)] };
  const stop = new AbortController();
  const dialling = dial({ host: NAME, port }, grant, stop.signal, lookup);
  stop.abort(new Error("given up"));
  await expect(dialling).rejects.toThrow("given up");
  expect(dialled).toEqual([]);
});

test("an unknown name fails with the name server's error", async () => {
  const { lookup } = await nameServer([[]]);
  const dialling = dial({ host: NAME, port: 9 }, { connect: [place(NAME, 9)] }, signal(), lookup);
  await expect(dialling).rejects.toMatchObject({ code: "ENOTFOUND" });
});
