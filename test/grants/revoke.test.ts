import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { GrantEntry } from "../../src/grants/grant.ts";
import { HookHost } from "../../src/host/host.ts";
import { changeGrant } from "../../src/store/grants-file.ts";
import { grantsPath } from "../../src/store/grants-text.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

const READS = onToolCall(`
  const tried = (f) => { try { return f(); } catch (e) { return e.code; } };
  const fs = require("node:fs");
  return { block: true, reason: [tried(() => fs.readFileSync("a.txt", "utf8")), tried(() => fs.readFileSync("b.txt", "utf8")), process.env.WANTED].join(" ") };
`);
const FULL = {
  events: { see: ["*"], block: true },
  fs: { read: ["$CWD/a.txt", "$CWD/b.txt"] },
  env: ["WANTED"],
};

async function start(capabilities: object = FULL) {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const path = join(folder, "hook.ts");
  writeFiles(folder, { "hook.ts": READS, "work/a.txt": "A", "work/b.txt": "B" });
  const grant = (powers?: object) =>
    writeFiles(home, {
      "grants.json": JSON.stringify({ version: 1, hooks: powers ? { [path]: { capabilities: powers } } : {} }),
    });
  grant(capabilities);
  const log: string[] = [];
  const host = await HookHost.start({
    spare: false,
    cwd: join(folder, "work"),
    home,
    discover: false,
    hooks: [path],
    log: ({ text }) => log.push(text),
  });
  const ask = async () => {
    // Events within a few milliseconds share one read of the file.
    await delay(20);
    return (
      (await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} })) as {
        reason: string;
      }
    )?.reason;
  };
  return { folder, home, path, grant, host, log, ask };
}

process.env.WANTED = "yes";

test("a revoked power is gone at the next event, and stays gone after a restart", async () => {
  await using session = await disposable(start());
  const { ask, home, path, folder, host, log } = session;
  expect(await ask()).toBe("A B yes");
  const { code, stdout } = await cordon(["revoke", path, "fs"], { cwd: folder, home });
  expect([code, stdout]).toEqual([0, expect.stringContaining(`revoked fs from hook`)]);
  expect(await ask()).toBe("NOT_GRANTED NOT_GRANTED yes");
  expect(log.filter((text) => text.includes("revoked"))).toHaveLength(1);
  await host.reload(path);
  expect(await ask()).toBe("NOT_GRANTED NOT_GRANTED yes");
});

test("what is revoked while a session begins, after its grants were read, is gone", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  writeFiles(folder, { "hook.ts": READS, "work/a.txt": "A", "work/b.txt": "B" });
  const path = join(folder, "hook.ts");
  const capabilities = { ...FULL, env: undefined };
  changeGrant(grantsPath(home), path, () => ({ capabilities }) as GrantEntry);
  const begins = { agentName: "test", cwd: join(folder, "work"), home, discover: false, hooks: [path], spare: false };
  const host = await HookHost.start({
    ...begins,
    log: () => {},
    // The first line comes when the grants were read.
    onAudit: ({ event }) => {
      if (event === "start") rmSync(join(home, "grants.json"));
    },
  });
  const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;
  expect(await host.emitToolCall(call)).toMatchObject({ reason: expect.stringMatching(/^NOT_GRANTED NOT_GRANTED/) });
  await host.close();
});

test("all powers can be revoked at once; the hook still guards", async () => {
  await using session = await disposable(start());
  const { ask, home, path, folder } = session;
  expect(await ask()).toBe("A B yes");
  expect((await cordon(["revoke", path], { cwd: folder, home })).stdout).toContain("revoked fs, env");
  // The hook already has the value of a variable that it read before.
  expect(await ask()).toMatch(/^NOT_GRANTED NOT_GRANTED/);
});

test("a removed pattern, a deleted file and a broken file revoke powers; no change of a file adds one", async () => {
  await using session = await disposable(start({ ...FULL, env: undefined }));
  const { ask, grant, home } = session;
  expect(await ask()).toBe("A B ");
  grant({ ...FULL, fs: { read: ["$CWD/a.txt"] } });
  expect(await ask()).toBe("A NOT_GRANTED ");
  grant(FULL);
  expect(await ask()).toBe("A NOT_GRANTED ");
  writeFileSync(join(home, "grants.json"), "{");
  expect(await ask()).toBe("NOT_GRANTED NOT_GRANTED ");
  grant(FULL);
  expect(await ask()).toBe("NOT_GRANTED NOT_GRANTED ");
});

test("a deleted file revokes all its grants", async () => {
  await using session = await disposable(start());
  const { ask, home } = session;
  rmSync(join(home, "grants.json"));
  expect(await ask()).toMatch(/^NOT_GRANTED NOT_GRANTED/);
});

test("revoking a power without a grant names the granted powers", async () => {
  await using session = await disposable(start());
  const { home, path, folder } = session;
  const { code, stderr } = await cordon(["revoke", path, "send"], { cwd: folder, home });
  expect([code, stderr]).toEqual([
    1,
    `cordon: hook was not granted send; it has: events, fs, env. If a running session allowed it, that ends now\n`,
  ]);
  expect((await cordon(["revoke", "nobody"], { cwd: folder, home })).stderr).toContain("no hook here is called nobody");
});

async function disposable<T extends { host: HookHost }>(starting: Promise<T>): Promise<T & AsyncDisposable> {
  const session = await starting;
  return { ...session, [Symbol.asyncDispose]: () => session.host.close() };
}

test.each<[claim: string, capabilities: object, args: string[], said: string]>([
  [
    "where there is nothing to revoke",
    { events: { see: ["*"], block: true } },
    [],
    "nothing was granted to gate beyond hearing and blocking; what running sessions allowed it ends\n",
  ],
  [
    "of events, what is left",
    { events: { see: ["*"], block: true, rewriteInput: ["*"] } },
    ["events"],
    "of events, gate may only hear and block what it did: running hosts take the rest at its next event\n",
  ],
])("revoke says what it did: %s", async (_claim, capabilities, args, said) => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const gate = join(home, "hooks", "gate.ts");
  writeFiles(home, {
    "hooks/gate.ts": onToolCall(""),
    "grants.json": JSON.stringify({ version: 1, hooks: { [gate]: { capabilities } } }),
  });
  expect(await cordon(["revoke", "gate", ...args], { cwd: folder, home })).toMatchObject({ code: 0, stdout: said });
});

test.each<[entry: object | undefined, power: string, left: object | undefined, said: RegExp]>([
  [undefined, "net", undefined, /was not granted net; it has: events, ui/],
  [{ disabled: ["/nowhere"] }, "net", undefined, /was not granted net; it has: events, ui/],
  [undefined, "limits", undefined, /was not granted limits; it has: events, ui/],
  [undefined, "ui", { events: { see: ["*"], block: true, cancel: true } }, /revoked ui from gate/],
  [{ disabled: ["/nowhere"] }, "ui", { events: { see: ["*"], block: true, cancel: true } }, /revoked ui from gate/],
  [undefined, "events", { events: { see: ["*"], block: true }, ui: expect.any(Array) }, /may only hear and block/],
])("with an entry like %j, revoking %s from one's own hook leaves its other usual powers", async (...row) => {
  const [entry, power, left, said] = row;
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const gate = join(home, "hooks", "gate.ts");
  writeFiles(home, { "hooks/gate.ts": onToolCall("") });
  if (entry) writeFiles(home, { "grants.json": JSON.stringify({ version: 1, hooks: { [gate]: entry } }) });
  for (let time = 0; time < 2; time++) {
    const { stdout, stderr } = await cordon(["revoke", "gate", power], { cwd: folder, home });
    if (time === 0) expect(stdout + stderr).toMatch(said);
    const stored = JSON.parse(readFileSync(join(home, "grants.json"), "utf8")).hooks[gate];
    expect(stored).toMatchObject({ ...entry, revokedAt: expect.any(String) });
    expect(stored.capabilities).toEqual(left);
  }
});
