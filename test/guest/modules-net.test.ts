import { afterAll } from "vitest";
import { tcpPeer, webPeer } from "../powers/net-peers.ts";
import { besideNode, type Question } from "./beside-node.ts";

/** Answers each byte with itself, and ends when its peer does. */
const echo = await tcpPeer((socket) => void socket.pipe(socket));
/** Says something long and ends. */
const talker = await tcpPeer((socket) => void socket.end(Buffer.alloc(3_000_000, "x")));
/** Breaks off. */
const breaker = await tcpPeer((socket) => void setTimeout(() => socket.resetAndDestroy(), 50));
const silent = await tcpPeer(() => {});
const web = await webPeer((peer, headers) => {
  peer.send(JSON.stringify([headers["x-token"] ?? null, headers["sec-websocket-protocol"] ?? null]));
  peer.on("message", (data: Buffer, isBinary) => {
    const text = data.toString();
    if (text === "close") peer.close(4001, "as asked");
    else if (text === "drop") peer.terminate();
    else if (text === "many") for (let at = 0; at < 2000; at++) peer.send(String(at));
    else peer.send(data, { binary: isBinary });
  });
});
const peers = [echo, talker, breaker, silent, web];
afterAll(() => {
  for (const peer of peers) peer.close();
});

const TOP = `import net from "node:net";
import { connect, createConnection, Socket, isIP, isIPv4, isIPv6 } from "net";
const [ECHO, TALKER, BREAKER, SILENT, WEB] = ${JSON.stringify(peers.map(({ port }) => port))};
const heard = (socket: any): Promise<any> => new Promise((done) => {
  const parts: any[] = []; const events: string[] = [];
  for (const type of ["connect", "ready", "end", "close", "timeout", "finish"]) socket.on(type, (hadError: any) => { if (type !== "timeout" && type !== "finish") events.push(type + (type === "close" ? " " + hadError : "")); });
  let error: any;
  socket.on("data", (part: any) => parts.push(part)).on("error", (e: any) => { error = { code: e.code, syscall: e.syscall, port: e.port, address: e.address }; }).on("close", () => { const all = Buffer.concat(parts); done({ events, text: all.length > 100 ? all.length : all.toString(), error, read: socket.bytesRead, written: socket.bytesWritten, state: socket.readyState, destroyed: socket.destroyed }); });
});
const said = (socket: any, count: number): Promise<any[]> => new Promise((done) => { const all: any[] = []; socket.addEventListener("message", (event: any) => { all.push(event.data instanceof ArrayBuffer ? [...new Uint8Array(event.data)] : event.data); if (all.length === count) done(all); }); });
const opened = (socket: any): Promise<void> => new Promise((done) => { socket.onopen = () => done(); });
const closed = (socket: any): Promise<any> => new Promise((done) => { const seen: string[] = []; socket.onerror = () => seen.push("error"); socket.onclose = ({ code, reason, wasClean }: any) => done([seen, code, reason, wasClean, socket.readyState]); });
const web = (protocols?: any): any => { const socket: any = protocols ? new WebSocket("ws://127.0.0.1:" + WEB + "/p?q=1", protocols) : new WebSocket("ws://127.0.0.1:" + WEB); socket.binaryType = "arraybuffer"; return socket; };
`;

const SOCKETS: Question[] = [
  {
    name: "what is written comes back, and the end, too",
    ask: `(() => { const s = connect(ECHO, "127.0.0.1"); s.write("one "); s.end("two"); return within(() => heard(s)); })()`,
  },
  {
    name: "options, and a listener",
    ask: `within(() => new Promise((done) => { const s: any = createConnection({ port: ECHO, host: "127.0.0.1" }, () => { const seen = [s.remoteAddress, s.remotePort === ECHO, s.remoteFamily, s.localAddress, typeof s.localPort, s.address().family, s.connecting, s.pending, s.readyState]; s.destroy(); done(seen); }); }))`,
  },
  {
    name: "a socket that connects later",
    ask: `(() => { const s: any = new Socket(); const before = [s.connecting, s.pending, s.readyState, s.destroyed]; s.connect({ port: String(ECHO), host: "127.0.0.1" }); const meanwhile = [s.connecting, s.readyState]; s.end(Buffer.from([1, 2, 255])); return within(async () => [before, meanwhile, (await heard(s)).read]); })()`,
  },
  { name: "much comes in, as its reader takes it", ask: `within(() => heard(connect(TALKER, "127.0.0.1")))` },
  {
    name: "much goes out and comes back",
    ask: `(() => { const s: any = connect(ECHO, "127.0.0.1"); s.end("y".repeat(2_000_000)); return within(async () => { const { read, written, error } = await heard(s); return [read, written, error]; }); })()`,
  },
  {
    name: "by async iteration, in an encoding",
    ask: `within(async () => { const s: any = connect(ECHO, "127.0.0.1"); s.setEncoding("utf8"); s.end("é€😀"); let text = ""; for await (const part of s) text += part; return text; })`,
  },
  {
    name: "by pipe",
    ask: `within(async () => { const s: any = connect(ECHO, "127.0.0.1"); const { PassThrough } = await import("node:stream"); const out: any = new PassThrough(); s.pipe(out); s.end("piped"); let text = ""; for await (const part of out) text += part; return text; })`,
  },
  { name: "nobody listens there", ask: `within(() => heard(connect(1, "127.0.0.1")))` },
  {
    name: "the peer breaks off",
    ask: `within(async () => { const { events, error, destroyed } = await heard(connect(BREAKER, "127.0.0.1")); return [events, error.code, destroyed]; })`,
  },
  {
    name: "nothing happens for a time",
    ask: `within(() => new Promise((done) => { const s: any = connect(SILENT, "127.0.0.1"); s.setTimeout(100, () => { const seen = [s.destroyed, s.timeout]; s.destroy(); done(seen); }); }))`,
  },
  {
    name: "destroyed with an error, and before it is connected",
    ask: `within(async () => { const a: any = connect(SILENT, "127.0.0.1"); const b: any = connect(SILENT, "127.0.0.1"); b.destroy(); a.on("connect", () => a.destroy(Object.assign(new Error("mine"), { code: "MINE" }))); const [x, y] = await Promise.all([heard(a), heard(b)]); return [x.events, x.error.code, y.events, y.error ?? null]; })`,
  },
  {
    name: "an abort",
    ask: `within(async () => { const c = new AbortController(); const s: any = new Socket({ signal: c.signal }); const h = heard(s); s.connect(SILENT, "127.0.0.1"); s.on("connect", () => c.abort()); const { error } = await h; return error.code; })`,
  },
  {
    name: "writing to what is over",
    ask: `within(() => new Promise((done) => { const s: any = connect(ECHO, "127.0.0.1"); s.end(); s.on("error", (e: any) => done(e.code)); s.write("late"); }))`,
  },
  {
    name: "wrong arguments",
    ask: `[[], [{}], [70000], [-1], [{ port: 1, host: 5 }], [{ port: {} }]].map((args: any) => caught(() => { const s: any = (connect as any)(...args); s.on("error", () => {}); s.destroy(); return "made"; }))`,
  },
  {
    name: "a list of addresses to refuse",
    ask: `(() => { const b: any = new net.BlockList();
      b.addAddress("123.123.123.123"); b.addRange("10.0.0.1", "10.0.0.10"); b.addSubnet("8592:757c:efae:4e45::", 64, "ipv6"); b.addSubnet("192.168.0.0", 16); b.addAddress("::1", "IPv6"); b.addSubnet("fe80::", 10, "ipv6"); b.addRange("2001:db8::1", "2001:db8::ff", "ipv6");
      const asked: any[] = [["123.123.123.123"], ["10.0.0.3"], ["10.0.0.11"], ["192.168.255.1"], ["192.169.0.1"], ["222.111.111.222"], ["::ffff:7b7b:7b7b", "ipv6"], ["::ffff:123.123.123.123", "ipv6"], ["::ffff:10.0.0.2", "ipv6"], ["8592:757c:efae:4e45:1::2", "ipv6"], ["8592:757c:efae:4e46::", "ipv6"], ["::1", "ipv6"], ["0:0:0:0:0:0:0:1", "ipv6"], ["febf::1", "ipv6"], ["fec0::1", "ipv6"], ["2001:db8::80", "ipv6"], ["2001:DB8:0::100", "ipv6"], ["::a00:3", "ipv6"], ["x"], ["1.2.3.4", "x"], ["10.0.0.3", "IPV4"]];
      return [asked.map((args) => b.check(...args)), b.rules, JSON.stringify(b), new net.BlockList().rules, net.BlockList.isBlockList?.(b), net.BlockList.isBlockList?.({})]; })()`,
  },
  {
    name: "a list of everything, and of one in the other's words",
    ask: `(() => { const all: any = new net.BlockList(); all.addSubnet("::", 0, "ipv6"); const four: any = new net.BlockList(); four.addSubnet("0.0.0.0", 0); const range: any = new net.BlockList(); range.addRange("::", "ffff::", "ipv6"); const mapped: any = new net.BlockList(); mapped.addAddress("::ffff:1.2.3.4", "ipv6"); mapped.addSubnet("::FFFF:9.9.0.0", 112, "ipv6"); mapped.addRange("::ffff:8.0.0.0", "::ffff:8.0.0.9", "ipv6");
      return [all, four, range, mapped].map((one) => [["1.2.3.4"], ["::1", "ipv6"], ["::ffff:1.2.3.4", "ipv6"], ["fe80::1", "ipv6"], ["9.9.1.1"], ["8.0.0.5"]].map(([a, f]: any) => one.check(a, f)).concat(one.rules)); })()`,
  },
  {
    name: "a list that is given wrong arguments",
    ask: `[(b: any) => b.addAddress("1.2.3"), (b: any) => b.addAddress("::1"), (b: any) => b.addAddress("1.2.3.4", "ipv6"), (b: any) => b.addAddress(5), (b: any) => b.addAddress("1.2.3.4", "ipv5"), (b: any) => b.addRange("10.0.0.2", "10.0.0.1"), (b: any) => b.addSubnet("10.0.0.0", 33), (b: any) => b.addSubnet("::", 129, "ipv6"), (b: any) => b.addSubnet("10.0.0.0", "8"), (b: any) => b.addSubnet("10.0.0.0", -1), (b: any) => b.check("fe80::1%eth0", "ipv6"), (b: any) => b.check(5), (b: any) => b.check("1.2.3.4", 4)].map((act) => { const b = new net.BlockList(); try { act(b); return b.rules; } catch (e: any) { return [e.name, e.code]; } })`,
  },
  {
    name: "addresses",
    ask: `["127.0.0.1", "1.2.3", "01.2.3.4", "256.1.1.1", "::1", "::", "fe80::1%eth0", "::ffff:1.2.3.4", "1::2::3", ":::", "", "x", "12345::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", null, 5].map((a: any) => [isIP(a), isIPv4(a), isIPv6(a)])`,
  },
];

const WEBSOCKETS: Question[] = [
  {
    name: "text and bytes go out and come back",
    ask: `within(async () => { const s = web(); const all = said(s, 5); await opened(s); s.send("é€😀"); s.send(new Uint8Array([0, 255])); s.send(new Uint8Array([1, 2, 3]).buffer); s.send(""); const got = await all; const end = closed(s); s.close(); return [got, await end]; })`,
  },
  {
    name: "a protocol is agreed on",
    ask: `within(async () => { const s = web(["other", "chat"]); const first = said(s, 1); await opened(s); const seen = [s.protocol, s.url.endsWith("/p?q=1"), s.extensions, s.readyState, s.OPEN, WebSocket.CLOSED]; const [text] = await first; s.close(3000, "done"); return [seen, text, await closed(s)]; })`,
    differs: {
      reason: "no compression is offered to the peer",
      cordon: [["chat", true, "", 1, 1, 3], '[null,"other,chat"]', [[], 3000, "done", true, 3]],
    },
  },
  {
    name: "the peer closes",
    ask: `within(async () => { const s = web(); const end = closed(s); await opened(s); s.send("close"); return end; })`,
  },
  {
    name: "the peer drops the connection",
    ask: `within(async () => { const s = web(); const end = closed(s); await opened(s); s.send("drop"); const [, ...rest] = await end; return rest; })`,
  },
  {
    name: "many messages in order",
    ask: `within(async () => { const s = web(); const all = said(s, 2001); await opened(s); s.send("many"); const got = await all; s.close(); return [got.length, got[1], got[2000]]; })`,
  },
  {
    name: "nobody listens there, and no WebSocket does",
    ask: `within(async () => [await closed(new WebSocket("ws://127.0.0.1:1")), await closed(new WebSocket("ws://127.0.0.1:" + TALKER))])`,
  },
  {
    name: "wrong arguments",
    ask: `[["x"], ["ftp://x"], ["ws://x/#a"], ["ws://127.0.0.1:1", ["a", "a"]], ["ws://127.0.0.1:1", "a b"]].map(([url, p]: any) => { const e: any = caught(() => new WebSocket(url, p)); return e.name; })`,
  },
  {
    name: "sent too early, and closed too early",
    ask: `within(async () => { const s = web(); const e: any = caught(() => s.send("x")); const codes = [999, 1001, 5000].map((c) => (caught(() => s.close(c)) as any)?.name); const end = closed(s); s.close(); const [seen, code, , clean] = await end; return [e.name, codes, seen, code, clean]; })`,
  },
  {
    name: "closed, it sends nothing and says nothing",
    ask: `within(async () => { const s = web(); await opened(s); const end = closed(s); s.close(); await end; return [s.send("late"), s.close(), s.readyState]; })`,
  },
];

besideNode("node:net and WebSocket", {
  top: TOP,
  questions: [...SOCKETS, ...WEBSOCKETS.map(({ name, ...rest }) => ({ name: `WebSocket: ${name}`, ...rest }))],
  powers: { net: { connect: [...peers.map(({ port }) => `127.0.0.1:${port}`), "127.0.0.1:1"] } },
});
