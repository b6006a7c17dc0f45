import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Connections } from "../../src/powers/net-connections.ts";
import { dial, dialSecurely } from "../../src/powers/net-dial.ts";
import { lookupOfHook } from "../../src/powers/net-lookup.ts";
import { needsTime } from "../support/needs.ts";
import { forThisTest, tcpPeer } from "./net-peers.ts";

/** A machine whose name servers answer when the test says so. */
function machine() {
  const running: { host: string; answer: (address: string) => void }[] = [];
  let most = 0;
  const asked: string[] = [];
  const ask = (host: string) =>
    new Promise<{ address: string; family: number }[]>((resolve) => {
      asked.push(host);
      const one = {
        host,
        answer: (address: string) => {
          running.splice(running.indexOf(one), 1);
          resolve([{ address, family: 4 }]);
        },
      };
      running.push(one);
      most = Math.max(most, running.length);
    });
  return { ask, asked, running, most: () => most };
}

const signal = (): AbortSignal => AbortSignal.timeout(10_000);

test("of all hooks one name is looked up at a time, and hooks take turns", async () => {
  const { ask, asked, running, most } = machine();
  const [one, other] = [lookupOfHook(ask), lookupOfHook(ask)];
  const all = [
    one("a1", signal()),
    one("a2", signal()),
    one("a3", signal()),
    other("b1", signal()),
    other("b2", signal()),
  ];
  for (let at = 0; at < all.length; at++) {
    await expect.poll(() => running.length).toBe(1);
    running[0]?.answer("8.8.8.8");
  }
  expect(await Promise.all(all)).toHaveLength(5);
  expect(most()).toBe(1);
  expect(asked).toEqual(["a1", "b1", "a2", "b2", "a3"]);
});

const WAYS: readonly [name: string, dialled: typeof dial][] = [
  ["plain", dial],
  ["secure", dialSecurely],
];
test.each(WAYS)("an aborted lookup is given up at once, and its turn ends with the lookup: %s", async (_name, open) => {
  const { ask, asked, running } = machine();
  const peer = await forThisTest(tcpPeer(() => {}));
  const lookup = lookupOfHook(ask);
  const dialled = (host: string, with_: AbortSignal) =>
    open({ host, port: peer.port }, { connect: [`${host}:${peer.port}`, `127.0.0.1:${peer.port}`] }, with_, lookup);
  const [first, second] = [new AbortController(), new AbortController()];
  const slow = dialled("slow.example", first.signal);
  const waiting = dialled("waiting.example", second.signal);
  const third = lookup("third.example", signal());
  await expect.poll(() => asked).toEqual(["slow.example"]);
  first.abort(new Error("no more"));
  second.abort(new Error("nor this"));
  await expect(slow).rejects.toThrow("no more");
  await expect(waiting).rejects.toThrow("nor this");
  await delay(50);
  expect(asked).toEqual(["slow.example"]);
  running[0]?.answer("127.0.0.1");
  await expect.poll(() => asked).toEqual(["slow.example", "third.example"]);
  running[0]?.answer("127.0.0.1");
  expect(await third).toEqual([{ address: "127.0.0.1", family: 4 }]);
  // What was given up is not dialled when its answer comes.
  expect(peer.open.size).toBe(0);
});

test(
  "a connection whose name is not looked up in ten seconds is given up, and its place is free",
  needsTime(),
  async () => {
    const { ask, running } = machine();
    // Other tests of this process wait for these lookups, too.
    onTestFinished(() => {
      for (const one of [...running]) one.answer("8.8.8.8");
    });
    const connections = new Connections(lookupOfHook(ask));
    const grant = { connect: ["slow.example:80"] };
    const all = Array.from({ length: 9 }, () =>
      connections.dialInTurn(AbortSignal.timeout(10_500), (limited) =>
        dial({ host: "slow.example", port: 80 }, grant, limited, connections.lookup),
      ),
    );
    const eight = await Promise.allSettled(all.slice(0, 8));
    for (const { reason } of eight as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: "ETIMEDOUT", message: "no connection within 10 s" });
    // The ninth has ten seconds of its own, from its turn on.
    await expect(all[8]).rejects.toMatchObject({ name: "TimeoutError" });
  },
);
