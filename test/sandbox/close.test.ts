import { closeSync, openSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onToolCall, temporaryFolder } from "../support/session.ts";
import { descriptors, eventually, inGroups } from "./proc.ts";
import { runHost } from "./run-host.ts";

const HOOK = onToolCall('if (event.input.command === "hang") await new Promise(() => {});');
const nothing = { descriptors: [], resources: [], processes: 0 };

test.each(["close", "close-twice", "close-during-call"])("%s leaves no process, timer or descriptor", async (mode) => {
  const host = runHost(mode, HOOK);
  const fact = await host.next();
  expect(fact).toMatchObject(nothing);
  expect(fact.pids?.length).toBeGreaterThan(0);
  expect(await host.ended).toBe(0);
  await eventually("the end of watchers too", () => inGroups(fact.pids ?? []).length === 0);
});

test("a call in flight is blocked when the host is closed", async () => {
  const host = runHost("close-during-call", HOOK);
  await host.next();
  expect((await host.next()).verdict).toMatchObject({ block: true });
});

test("closing during the reload of a hook leaves nothing, soon after or after the reload", async () => {
  const host = runHost("close-during-start", HOOK);
  await host.next();
  expect(await host.next()).toMatchObject(nothing);
  expect(await host.ended).toBe(0);
});

test("a host program that forgets to close still exits, and so do its sandboxes", async () => {
  const host = runHost("forget", HOOK);
  const { verdict, pids = [] } = await host.next();
  expect(verdict).toBeNull();
  expect(await host.ended).toBe(0);
  await eventually("the end of all sandboxes", () => inGroups(pids).length === 0);
});

test("a descriptor that the host inherited does not reach its sandboxes", async () => {
  const file = join(temporaryFolder(), "inherited.txt");
  writeFileSync(file, "");
  const open = openSync(file, "a");
  // Node itself hides low numbers from its children; terminals and editors leak high ones.
  const host = runHost("die-idle", HOOK, {}, [...Array(47).fill("ignore"), open]);
  closeSync(open);
  const { pids = [] } = await host.next();
  expect(readlinkSync(`/proc/${host.pid}/fd/50`)).toBe(file);
  for (const pid of inGroups(pids)) expect([...descriptors(pid).values()]).not.toContain(file);
});
