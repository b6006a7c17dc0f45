import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { cordon } from "../support/command.ts";
import { on, temporaryFolder, writeFiles } from "../support/session.ts";

test("a revocation also ends what a hook does between events", async () => {
  const folder = temporaryFolder();
  const home = `${folder}/home`;
  const path = `${folder}/hook.ts`;
  const source = on(
    "session",
    `let number = 0;
     setInterval(() => {
       const own = ++number;
       ctx.exec("echo", ["a"]).then(() => console.log(own + " ran"), (error: any) => console.log(own + " " + error.code));
     }, 30);`,
  );
  const grants = { version: 1, hooks: { [path]: { capabilities: { exec: [{ program: "echo", args: ["a"] }] } } } };
  writeFiles(folder, { "hook.ts": source, "work/a": "", "home/grants.json": JSON.stringify(grants) });
  const log: string[] = [];
  await using host = await HookHost.start({
    spare: false,
    cwd: `${folder}/work`,
    home,
    discover: false,
    hooks: [path],
    log: ({ text }) => log.push(text),
  });
  const event = { type: "session", reason: "start", entries: [], sessionFile: null, previousSessionFile: null };
  await host.emit(event as never);
  const numbersOf = (outcome: string): number[] =>
    log.filter((text) => text.endsWith(` ${outcome}`)).map((text) => Number.parseInt(text, 10));
  while (numbersOf("ran").length === 0) await delay(20);
  expect((await cordon(["revoke", path, "exec"], { cwd: folder, home })).code).toBe(0);
  while (numbersOf("NOT_GRANTED").length === 0) await delay(20);
  await delay(200);
  // One that was permitted before may end after others were refused.
  expect(Math.max(...numbersOf("ran"))).toBeLessThan(Math.min(...numbersOf("NOT_GRANTED")));
});

test("a revocation ends a running program, even if nothing else happens", async () => {
  const folder = temporaryFolder();
  const home = `${folder}/home`;
  const path = `${folder}/hook.ts`;
  const source = on(
    "session",
    `ctx.exec("sleep", ["600"]).then((done: any) => console.log("ended " + done.killed), (error: any) => console.log("ended " + error.code));`,
  );
  const entry = { program: "sleep", args: ["600"], fullAccess: true };
  writeFiles(folder, {
    "hook.ts": source,
    "work/a": "",
    "home/grants.json": JSON.stringify({ version: 1, hooks: { [path]: { capabilities: { exec: [entry] } } } }),
  });
  const log: string[] = [];
  await using host = await HookHost.start({
    spare: false,
    cwd: `${folder}/work`,
    home,
    discover: false,
    hooks: [path],
    log: ({ text }) => log.push(text),
  });
  const event = { type: "session", reason: "start", entries: [], sessionFile: null, previousSessionFile: null };
  await host.emit(event as never);
  expect((await cordon(["revoke", path, "exec"], { cwd: folder, home })).code).toBe(0);
  await expect.poll(() => log.find((line) => line.startsWith("ended ")), { timeout: 20_000 }).toBe("ended true");
});
