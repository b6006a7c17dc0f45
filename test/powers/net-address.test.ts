import { networkInterfaces } from "node:os";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPublic } from "../../src/powers/net-address.ts";

const hex = (byte: number): string => byte.toString(16).padStart(2, "0");
const words = (bytes: readonly number[]): string =>
  bytes.reduce((text, byte, at) => text + (at % 2 === 0 && at > 0 ? ":" : "") + hex(byte), "");
const four = (address: string): number[] => address.split(".").map(Number);

/** Every way to embed an IPv4 address in an IPv6 address. */
const CARRIERS: Record<string, (bytes: number[]) => string> = {
  mapped: (bytes) => `::ffff:${words(bytes)}`,
  compatible: (bytes) => `::${words(bytes)}`,
  translated: (bytes) => `::ffff:0:${words(bytes)}`,
  "64:ff9b::/96": (bytes) => `64:ff9b::${words(bytes)}`,
  "64:ff9b:1::/48": (bytes) => `64:ff9b:1:2:3:4:${words(bytes)}`,
  "6to4": (bytes) => `2002:${words(bytes)}::1`,
  "Teredo's client": (bytes) => `2001:0:0808:0808:0:0:${words(bytes.map((byte) => byte ^ 0xff))}`,
  "Teredo's server": (bytes) => `2001:0:${words(bytes)}:0:0:f7f7:f7f7`,
  "ISATAP under a public network": (bytes) => `2606:4700::5efe:${words(bytes)}`,
  "ISATAP, global": (bytes) => `2606:4700::200:5efe:${words(bytes)}`,
  "ISATAP, link-local": (bytes) => `fe80::5efe:${words(bytes)}`,
};

const PRIVATE = [
  ...["127.0.0.1", "127.255.255.255", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1"],
  ...["169.254.169.254", "100.64.0.1", "100.100.100.200", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16"],
];

describe.each(Object.entries(CARRIERS))("IPv4 inside IPv6: %s", (_name, carry) => {
  test.each(PRIVATE)("%s is not on the internet", (address) => {
    expect(isPublic(carry(four(address)))).toBe(false);
  });
  test("nor is the embedded form of any other private address", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), (bytes) => {
        if (!isPublic([...bytes].join("."))) expect(isPublic(carry([...bytes]))).toBe(false);
      }),
    );
  });
});

test.each([
  "8.8.8.8",
  "172.15.0.1",
  "172.32.0.1",
  "2606:4700::1111",
  "2606:4700::5eff:7f00:1",
  "64:ff9b::808:808",
  "::ffff:8.8.8.8",
])("%s is on the internet", (address) => expect(isPublic(address)).toBe(true));

test.each([
  "fe80::1",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
  "::",
  "::1",
  "2001:db8::1",
  "1::1",
  "4000::1",
  "no address",
  "",
])("%s is not", (address) => expect(isPublic(address)).toBe(false));

const card = (address: string, family: "IPv4" | "IPv6") =>
  ({
    address,
    family,
    netmask: "",
    mac: "",
    internal: false,
    cidr: null,
    ...(family === "IPv6" ? { scopeid: 0 } : {}),
  }) as never;

describe("an address of this machine counts as local, even a public one", () => {
  const interfaces = {
    lo: [card("127.0.0.1", "IPv4")],
    eth0: [card("203.1.2.3", "IPv4"), card("2606:4700::99", "IPv6"), card("fe80::9%eth0", "IPv6")],
  };
  test.each([
    ...["203.1.2.3", "2606:4700::99", "2606:4700:0:0:0:0:0:99", "::ffff:203.1.2.3", "::ffff:cb01:203"],
    ...Object.values(CARRIERS).map((carry) => carry(four("203.1.2.3"))),
  ])("%s", (address) => {
    expect(isPublic(address, interfaces)).toBe(false);
  });
  test.each(["203.1.2.4", "2606:4700::98", "64:ff9b::cb01:204"])("%s belongs to a neighbour", (address) =>
    expect(isPublic(address, interfaces)).toBe(true),
  );
});

test("no address of the test machine counts as on the internet", () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  expect(own.length).toBeGreaterThan(0);
  for (const address of own) expect([address, isPublic(address)]).toEqual([address, false]);
});
