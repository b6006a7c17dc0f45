import type { NetGrant } from "../../src/powers/net-grant.ts";
import { startFacts } from "../guest/facts.ts";

/** In scope of each fact: `net`, `raw`, `told` and `web`, which say how a connection came out, and `until`. */
const SCOPE = `const net = require("node:net");
const raw = (method, ...args) => globalThis[Symbol.for("cordon.host")].call(method, args);
const told = (socket) => new Promise((done) => socket.on("error", (e) => done({ code: e.code, message: e.message })).on("connect", () => { done("connected"); socket.destroy(); }));
const web = (url, p) => new Promise((done) => { const s = new WebSocket(url, p); let why; s.onerror = (e) => { why = e.message; }; s.onclose = ({ code }) => done({ code, why }); s.onopen = () => { done("connected"); s.close(); }; });
const until = async (is, ms = 20000) => { for (const end = Date.now() + ms; Date.now() < end && !is(); ) await new Promise((r) => setTimeout(r, 20)); return is(); };
`;

/** A hook that knows these facts and has this grant. */
export const start = (net: NetGrant | undefined, facts: Record<string, string>) =>
  startFacts(Object.fromEntries(Object.entries(facts).map(([name, body]) => [name, SCOPE + body])), {
    grant: { capabilities: net ? { net } : {} },
  });
export const place = (port: number): string => `127.0.0.1:${port}`;
