import { createSocket } from "node:dgram";
import dns from "node:dns";
import { expect, onTestFinished, test } from "vitest";
import { type AskName, addressesOf } from "../../src/powers/net-names.ts";
import { startFacts } from "../guest/facts.ts";
import { nameServer } from "./net-attack-dns.ts";

const NAME = "rebind.example";
const GRANT = { connect: [`${NAME}:443`] };

/** Asks a real name server on this machine. */
async function answering(answers: readonly (readonly string[])[]): Promise<{ ask: AskName; asked: string[] }> {
  const { lookup, asked } = await nameServer(answers);
  return { ask: (host) => lookup(host, AbortSignal.timeout(5000)), asked };
}

// biome-ignore format: a table
const JUDGED: readonly [claim: string, answers: string[], connect: string[], told: string[] | RegExp][] = [
  ["a public one is told", ["8.8.8.8"], [], ["8.8.8.8"]],
  ["of several, those that are public", ["10.0.0.1", "8.8.8.8", "::1", "2606:4700::1111"], [], ["8.8.8.8", "2606:4700:0:0:0:0:0:1111"]],
  ["a private one alone is refused as what it is", ["10.0.0.1"], [], /is 10\.0\.0\.1, not on the internet/],
  ["all of them", ["10.0.0.1", "169.254.169.254"], [], /10\.0\.0\.1, 169\.254\.169\.254, not on the internet/],
  ["one inside another", ["64:ff9b::7f00:1"], [], /not on the internet/],
  ["one that the grant names, at any port", ["10.0.0.1"], ["10.0.0.1:22"], ["10.0.0.1"]],
  ["one that the grant names beside it does not let others through", ["10.0.0.2"], ["10.0.0.1:22"], /10\.0\.0\.2/],
  ["this machine is no name's but its own", ["127.0.0.1"], [], /127\.0\.0\.1, not on the internet/],
];
test.each(JUDGED)("addresses of a granted name: %s", async (_claim, answers, connect, told) => {
  const { ask } = await answering([answers]);
  const found = addressesOf(NAME, "lookup", { connect: [...GRANT.connect, ...connect] }, ask);
  if (told instanceof RegExp) await expect(found).rejects.toThrow(told);
  else expect((await found).map(({ address }) => address).sort()).toEqual([...told].map(short).sort());
});
const short = (address: string): string => (address.startsWith("2606") ? "2606:4700::1111" : address);

test("a name that changes what it stands for is judged at each question", async () => {
  const { ask } = await answering([["8.8.8.8"], ["127.0.0.1"], ["8.8.4.4"]]);
  const address = async () =>
    addressesOf(NAME, "lookup", GRANT, ask).then(
      ([first]) => first?.address,
      (error) => error.code,
    );
  expect([await address(), await address(), await address()]).toEqual(["8.8.8.8", "NOT_GRANTED", "8.8.4.4"]);
});

/** A hook that asks the name servers of the host, which are on this machine. */
async function asking(connect: string[], facts: Record<string, string>, answers = [["8.8.8.8"]]) {
  const { asked, port } = await nameServer(answers);
  const before = dns.getServers();
  dns.setServers([`127.0.0.1:${port}`]);
  onTestFinished(() => dns.setServers(before));
  const session = await startFacts(facts, { grant: { capabilities: { net: { connect } } } });
  return { ...session, asked };
}
const resolves = (name: string): string =>
  `const { resolve4 } = require("node:dns").promises; try { return await resolve4(${JSON.stringify(name)}, { ttl: true }); } catch (e) { return [e.code, e.message]; }`;

// biome-ignore format: a table
const NAMES: readonly [claim: string, name: string, heard: boolean][] = [
  ["as it is granted", NAME, true],
  ["in letters of other case, which could carry a message", "ReBiNd.eXaMpLe", true],
  ["below a granted one, which could carry a message", `secret.${NAME}`, false],
  ["above it", "example", false],
  ["with a dot at its end", `${NAME}.`, false],
  ["of another host", "other.example", false],
  ["that only begins so", `${NAME}.evil.example`, false],
  ["with a port", `${NAME}:443`, false],
  ["in Unicode that looks like it", "rebínd.example", false],
];
test.each(NAMES)("a name %s", async (_claim, name, heard) => {
  const { ask, asked } = await asking([`${NAME}:443`], { it: resolves(name) });
  const told = await ask("it");
  expect(asked).toEqual(heard ? [NAME] : []);
  if (heard) expect(told).toEqual([{ address: "8.8.8.8", ttl: 0 }]);
  else expect(["NOT_GRANTED", "ENOTFOUND"]).toContain((told as string[])[0]);
});

test("without the grant no name server is asked, and the refusal proposes one place", async () => {
  const { ask, asked, errors } = await asking([], { it: resolves(NAME) });
  expect(await ask("it")).toEqual(["NOT_GRANTED", expect.stringContaining("was not granted net")]);
  expect(asked).toEqual([]);
  expect(errors[0]?.wanted).toEqual({ capability: "net", grant: { connect: [`${NAME}:443`] } });
});

test("a private address is refused with its reason, also as a record", async () => {
  const { ask } = await asking([`${NAME}:443`], { it: resolves(NAME) }, [["192.168.1.1"]]);
  expect(await ask("it")).toEqual(["NOT_GRANTED", expect.stringContaining("192.168.1.1, not on the internet")]);
});

test("two names at once, and no more, for a hook that asks past the module", async () => {
  const { ask } = await asking([`${NAME}:443`], {
    it: `const host = globalThis[Symbol.for("cordon.host")]; const one = () => host.call("net.resolve", [${JSON.stringify(NAME)}, "resolve4"]).then(() => "told", (e) => e.code); const all = [one(), one(), one()]; return Promise.race([all[2], Promise.any(all)]);`,
  });
  const silent = createSocket("udp4");
  await new Promise<void>((bound) => silent.bind(0, "127.0.0.1", bound));
  onTestFinished(() => void silent.close());
  dns.setServers([`127.0.0.1:${silent.address().port}`]);
  expect(await ask("it")).toBe("RATE_LIMITED");
});

test.each(["10.0.0.1", "a b", "", "[::1]", "a/b"])("%j past the module is no name", async (name) => {
  const { ask } = await asking([`${NAME}:443`, "10.0.0.1:1"], {
    it: `const host = globalThis[Symbol.for("cordon.host")]; try { return await host.call("net.resolve", [${JSON.stringify(name)}, "lookup"]); } catch (e) { return "refused"; }`,
  });
  expect(await ask("it")).toBe("refused");
});
