/** Takes a lock and increments the number in the file that it protects: `PATH DO TIMES`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { withLock } from "../../src/disk/lock-file.ts";

const [, , path = "", what = "", times = "1"] = process.argv;
const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const count = (slow: number): void => {
  const before = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
  pause(slow);
  writeFileSync(path, String(before + 1));
};

if (what === "die") withLock(path, () => process.kill(process.pid, "SIGKILL"), 60_000);
if (what === "hold")
  withLock(path, () => {
    process.stdout.write(`${process.pid}\n`);
    pause(60_000);
  });
for (let at = 0; at < Number(times); at++) withLock(path, () => count(what === "slowly" ? 700 : 0), 60_000);
