import { spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLock } from "../../src/lock-file.ts";
import { temporaryFolder } from "../support/session.ts";

const PUT: { name: string; put(lock: string): void }[] = [
  { name: "a lock that was left behind", put: (lock) => aged(lock, -10) },
  { name: "a lock from the future", put: (lock) => aged(lock, 36_000) },
  { name: "a link to nothing", put: (lock) => symlinkSync("/nowhere/at/all", lock) },
  { name: "a link to a file", put: (lock) => symlinkSync("/etc/hostname", lock) },
  { name: "a folder with something in it", put: (lock) => mkdirSync(join(lock, "inside"), { recursive: true }) },
];

function aged(lock: string, seconds: number): void {
  writeFileSync(lock, "");
  const time = Date.now() / 1000 + seconds;
  utimesSync(lock, time, time);
}

test.each(PUT)("$name holds nobody up", ({ put }) => {
  const path = join(temporaryFolder(), "chain");
  put(`${path}.lock`);
  expect(withLock(path, () => "done")).toBe("done");
  expect(withLock(path, () => "again")).toBe("again");
});

test("a lock that another program keeps fresh ends in an error", async () => {
  const path = join(temporaryFolder(), "chain");
  const holder = spawn("/bin/sh", ["-c", `while :; do touch '${path}.lock'; sleep 0.05; done`], { stdio: "ignore" });
  try {
    while (!existsSync(`${path}.lock`)) await new Promise((done) => setTimeout(done, 10));
    expect(() => withLock(path, () => "done")).toThrow("chain.lock is held by another program");
  } finally {
    holder.kill("SIGKILL");
  }
});
