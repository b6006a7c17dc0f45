/** What a hook has ended leaves nothing in the agent's process. */
import { setTimeout as delay } from "node:timers/promises";
import { queryObjects, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { OpenRequests } from "../../src/broker/open-requests.ts";
import { AddedList } from "../../src/powers/added-list.ts";
import { Channels } from "../../src/powers/channels.ts";
import { OwnAgents } from "../../src/powers/own-agents.ts";
import { DatabaseConnection } from "../../src/powers/sqlite-connection.ts";
import { startFacts } from "../guest/facts.ts";
import { granted, MODEL } from "./provider-facts.ts";

/** Each way in which something begins to last, and ends by itself. */
const LASTING: Record<string, () => { end: () => void; over: AbortSignal }> = {
  "something added": () => {
    const { end, gone } = new AddedList("provider").add("gate", "a", {}, 1);
    return { end, over: gone };
  },
  "something added in the place of another": () => {
    const list = new AddedList("provider");
    const { gone } = list.add("gate", "a", {}, 1);
    return { end: () => list.add("gate", "a", {}, 1), over: gone };
  },
  "something added that its hook removes": () => {
    const list = new AddedList("provider");
    const { gone } = list.add("gate", "a", {}, 1);
    return { end: () => list.remove("gate", "a"), over: gone };
  },
  "a channel that is listened to again": () => {
    const channels = new Channels();
    const { signal } = channels.listen("news", "gate");
    return { end: () => channels.listen("news", "gate"), over: signal };
  },
  "an agent": () => {
    const agent = new OwnAgents().begin("gate", { tools: [], own: [] });
    return { end: () => agent.end("it is done"), over: agent.over };
  },
};

test.each(Object.entries(LASTING))("%s is kept until it is over", (_what, begin) => {
  const requests = new OpenRequests();
  const request = requests.begin(1, 0);
  let ended = 0;
  const [kept, done] = [begin(), begin()];
  requests.last(request, () => ended++, kept.over);
  requests.last(request, () => ended++, done.over);
  done.end();
  expect([kept.over.aborted, done.over.aborted]).toEqual([false, true]);
  requests.clear();
  expect(ended).toBe(1);
});

test("what is over before it is kept is not kept, and what comes too late is ended", () => {
  const requests = new OpenRequests();
  const request = requests.begin(1, 0);
  let ended = 0;
  requests.last(request, () => ended++, AbortSignal.abort());
  requests.clear();
  expect(ended).toBe(0);
  requests.last(request, () => ended++, new AbortController().signal);
  expect(ended).toBe(1);
});

test("a channel that a hook listens to again brings each message once", () => {
  const channels = new Channels();
  const heard: string[] = [];
  channels.carriedBy((hook) => heard.push(hook));
  for (let time = 0; time < 3; time++) channels.listen("news", "gate");
  channels.emit("other", { channel: "news", data: 1 });
  expect(heard).toEqual(["gate"]);
});

/** Bytes that are in use on the heap. */
async function used(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let time = 0; time < 3; time++) {
    collect();
    await delay(20);
  }
  return process.memoryUsage().heapUsed;
}

test("a hook's providers and databases are gone from the memory once it ended them", async () => {
  const { ask, host } = await startFacts(
    {
      providers: `const models = (at: number) => Array.from({ length: 40 }, (_, n) => ({ ...${JSON.stringify(MODEL)}, id: "m" + n,
          compat: { note: (at + "-" + n + "-").padEnd(10000, "x") } }));
        for (let at = 0; at < 60; at++) {
          pi.registerProvider("my-llm", { baseUrl: "https://api.example.com/v1", api: "openai-completions", apiKey: "k", models: models(at) });
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        pi.unregisterProvider("my-llm");
        return "done";`,
      databases: `const { DatabaseSync } = require("node:sqlite");
        for (let at = 0; at < 10; at++) new DatabaseSync(":memory:").close();
        return "done";`,
    },
    {
      grant: {
        capabilities: {
          ...granted([{ name: "my-llm", url: "https://api.example.com/v1" }]).capabilities,
          sqlite: [{ path: ":memory:" }],
        },
      },
    },
  );
  expect(await ask("databases")).toBe("done");
  // The last one may still be on its way.
  expect(queryObjects(DatabaseConnection, { format: "count" })).toBeLessThan(3);
  const before = await used();
  expect(await ask("providers")).toBe("done");
  await expect.poll(() => host.providers.all).toEqual([]);
  // Each of the sixty has 0.4 MB.
  expect((await used()) - before).toBeLessThan(8_000_000);
});
