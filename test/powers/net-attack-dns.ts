import { createSocket } from "node:dgram";
import { promises as dns, type LookupAddress } from "node:dns";
import type { AddressInfo } from "node:net";
import { isIPv6 } from "node:net";
import { onTestFinished } from "vitest";
import type { Lookup } from "../../src/powers/net-lookup.ts";

/** Bytes of an address, as in an answer. */
function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split(".").map(Number));
  const [left = "", right = ""] = address.split("::");
  const groups = (text: string): number[] =>
    text
      .split(":")
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(left), groups(right)];
  const all = [...first, ...Array(8 - first.length - last.length).fill(0), ...last];
  return Buffer.concat(all.map((group: number) => Buffer.from([group >> 8, group & 255])));
}

/**
 * A real name server on this machine whose answers change: the first question gets the first list, and so on,
 * and all further questions get the last one. Their time to live is zero. A and AAAA count as one question.
 */
export async function nameServer(
  answers: readonly (readonly string[])[],
): Promise<{ lookup: Lookup; asked: string[]; port: number }> {
  const asked: string[] = [];
  const server = createSocket("udp4");
  onTestFinished(() => void server.close());
  let turn = 0;
  server.on("message", (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] as number; length > 0; length = query[at] as number) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += length + 1;
    }
    const type = query.readUInt16BE(at + 1);
    if (type === 1) asked.push(labels.join("."));
    const given = (answers[Math.min(turn, answers.length - 1)] ?? []).filter((one) => isIPv6(one) === (type === 28));
    const records = given.map((address) => {
      const data = bytesOf(address);
      const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
      return Buffer.concat([head, data]);
    });
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    server.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), from.port, from.address);
  });
  await new Promise<void>((bound) => server.bind(0, "127.0.0.1", bound));
  const resolver = new dns.Resolver({ timeout: 2000, tries: 1 });
  const { port } = server.address() as AddressInfo;
  resolver.setServers([`127.0.0.1:${port}`]);
  const lookup: Lookup = async (host) => {
    const family = async (kind: "resolve4" | "resolve6", number: number): Promise<LookupAddress[]> => {
      const found = await resolver[kind](host).catch(() => []);
      return found.map((address) => ({ address, family: number }));
    };
    // Both kinds count as one question.
    const all = [...(await family("resolve4", 4)), ...(await family("resolve6", 6))];
    turn++;
    if (all.length === 0) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
    return all;
  };
  return { lookup, asked, port };
}
