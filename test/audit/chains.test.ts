import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { EMPTY, nextLine } from "../../src/audit/line.ts";
import { auditFiles, SHARED } from "../../src/audit/log-files.ts";
import { OwnChain, STATED_WITHIN_MS } from "../../src/audit/own-chain.ts";
import { readAudit } from "../../src/audit/read.ts";
import { SharedChain } from "../../src/audit/shared-chain.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { temporaryFolder } from "../support/session.ts";

const DAYS = ["2026-01-01", "2026-01-02"] as const;
let folder: string;

const ms = (time: string): number => Date.parse(time);
const at = (seconds: number, day: string = DAYS[0]): string =>
  new Date(ms(`${day}T10:00:00.000Z`) + seconds * 1000).toISOString();

/** Writes a line of a hook into a chain, at a time. The clock of the shared chain's days follows. */
function write(chain: OwnChain | SharedChain, hook: string, time: string): void {
  vi.setSystemTime(ms(time));
  chain.append(time.slice(0, 10), (head) => nextLine(head, time, { hook, event: "tool_call", outcome: "pass" }));
}

const faults = async (): Promise<string[]> =>
  (await Array.fromAsync(verifyAudit(folder))).flatMap(({ fault }) => fault ?? []);

const names = (): string[] => (existsSync(folder) ? auditFiles(folder) : []).map(({ name }) => name);
const shared = (day: string): string => `${day}.jsonl`;
const text = (name: string): string => readFileSync(join(folder, name), "utf8");
const lines = (name: string): string[] => text(name).trimEnd().split("\n");
const put = (name: string, all: readonly string[]): void =>
  writeFileSync(join(folder, name), all.map((one) => `${one}\n`).join(""));

beforeEach(() => {
  folder = join(temporaryFolder(), "audit");
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => void vi.useRealTimers());

/**
 * A log of two days: `first` ended on the first day, `second` goes on into the second and has ended, `third` still runs, and
 * short commands wrote into the shared chain. Returns the files of each.
 */
function threeChains(): { first: string; second: [string, string]; third: string; open: OwnChain } {
  const [one, two, three] = [new OwnChain(folder), new OwnChain(folder), new OwnChain(folder)];
  const command = new SharedChain(folder);
  write(one, "a", at(0));
  const first = names().find((name) => name !== shared(DAYS[0])) as string;
  for (let turn = 1; turn < 4; turn++) write(one, "a", at(turn));
  write(two, "b", at(4));
  const second = names().find((name) => name !== shared(DAYS[0]) && name !== first) as string;
  write(command, "c", at(5));
  command.endTurn();
  one.end();
  vi.advanceTimersByTime(STATED_WITHIN_MS);
  write(two, "b", at(0, DAYS[1]));
  write(three, "d", at(1, DAYS[1]));
  write(two, "b", at(2, DAYS[1]));
  two.end();
  write(three, "d", at(3, DAYS[1]));
  vi.advanceTimersByTime(STATED_WITHIN_MS);
  write(three, "d", at(6, DAYS[1]));
  const later = second.replace(DAYS[0], DAYS[1]);
  const third = names().find((name) => name.startsWith(DAYS[1]) && name !== later && name !== shared(DAYS[1]));
  return { first, second: [second, later], third: third as string, open: three };
}

type Chains = ReturnType<typeof threeChains>;
const remove = (...gone: readonly string[]): void => {
  for (const name of gone) rmSync(join(folder, name));
};
const without = (name: string, ...gone: readonly number[]): void =>
  put(
    name,
    lines(name).filter((_, index, all) => !gone.includes(index) && !gone.includes(index - all.length)),
  );
const swap = (one: string, two: string): void => {
  renameSync(join(folder, one), join(folder, "x"));
  renameSync(join(folder, two), join(folder, one));
  renameSync(join(folder, "x"), join(folder, two));
};

/** What somebody does to the log who cannot rewrite the whole of it. */
const ATTACKS: Record<string, (chains: Chains) => void> = {
  "a chain is deleted": ({ first }) => remove(first),
  "a chain that still runs is deleted": ({ third }) => remove(third),
  "a chain of two days is deleted": ({ second }) => remove(...second),
  "the first day of a chain is deleted": ({ second: [day] }) => remove(day),
  "the last day of a chain is deleted": ({ second: [, day] }) => remove(day),
  "all chains but the shared one are deleted": ({ first, second, third }) => remove(first, ...second, third),
  "the shared chain is deleted": () => remove(...DAYS.map(shared)),
  "the first day of the shared chain is deleted": () => remove(shared(DAYS[0])),
  "the last day of the shared chain is deleted": () => remove(shared(DAYS[1])),
  "the first day is deleted": ({ first, second }) => remove(first, second[0], shared(DAYS[0])),
  "a chain loses its newest line": ({ first }) => without(first, -1),
  "a chain that still runs loses what was seen": ({ third }) => without(third, -1, -2, -3),
  "a chain loses all but its first line": ({ first }) => put(first, lines(first).slice(0, 1)),
  "a chain is emptied": ({ first }) => put(first, []),
  "a chain loses a line in the middle": ({ first }) => without(first, 2),
  "a chain loses its first line": ({ first }) => without(first, 0),
  "the shared chain loses its newest line, which a chain has seen": () => without(shared(DAYS[1]), -1),
  "the shared chain forgets a chain": ({ first }) =>
    put(
      shared(DAYS[0]),
      lines(shared(DAYS[0])).filter((line) => !line.includes(first.slice(11, 27))),
    ),
  "two lines of a chain change places": ({ first }) => put(first, lines(first).toSorted().reverse()),
  "a line changes": ({ first }) => writeFileSync(join(folder, first), text(first).replace('"pass"', '"fail"')),
  "a line of the shared chain changes": () =>
    writeFileSync(join(folder, shared(DAYS[0])), text(shared(DAYS[0])).replace('"hook":"c"', '"hook":"x"')),
  "two chains change their names": ({ first, second: [second] }) => swap(first, second),
  "a day of a chain becomes one of another": ({ second: [, second], third }) => swap(second, third),
  "a chain is copied under another id": ({ first }) =>
    cpSync(join(folder, first), join(folder, first.replace(/\.[0-9a-f]{16}/, ".0123456789abcdef"))),
  "a whole chain is made up": () => {
    let head = EMPTY;
    put(
      `${DAYS[0]}.0123456789abcdef.jsonl`,
      ["x", "y"].map((hook) => {
        const next = nextLine(head, at(1), { hook, outcome: "pass" });
        head = next.head;
        return next.text.trimEnd();
      }),
    );
  },
  "a chain goes on after its end": ({ first }) => {
    const all = lines(first);
    const head = { seq: all.length, prev: hashOf(all.at(-1) as string) };
    put(first, [...all, nextLine(head, at(9), { hook: "x", outcome: "pass" }).text.trimEnd()]);
  },
  "a chain is written anew from a line on": ({ first }) => rewrite(first, 2),
  "the shared chain is written anew from a line on": () => rewrite(shared(DAYS[1]), 1),
  "a chain speaks of another": ({ third }) => {
    const all = lines(third);
    const value = `0123456789abcdef 1 ${EMPTY.prev}`;
    const fact = { hook: "", event: "chain", value, outcome: "seen" };
    put(third, [
      ...all,
      nextLine({ seq: all.length, prev: hashOf(all.at(-1) as string) }, at(9, DAYS[1]), fact).text.trimEnd(),
    ]);
  },
};

const hashOf = (line: string): string => hash("sha256", line);

/** Makes a line pass for a block, and gives every later one of the file its new hash. */
function rewrite(name: string, from: number): void {
  const all = lines(name);
  let head = { seq: from, prev: hashOf(all[from - 1] as string) };
  for (let index = from; index < all.length; index++) {
    const { seq: _seq, time, prev: _prev, ...fact } = JSON.parse(all[index] as string);
    const next = nextLine(head, time, index === from ? { ...fact, outcome: "block" } : fact);
    all[index] = next.text.trimEnd();
    head = next.head;
  }
  put(name, all);
}

describe("somebody changes the log", () => {
  test("left alone, it has no fault, and its lines come in the order of time", async () => {
    const { open } = threeChains();
    expect(await faults()).toEqual([]);
    const hooks = (await Array.fromAsync(readAudit(folder))).map(({ hook }) => hook).join("");
    expect(hooks).toBe("aaaabcbdbdd");
    open.end();
    expect(await faults()).toEqual([]);
  });

  test.each(Object.entries(ATTACKS))("%s: it is found", async (_name, act) => {
    const chains = threeChains();
    act(chains);
    expect(await faults()).not.toEqual([]);
  });

  test("the newest lines of all chains are cut at one moment: this alone is not found without a hash that was kept", async () => {
    const { open, third } = threeChains();
    const kept = hashOf(lines(shared(DAYS[1])).at(-1) as string);
    const before = new Map(names().map((name) => [name, text(name)]));
    write(open, "d", at(8, DAYS[1]));
    vi.advanceTimersByTime(STATED_WITHIN_MS);
    const newest = hashOf(lines(shared(DAYS[1])).at(-1) as string);
    expect(lines(third).length).toBeGreaterThan((before.get(third) as string).trimEnd().split("\n").length);
    for (const [name, old] of before) writeFileSync(join(folder, name), old);
    expect(await faults()).toEqual([]);
    const hashes = (await Array.fromAsync(verifyAudit(folder))).map(({ hash }) => hash);
    expect([hashes.includes(kept), hashes.includes(newest)]).toEqual([true, false]);
  });

  test.each([
    ["one chain", ({ third }: Chains) => [third]],
    ["the shared chain", () => [shared(DAYS[1])]],
  ])("%s is put back to what it was before: it is found", async (_name, which) => {
    const chains = threeChains();
    const old = which(chains).map((name) => [name, text(name)] as const);
    for (const turn of [8, 10]) {
      write(chains.open, "d", at(turn, DAYS[1]));
      vi.advanceTimersByTime(STATED_WITHIN_MS);
    }
    write(chains.open, "d", at(12, DAYS[1]));
    for (const [name, content] of old) writeFileSync(join(folder, name), content);
    expect(await faults()).not.toEqual([]);
  });
});

test("a host notices that its file was removed, cut or lengthened, begins a new chain, and the log shows it", async () => {
  for (const act of [
    (name: string) => rmSync(join(folder, name)),
    (name: string) => truncateSync(join(folder, name), 10),
    (name: string) => writeFileSync(join(folder, name), "{}\n", { flag: "a" }),
  ]) {
    const chain = new OwnChain(folder);
    const known = names();
    write(chain, "a", at(0));
    const [own] = names().filter((name) => !known.includes(name) && name !== shared(DAYS[0]));
    act(own as string);
    write(chain, "a", at(1));
    const later = names().filter((name) => ![...known, own].includes(name) && name !== shared(DAYS[0]));
    expect(later).toHaveLength(1);
    expect(lines(later[0] as string)).toHaveLength(2);
    chain.end();
    expect((await faults()).length).toBeGreaterThan(0);
    rmSync(folder, { recursive: true });
  }
});

test("a torn line in the shared chain is cut off before the next one, and takes nothing else with it", async () => {
  const command = new SharedChain(folder);
  write(command, "a", at(0));
  command.end();
  writeFileSync(join(folder, shared(DAYS[0])), '{"seq":2,"time":"2026', { flag: "a" });
  expect((await Array.fromAsync(verifyAudit(folder))).map(({ fault, note }) => fault ?? note)).toEqual([
    undefined,
    expect.stringContaining("not written whole"),
  ]);
  write(command, "b", at(1));
  command.end();
  expect(lines(shared(DAYS[0])).map((line) => JSON.parse(line).hook)).toEqual(["a", "b"]);
  expect(await faults()).toEqual([]);
});

test("while the shared chain cannot be reached for long, no line is written; then it goes on", async () => {
  const chain = new OwnChain(folder);
  write(chain, "a", at(0));
  const path = join(folder, shared(DAYS[0]));
  const kept = readFileSync(path);
  rmSync(path);
  mkdirSync(path);
  for (let turn = 1; turn <= 5; turn++) {
    write(chain, "a", at(turn));
    vi.advanceTimersByTime(STATED_WITHIN_MS);
  }
  expect(() => write(chain, "a", at(7))).toThrow(/not a regular file|EISDIR/);
  rmSync(path, { recursive: true });
  writeFileSync(path, kept);
  write(chain, "a", at(8));
  chain.end();
  expect(await faults()).toEqual([]);
});

test("the chain of a process that was killed is ended by the next one, and one that another process still writes is not", async () => {
  vi.useRealTimers();
  const home = join(folder, "..");
  const program = `
    import { Audit } from ${JSON.stringify(join(PACKAGE_ROOT, "src/audit/audit.ts"))};
    const log = new Audit(process.argv[1], { report: console.error });
    log.write({ hook: "killed", outcome: "pass" });
    console.log("written");
    setInterval(() => {}, 1000);`;
  const start = async () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, home], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    return child;
  };
  const [dies, runs] = [await start(), await start()];
  dies.kill("SIGKILL");
  await once(dies, "exit");
  const chain = new OwnChain(folder);
  const today = new Date().toISOString();
  chain.append(today.slice(0, 10), (head) => nextLine(head, today, { hook: "next", outcome: "pass" }));
  const outcomes = lines(shared(today.slice(0, 10))).map((line) => JSON.parse(line).outcome);
  // A head, if starting took longer than a second.
  expect(outcomes.filter((outcome) => outcome !== "head")).toEqual(["begin", "begin", "died", "begin"]);
  expect(readdirSync(folder).filter((name) => name.endsWith(".open"))).toHaveLength(2);
  chain.end();
  runs.kill("SIGKILL");
  await once(runs, "exit");
  expect(await faults()).toEqual([]);
  expect(auditFiles(folder).filter(({ chain: id }) => id !== SHARED)).toHaveLength(3);
});

test("a clock that is set back over midnight stops no line, and what is written then is no fault", async () => {
  const [own, other, command] = [new OwnChain(folder), new OwnChain(folder), new SharedChain(folder)];
  const [before, after] = ["2026-01-01T23:59:00.000Z", "2026-01-02T00:01:00.000Z"];
  for (const time of [before, after, before, after]) {
    write(own, "a", time);
    write(command, "c", time);
    command.endTurn();
    vi.advanceTimersByTime(STATED_WITHIN_MS);
  }
  // One that begins while the clock is behind, and a process that knows nothing of the others.
  write(other, "b", before);
  const fresh = new SharedChain(folder);
  write(fresh, "d", before);
  fresh.end();
  for (const chain of [own, other, command]) chain.end();
  expect(await faults()).toEqual([]);
  const hooks = names().flatMap((name) => lines(name).map((line) => JSON.parse(line).hook));
  expect(hooks.filter((hook) => /^[a-d]$/.test(hook)).sort()).toEqual([..."aaaabccccd"]);
});

test("a clock that ran days ahead and is right again leaves one fault, and no more with each process", async () => {
  const days = 24 * 60 * 60 * 1000;
  const at = (time: number): string => new Date(time).toISOString();
  const now = Date.now();
  const process = (hook: string): void => {
    const chain = new SharedChain(folder);
    write(chain, hook, at(Date.now()));
    chain.end();
  };
  process("before");
  vi.setSystemTime(now + 5 * days);
  process("ahead");
  vi.setSystemTime(now);
  process("first");
  expect(await faults()).toHaveLength(1);
  for (const hook of ["second", "third"]) process(hook);
  expect(await faults()).toHaveLength(1);
  vi.setSystemTime(now + 6 * days);
  process("later");
  expect(await faults()).toHaveLength(1);
});
