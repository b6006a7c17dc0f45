import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Within one provider's machines it is the machine's own keeper, though it looks like anybody's. */
const CLOUD_IPV4 = "168.63.129.16";
const GLOBAL_IPV6 = ipaddr.IPv6.parse("2000::");

/** IPv6 addresses that carry an IPv4 one: what they begin with, and where it is. Later ones are looked for inside it, too. */
const CARRIERS: readonly [range: string, bits: number, at: number][] = [
  ["::", 96, 12],
  ["::ffff:0:0", 96, 12],
  ["::ffff:0:0:0", 96, 12],
  ["64:ff9b::", 96, 12],
  ["64:ff9b:1::", 48, 12],
  ["2002::", 16, 2],
  // Teredo: its server's here, and its client's below.
  ["2001::", 32, 4],
];

/** Ranges of those that lead to anybody on the internet. */
const LEADS_ANYWHERE = ipaddr.IPv6.parse("64:ff9b::");

/** The IPv4 addresses that an IPv6 address carries. */
function carried(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const found = CARRIERS.filter(([range, bits]) => address.match(ipaddr.IPv6.parse(range), bits)).map(([, , at]) =>
    bytes.slice(at, at + 4),
  );
  if (address.match(ipaddr.IPv6.parse("2001::"), 32)) found.push(bytes.slice(12).map((byte) => byte ^ 0xff));
  // ISATAP, under any network's beginning.
  if ((bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe)
    found.push(bytes.slice(12));
  return found.map((part) => new ipaddr.IPv4(part));
}

/** An address that belongs to somebody on the internet: not of this machine, its network, a cloud's own or a reserved one. */
export function isPublic(host: string, interfaces = networkInterfaces()): boolean {
  if (!ipaddr.isValid(host)) return false;
  const parsed = ipaddr.process(host);
  if (isOfThisMachine(parsed, interfaces)) return false;
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === "unicast" && parsed.toString() !== CLOUD_IPV4;
  if (!carried(parsed).every((inside) => isPublic(inside.toString(), interfaces))) return false;
  // Networks without IPv4 reach it through these.
  if (parsed.match(LEADS_ANYWHERE, 96)) return true;
  return parsed.range() === "unicast" && parsed.match(GLOBAL_IPV6, 3);
}

/** A machine that is on the internet itself has a public address, behind which its own services listen. */
function isOfThisMachine(
  address: ipaddr.IPv4 | ipaddr.IPv6,
  interfaces: ReturnType<typeof networkInterfaces>,
): boolean {
  const bytes = address.toByteArray().join();
  return Object.values(interfaces).some((all) =>
    all?.some(({ address: own }) => ipaddr.process(own.replace(/%.*$/, "")).toByteArray().join() === bytes),
  );
}
