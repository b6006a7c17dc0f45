import type { LookupAddress } from "node:dns";
import { unlessAborted } from "./net-deadline.ts";
import { Turns } from "./turns.ts";

/** The addresses of a host as the machine itself looks them up. */
export type Lookup = (host: string, signal: AbortSignal) => Promise<LookupAddress[]>;

type AskMachine = (host: string) => Promise<LookupAddress[]>;
const askMachine: AskMachine = async (host) =>
  (await import("node:dns")).promises.lookup(host, { all: true, order: "verbatim" });

/**
 * Lookups of all hooks at once. libuv gives them two of its four threads, and the agent's own lookups need the other one: a name
 * server that does not answer holds a thread for ten seconds and more.
 */
const ALL = new Turns(1);

/**
 * Makes the lookup of one hook. Its lookups wait for each other, so that those of another hook come in between. One that was
 * begun cannot be called off: it keeps its turn until it ends, whoever has given it up.
 */
export function lookupOfHook(ask = askMachine): Lookup {
  const mine = new Turns(1);
  const inTurn: Lookup = async (host, signal) => {
    const ends: (() => void)[] = [];
    try {
      for (const turns of [mine, ALL]) ends.push(await turns.take(signal));
      return await ask(host);
    } finally {
      for (const end of ends) end();
    }
  };
  return (host, signal) => unlessAborted(inTurn(host, signal), signal);
}
