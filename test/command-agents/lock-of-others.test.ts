/** The lock of a daemon in another container, or on a machine that has another name now: it holds while that one listens. */
import { mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { lockPath, socketPath } from "../../src/disk/daemon-places.ts";
import { uniqueName } from "../../src/disk/process-owner.ts";
import { blockOf, World } from "./world.ts";

const GATE = `export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: "judged" })); };`;

const inContainer = (name: string): string => name.replace(/-n[0-9a-f]*-/, "-n0123-");
const onMachine = (name: string): string => name.replace(/^m[0-9a-f]*-/, "mabcd-");

function left(world: World, owner: string): string {
  const lock = lockPath(world.home);
  mkdirSync(dirname(lock), { recursive: true, mode: 0o700 });
  rmSync(lock, { force: true });
  symlinkSync(owner, lock);
  return lock;
}

test.each([
  ["in another container", inContainer],
  ["on a machine of another name", onMachine],
])("a daemon %s that is gone does not keep the next one from starting", async (_where, elsewhere) => {
  const world = new World({ gate: GATE });
  const lock = left(world, elsewhere(uniqueName()));
  expect(blockOf(await world.bash("ls"))).toMatch(/judged$/);
  expect(readlinkSync(lock)).not.toBe(elsewhere(readlinkSync(lock)));
  // Nor one that was killed.
  await world.kill();
  left(world, elsewhere(uniqueName()));
  expect(blockOf(await world.bash("ls"))).toMatch(/judged$/);
});

test("one that listens keeps its lock, and one that answers nothing is named by those who ask", async () => {
  const world = new World({ gate: GATE });
  const owner = inContainer(uniqueName());
  const lock = left(world, owner);
  const silent = createServer().listen(socketPath(world.home));
  try {
    expect(blockOf(await world.bash("ls", "s", { waitMs: 3000 }))).not.toMatch(/judged$/);
    expect(readlinkSync(lock)).toBe(owner);
    await expect(world.status()).rejects.toThrow(
      `Cordon's daemon did not answer in 5 s; to end it: kill -9 ${process.pid}`,
    );
  } finally {
    silent.close();
  }
});
