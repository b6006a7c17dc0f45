import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout, setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { elsewhere, inTurn, type Pieces } from "../../src/powers/fs-work.ts";
import { needsTime } from "../support/needs.ts";
import { onToolCall, startSession } from "../support/session.ts";

const never = new AbortController().signal;

/** More than a slice. */
const PIECE_MS = 8;

function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Says when it has done each piece. */
function* said(log: string[], name: string, pieces: number): Pieces<string> {
  for (let at = 1; at <= pieces; at++) {
    busy(PIECE_MS);
    log.push(`${name}${at}`);
    yield;
  }
  return name;
}

/** The agent's own work: one word in each turn of the loop, until `isOver`. */
async function agent(log: string[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    log.push("agent");
    await turn();
  }
}

test("the agent has a turn between any two long pieces, of one hook or of several", async () => {
  const log: string[] = [];
  let open = 3;
  const works = ["a", "b", "c"].map(async (name) => {
    const done = await inTurn({ unread: 0 }, never, () => said(log, name, 4));
    open--;
    return done;
  });
  await Promise.all([...works, agent(log, () => open === 0)]);
  expect(await Promise.all(works)).toEqual(["a", "b", "c"]);
  const pieces = log.filter((word) => word !== "agent");
  expect(pieces.toSorted()).toEqual("a1 a2 a3 a4 b1 b2 b3 b4 c1 c2 c3 c4".split(" "));
  const adjacent = log.filter((word, at) => word !== "agent" && at > 0 && log[at - 1] !== "agent");
  expect(adjacent).toEqual([]);
});

test("short pieces are not parted", async () => {
  // What was done before has had its turn.
  await turn();
  const log: string[] = [];
  function* short(): Pieces<void> {
    for (let at = 0; at < 100; at++) {
      log.push("piece");
      yield;
    }
  }
  await Promise.all([inTurn({ unread: 0 }, never, short), agent(log, () => log.includes("piece"))]);
  expect(log.slice(0, 50)).toEqual(Array(50).fill("piece"));
});

test("a hook that has had its time waits, and another does not", async () => {
  const [greedy, modest] = [{ unread: 0 }, { unread: 0 }];
  await inTurn(greedy, never, () => busy(1800));
  const order: string[] = [];
  const later = inTurn(greedy, never, () => order.push("greedy"));
  for (let at = 0; at < 20; at++) await inTurn(modest, never, () => order.push("modest"));
  expect(order).toEqual(Array(20).fill("modest"));
  await later;
  expect(order.at(-1)).toBe("greedy");
});

test.each(["between two pieces", "while it rests", "before it begins"])(
  "what is aborted %s cleans up, and does no more",
  async (when) => {
    const log: string[] = [];
    const gone = new AbortController();
    function* work(): Pieces<void> {
      try {
        log.push("began");
        if (when === "between two pieces") busy(PIECE_MS);
        yield when === "while it rests" ? 60_000 : undefined;
        log.push("went on");
      } finally {
        log.push("cleaned up");
      }
    }
    if (when === "before it begins") {
      busy(1);
      await inTurn({ unread: 0 }, never, () => busy(PIECE_MS));
    }
    const doing = inTurn({ unread: 0 }, gone.signal, work);
    gone.abort(new Error("revoked"));
    await expect(doing).rejects.toThrow(/revoked|aborted/);
    expect(log).toEqual(when === "before it begins" ? [] : ["began", "cleaned up"]);
  },
);

/** Bytes of answers that a process may have before it, where the next file is read. */
const MOST_UNREAD = 16 * 1024 * 1024;

test("what a hook asks waits until its process has read most of the answers that it has, and others do not wait", async () => {
  const slow = { unread: MOST_UNREAD };
  const order: string[] = [];
  await inTurn(slow, never, () => order.push("at the limit"));
  slow.unread++;
  const later = inTurn(slow, never, () => order.push("beyond it"));
  for (let at = 0; at < 20; at++) {
    await setTimeout(1);
    await inTurn({ unread: 0 }, never, () => order.push("another"));
  }
  expect(order).toEqual(["at the limit", ...Array(20).fill("another")]);
  slow.unread--;
  await later;
  expect(order.at(-1)).toBe("beyond it");
});

test("of one hook four are under way at once, without those that rest or that its process waits for", async () => {
  const [log, over, hook] = [[] as string[], new AbortController(), { unread: 0 }];
  function* waiting(name: string, ...steps: (number | undefined)[]): Pieces<void> {
    log.push(name);
    yield* steps;
    while (!over.signal.aborted) yield () => turn();
  }
  const five = ["1", "2", "3", "4", "5"].map((name) => inTurn(hook, never, () => waiting(name)));
  const another = inTurn({ unread: 0 }, never, () => waiting("another"));
  const blocking = inTurn(hook, never, () => waiting("blocking"), true);
  await setTimeout(20);
  expect(log.splice(0)).toEqual(["1", "2", "3", "4", "another", "blocking"]);
  over.abort();
  await Promise.all([...five, another, blocking]);
  expect(log.splice(0)).toEqual(["5"]);
  const gone = new AbortController();
  const watches = Array.from({ length: 10 }, () => inTurn(hook, gone.signal, () => waiting("watch", 60_000)));
  await inTurn(hook, never, () => waiting("read"));
  expect(log).toEqual([...Array(10).fill("watch"), "read"]);
  gone.abort(new Error("over"));
  await Promise.allSettled(watches);
});

test("what blocks its process does not wait until that has read", async () => {
  expect(await inTurn({ unread: MOST_UNREAD + 1 }, never, () => said([], "read", 3), true)).toBe("read");
});

test("what waits for its process ends with the hook", async () => {
  const gone = new AbortController();
  const doing = inTurn({ unread: MOST_UNREAD + 1 }, gone.signal, () => "done");
  await setTimeout(10);
  gone.abort(new Error("revoked"));
  await expect(doing).rejects.toThrow(/revoked|aborted/);
});

test("what fails in a piece is told as it is", async () => {
  function* work(): Pieces<void> {
    yield;
    throw new Error("no space");
  }
  await expect(inTurn({ unread: 0 }, never, work)).rejects.toThrow("no space");
});

/** A piece on another thread, which takes so long. */
const slow = (log: string[], name: string, ms: number) => async (): Promise<string> => {
  log.push(`${name} began`);
  await setTimeout(ms);
  log.push(`${name} ended`);
  return name;
};

test("what is aborted while another thread has a piece of it ends after that piece, and does no more", async () => {
  const log: string[] = [];
  const gone = new AbortController();
  function* work(): Pieces<void> {
    try {
      yield* elsewhere(slow(log, "piece", 20));
      log.push("went on");
    } finally {
      log.push("cleaned up");
    }
  }
  const doing = inTurn({ unread: 0 }, gone.signal, work);
  gone.abort(new Error("revoked"));
  await expect(doing).rejects.toThrow("revoked");
  expect(log).toEqual(["piece began", "piece ended", "cleaned up"]);
});

test("what fails on another thread fails where it was asked for", async () => {
  const log: string[] = [];
  function* work(): Pieces<void> {
    try {
      yield* elsewhere(() => Promise.reject(new Error("no space")));
    } finally {
      log.push("cleaned up");
    }
  }
  await expect(inTurn({ unread: 0 }, never, work)).rejects.toThrow("no space");
  expect(log).toEqual(["cleaned up"]);
});

test("one hook has one piece on another thread at a time, and another hook need not wait for it", async () => {
  const log: string[] = [];
  const one = { unread: 0 };
  const doing = (hook: { unread: number }, name: string, ms: number) =>
    inTurn(hook, never, () => elsewhere(slow(log, name, ms)));
  expect(await Promise.all([doing(one, "a", 30), doing(one, "b", 1), doing({ unread: 0 }, "c", 1)])).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(log).toEqual(["a began", "c began", "c ended", "a ended", "b began", "b ended"]);
});

test("time on another thread is the hook's, too", async () => {
  const log: string[] = [];
  const doing = inTurn({ unread: 0 }, never, function* (): Pieces<void> {
    yield* elsewhere(slow(log, "greedy", 1800));
    log.push("greedy went on");
  });
  await expect.poll(() => log).toContain("greedy ended");
  for (let at = 0; at < 20; at++) await inTurn({ unread: 0 }, never, () => log.push("modest"));
  await doing;
  expect(log).toEqual(["greedy began", "greedy ended", ...Array(20).fill("modest"), "greedy went on"]);
});

const FILES = {
  events: { see: ["tool_call"], block: true },
  fs: { read: ["$CWD/**"], write: ["$CWD/out/**"], watch: ["$CWD/**"] },
};
const acting = (act: string): string =>
  onToolCall(
    `const fs = require("node:fs"); const done = await (async () => { ${act} })().catch((e) => e.code ?? e.message); return { block: true, reason: JSON.stringify(done) };`,
  );

test("a copy that is revoked on its way leaves nothing of itself", async () => {
  const { host, call, folder } = await startSession({
    copier: {
      source: acting('return fs.promises.copyFile(event.input.from, event.input.to).then(() => "copied");'),
      grant: { capabilities: FILES },
    },
  });
  const work = join(folder, "work");
  mkdirSync(join(work, "out"));
  writeFileSync(join(work, "big"), "");
  truncateSync(join(work, "big"), 64 * 1024 * 1024);
  const copying = call({ from: join(work, "big"), to: join(work, "out", "big") });
  await expect.poll(() => readdirSync(join(work, "out")).length).toBe(1);
  await host.revoke("copier", "fs");
  await copying;
  await expect.poll(() => readdirSync(join(work, "out")).filter((name) => name !== "big")).toEqual([]);
  if (existsSync(join(work, "out", "big"))) expect(readdirSync(join(work, "out"))).toEqual(["big"]);
});

test("a folder that is moved while a file is copied into it gets no file that may not be written there", async () => {
  const { call, folder } = await startSession({
    mover: {
      source: acting(`
        const [from, to] = [event.input.from, event.input.folder + "/d/settings.xml"];
        const making = fs.promises.copyFile(from, to).then(() => "made", () => "not made");
        for (let at = 0; at < 500 && fs.readdirSync(event.input.folder + "/d").length === 0; at++) await null;
        await fs.promises.rename(event.input.folder + "/d", event.input.folder + "/.m2").catch(() => {});
        return making;`),
      grant: { capabilities: { ...FILES, fs: { read: ["$CWD/**"], write: ["$CWD/**"] } } },
    },
  });
  const work = join(folder, "work");
  mkdirSync(join(work, "d"));
  writeFileSync(join(work, "big"), "");
  truncateSync(join(work, "big"), 64 * 1024 * 1024);
  await call({ from: join(work, "big"), folder: work });
  expect(existsSync(join(work, ".m2", "settings.xml"))).toBe(false);
  for (const place of ["d", ".m2"])
    if (existsSync(join(work, place)))
      expect(readdirSync(join(work, place)).filter((name) => name.startsWith(".cordon"))).toEqual([]);
});

test("of a folder with more entries than are listed, no more than that are read", needsTime(), async () => {
  const { call, folder } = await startSession({
    lister: {
      source: acting(
        "return [await fs.promises.readdir(event.input.many).catch((e) => e.code), (await fs.promises.readdir(event.input.most)).length];",
      ),
      grant: { capabilities: FILES },
    },
  });
  const many = join(folder, "work", "many");
  mkdirSync(many);
  for (let at = 0; at < 20_000; at++) writeFileSync(join(many, `f${at}`), "");
  expect(await call({ many: `${many}x`, most: many })).toMatchObject({ reason: '["ENOENT",20000]' });
  writeFileSync(join(many, "one more"), "");
  expect(await call({ many, most: join(folder, "work") })).toMatchObject({ reason: '["EFBIG",1]' });
});
