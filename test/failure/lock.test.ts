import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { removeDrafts, writeAtomically } from "../../src/disk/atomic-file.ts";
import { withLock } from "../../src/disk/lock-file.ts";
import { ownerName, whereabouts } from "../../src/disk/process-owner.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/session.ts";

const PROGRAM = fileURLToPath(new URL("./lock-program.ts", import.meta.url));

function start(command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const program = (...args: string[]): ChildProcess => start(process.execPath, [PROGRAM, ...args]);
const ended = (child: ChildProcess) =>
  new Promise((resolve) => child.on("close", (code, signal) => resolve(signal ?? code)));
const line = (child: ChildProcess) =>
  new Promise<string>((resolve) =>
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once("line", resolve),
  );

const PUT: { name: string; put(lock: string): void }[] = [
  { name: "a stale lock of an earlier version", put: (file) => aged(file, -10) },
  { name: "a lock with a date in the future", put: (file) => aged(file, 36_000) },
  { name: "a link to nothing", put: (file) => symlinkSync("/nowhere/at/all", file) },
  { name: "a link to a file", put: (file) => symlinkSync("/etc/hostname", file) },
  { name: "a folder that is not empty", put: (file) => mkdirSync(join(file, "inside"), { recursive: true }) },
  { name: "a file as long as a log", put: (file) => writeFileSync(file, "x".repeat(1_000_000)) },
  { name: "the lock of a process that ended", put: (file) => symlinkSync(named({ p: "999999999" }), file) },
  {
    name: "such a lock in a file, as on systems without links",
    put: (file) => writeFileSync(file, named({ p: "999999999" })),
  },
  { name: "a lock from before the machine booted", put: (file) => symlinkSync(named({ b: "0123ab" }), file) },
  {
    name: "the lock of a process whose number belongs to another process now",
    put: (file) => symlinkSync(named({ s: "1" }), file),
  },
  {
    name: "a lock that a killed process was about to break",
    put: (file) => {
      symlinkSync(named({ p: "999999999" }), file);
      symlinkSync(named({ p: "999999998" }), `${file}.breaking`);
    },
  },
];

function aged(file: string, seconds: number): void {
  writeFileSync(file, "");
  const time = Date.now() / 1000 + seconds;
  utimesSync(file, time, time);
}

/** The name of a lock's owner that differs from this process in some parts: m(achine), b(oot), n(amespace), p(rocess), s(tart). */
const named = (parts: Record<string, string>): string =>
  `${ownerName()
    .split("-")
    .map((part) => `${part[0]}${parts[part[0] as string] ?? part.slice(1)}`)
    .join("-")}.01234567`;

test.each(PUT)("$name does not delay the next process", ({ put }) => {
  const path = join(temporaryFolder(), "chain");
  put(`${path}.lock`);
  expect(withLock(path, () => "done")).toBe("done");
  expect(withLock(path, () => "again")).toBe("again");
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

const HELD: [name: string, owner: () => string, says: RegExp][] = [
  [
    "a process that is running",
    () => named({}),
    /chain\.lock is held by process \d+, which is running; try again when it is done$/,
  ],
  ["the first process of this machine", () => named({ p: "1", s: "" }), /held by process 1, which is running/],
  [
    "another machine",
    () => named({ m: "0123abcd" }),
    /chain\.lock is held by process \d+ of another machine or container; if that is not there any more, remove the file$/,
  ],
  ["another machine that booted since", () => named({ m: "0123abcd", b: "0123ab" }), /another machine/],
  [
    "another container",
    () => named({ n: "0123ab" }),
    /another machine or container; if that is not there any more, remove the file$/,
  ],
  [
    "another container, under an unused number",
    () => named({ n: "0123ab", p: "999999999" }),
    /another machine or container/,
  ],
];

test.each(HELD)("a lock of %s is never broken, however old it is", (_name, owner, says) => {
  const path = join(temporaryFolder(), "chain");
  const ways = [
    { put: symlinkSync, patience: 550 },
    { put: (text: string, file: string) => writeFileSync(file, text), patience: 20 },
  ];
  for (const { put, patience } of ways) {
    put(owner(), `${path}.lock`);
    expect(() => withLock(path, () => {}, patience)).toThrow(says);
    execFileSync("rm", [`${path}.lock`]);
  }
});

test("a machine without an identity may be another machine", () => {
  expect(whereabouts(named({ m: "" }).replace(/\..*/, ""))).toBe("elsewhere");
});

test.each([
  "",
  "x",
  "p1",
  "m-b-n-p-s",
  "mx-b-n-p1-s",
  "../../etc/passwd",
  "m-b-n-p1-s\n",
  `m-b-n-p${"9".repeat(40)}-s`,
])("%j names no process", (text) => {
  expect(whereabouts(text)).toBeUndefined();
});

test("waiting for a lock that another program keeps fresh ends in an error", async () => {
  const path = join(temporaryFolder(), "chain");
  const holder = start("/bin/sh", ["-c", `while :; do touch '${path}.lock'; sleep 0.05; done`]);
  while (!existsSync(`${path}.lock`)) await new Promise((done) => setTimeout(done, 10));
  expect(() => withLock(path, () => "done")).toThrow("chain.lock is held by another program");
  holder.kill("SIGKILL");
});

test("a process that holds a lock for long loses nothing: on a slow disk others wait", async () => {
  const path = join(temporaryFolder(), "count");
  const all = [1, 2, 3, 4].map(() => ended(program(path, "slowly")));
  expect(await Promise.all(all)).toEqual([0, 0, 0, 0]);
  expect(readFileSync(path, "utf8")).toBe("4");
});

test("processes that are killed while they hold a lock delay no other, and no count of the others is lost", async () => {
  const path = join(temporaryFolder(), "count");
  const counting = [1, 2, 3].map(() => ended(program(path, "count", "60")));
  const dying = Array.from({ length: 4 }, () => ended(program(path, "die")));
  expect(await Promise.all(dying)).toEqual(Array.from({ length: 4 }, () => "SIGKILL"));
  expect(await Promise.all(counting)).toEqual([0, 0, 0]);
  expect(readFileSync(path, "utf8")).toBe("180");
  // One may have died after the others had counted.
  withLock(path, () => {}, 0);
  expect(readdirSync(join(path, ".."))).toEqual(["count"]);
});

test("a stopped process still holds its lock; a zombie does not", async () => {
  const path = join(temporaryFolder(), "chain");
  const holder = program(path, "hold");
  await line(holder);
  holder.kill("SIGSTOP");
  expect(() => withLock(path, () => {}, 700)).toThrow(/which is running/);
  holder.kill("SIGKILL");
  await ended(holder);
  withLock(path, () => {}, 0);
  // The shell becomes a program that waits for no child.
  const dead = await line(start("/bin/sh", ["-c", "sleep 0.3 & echo $!; exec sleep 60"]));
  while (!/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${dead}/stat`, "latin1")))
    await new Promise((done) => setTimeout(done, 5));
  symlinkSync(named({ p: dead, s: "" }), `${path}.lock`);
  withLock(path, () => {}, 0);
});

test("a process notices that its lock was removed before it replaces the file", () => {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, "before");
  const change = (taken: () => void) =>
    withLock(path, (held) => {
      taken();
      writeAtomically(path, "after", 0o600, held);
    });
  const other = named({ m: "0123abcd" });
  for (const taken of [
    () => execFileSync("rm", [`${path}.lock`]),
    () => execFileSync("ln", ["-sfn", other, `${path}.lock`]),
  ]) {
    expect(() => change(taken)).toThrow(/file\.lock was taken away: nothing was changed; try again/);
    expect(readFileSync(path, "utf8")).toBe("before");
  }
  // It does not remove the lock of another process.
  expect(readlinkSync(`${path}.lock`)).toBe(other);
  expect(readdirSync(join(path, "..")).sort()).toEqual(["file", "file.lock"]);
});

const canUnshare = (): boolean => {
  try {
    execFileSync("unshare", ["-Upf", "--kill-child", "--mount-proc", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

test(
  "a lock of another container's process is never broken, not even when the process ended",
  needs(!canUnshare() && "namespaces of the kernel"),
  async () => {
    const folder = temporaryFolder();
    const path = join(folder, "chain");
    const holder = start("unshare", ["-Upf", "--kill-child", "--mount-proc", process.execPath, PROGRAM, path, "hold"]);
    // Its number in the container. Outside, another process has this number, or none.
    const pid = await line(holder);
    expect(() => withLock(path, () => {}, 700)).toThrow(
      `chain.lock is held by process ${pid} of another machine or container`,
    );
    holder.kill("SIGKILL");
    expect(() => withLock(path, () => {}, 700)).toThrow(/remove the file/);
    execFileSync("rm", [`${path}.lock`]);
    withLock(path, () => {}, 0);
  },
);

test("drafts are removed when the process that wrote them ended, unless it is of another machine or container", () => {
  const folder = temporaryFolder();
  const draft = (parts: Record<string, string>): string => {
    const name = `file.${named(parts).replace(/\..*/, "")}.01234567.tmp`;
    writeFileSync(join(folder, name), "");
    return name;
  };
  draft({ p: "999999999" });
  draft({ b: "0123ab" });
  const left = [draft({}), draft({ m: "0123abcd" }), draft({ n: "0123ab", p: "999999999" })];
  removeDrafts(folder);
  expect(readdirSync(folder).sort()).toEqual(left.sort());
});
