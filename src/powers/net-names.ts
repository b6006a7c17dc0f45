import type { LookupAddress } from "node:dns";
import { CordonError } from "../base/errors.ts";
import { type Capability, sealed } from "./capability.ts";
import { isPublic } from "./net-address.ts";
import { connectionsOf } from "./net-connections.ts";
import { unlessAborted, within } from "./net-deadline.ts";
import { canonicalHost, isAddress, isLoopback, type NetGrant, namesHost } from "./net-grant.ts";
import type { Lookup } from "./net-lookup.ts";
import { quoted } from "./quoted.ts";

/** What a name is asked for: `lookup` as the machine itself does, or the A or AAAA records of its name servers. */
export type NameQuestion = "lookup" | "resolve4" | "resolve6";
export type AskName = (host: string, question: NameQuestion) => Promise<Named[]>;

/** For an answer, with the wait for a turn. */
const ANSWER_MS = 10_000;

/** An address that a name stands for. `ttl`: s, where a name server said so. */
export type Named = LookupAddress & { ttl?: number };

/** The machine's own lookup takes its turn. Name servers are asked by this process itself, and hold up nobody. */
function askSystem(lookup: Lookup, signal: AbortSignal): AskName {
  return async (host, question) => {
    if (question === "lookup") return lookup(host, signal);
    const family = question === "resolve4" ? 4 : 6;
    const { promises: resolver } = await import("node:dns");
    const records = await unlessAborted(resolver[question](host, { ttl: true }), signal);
    return records.map(({ address, ttl }) => ({ address, ttl, family }));
  };
}

/** More answers than any real name has. */
const MAX_ANSWERS = 100;

/**
 * The addresses of a name that a hook may connect to. What is not on the internet must be granted as an address; a name that has
 * nothing else is refused, with what it is. Each connection asks and judges anew: these answers open nothing.
 */
export async function addressesOf(
  host: string,
  question: NameQuestion,
  grant: NetGrant,
  ask: AskName,
): Promise<Named[]> {
  const found = (await ask(host, question)).slice(0, MAX_ANSWERS);
  const allowed = found.filter(
    ({ address }) =>
      isPublic(address) || namesHost(grant.connect, address) || (host === "localhost" && isLoopback(address)),
  );
  if (allowed.length > 0 || found.length === 0) return allowed;
  throw new CordonError(
    "NOT_GRANTED",
    `${host} is ${found.map(({ address }) => address).join(", ")}, not on the internet: net.connect must name that address`,
  );
}

/** Questions of one hook at once. */
const MAX_ASKED = 2;
const asking = new WeakMap<object, number>();

interface Question {
  readonly host: string;
  readonly question: NameQuestion;
  readonly grant: NetGrant;
}

const resolve: Capability<"net.resolve", NetGrant, [host: string, question: NameQuestion], Question> = {
  // In one spelling: the server of a name could read more from another.
  read: ([host, question]) => {
    const name = canonicalHost(host);
    if (isAddress(name) || !/^[^\s:/?#@[\]\\%*]+$/.test(name))
      throw new TypeError(`${quoted(host)} is no name of a host`);
    return [name, question];
  },
  check: ([host, question], grant) => (grant && namesHost(grant.connect, host) ? { host, question, grant } : undefined),
  async perform({ checked: { host, question, grant } }, circumstances) {
    const { hook } = circumstances;
    const open = asking.get(hook) ?? 0;
    if (open >= MAX_ASKED) throw new CordonError("RATE_LIMITED", `a hook may ask for ${MAX_ASKED} names at once`);
    asking.set(hook, open + 1);
    try {
      const { lookup } = connectionsOf(circumstances);
      return await within(ANSWER_MS, circumstances.signal, "no answer", (signal) =>
        addressesOf(host, question, grant, askSystem(lookup, signal)),
      );
    } finally {
      asking.set(hook, (asking.get(hook) ?? 1) - 1);
    }
  },
  describe: ([host]) => `addresses of ${host}`,
  propose: ([host]) => ({ connect: [`${host}:443`] }),
  waits: "program",
  perMinute: () => 120,
};

export const names = sealed("net.resolve", resolve);
