import { existsSync, mkdirSync, renameSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Daemon } from "../../src/daemon/daemon.ts";
import { runFolder, socketPath } from "../../src/disk/daemon-places.ts";
import { temporaryFolder } from "../support/session.ts";

async function started(): Promise<{ daemon: Daemon; home: string }> {
  const home = join(temporaryFolder(), "h");
  const daemon = await Daemon.start(home, "1.0.0");
  if (!daemon) throw new Error("another one runs");
  return { daemon, home };
}

test("a daemon that ends takes its socket with it", async () => {
  const { daemon, home } = await started();
  expect(existsSync(socketPath(home))).toBe(true);
  await daemon.stop();
  expect(existsSync(socketPath(home))).toBe(false);
});

test("one whose place was moved leaves the socket of the next daemon there", async () => {
  const { daemon, home } = await started();
  renameSync(runFolder(home), `${runFolder(home)}-moved`);
  mkdirSync(runFolder(home), { mode: 0o700 });
  const next = createServer().listen(socketPath(home));
  onTestFinished(() => void next.close());
  await new Promise((resolve) => next.once("listening", resolve));
  await daemon.stop();
  expect(existsSync(socketPath(home))).toBe(true);
});
