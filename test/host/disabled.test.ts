import { existsSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { GrantEntry } from "../../src/grants/grant.ts";
import { changeGrant } from "../../src/store/grants-file.ts";
import { eventually } from "../support/eventually.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const GATE = onToolCall('if (event.input.command === "rm") return { block: true, reason: "no rm" };');
const NO_RM = { block: true, reason: "no rm", hook: "gate" };

/** A session whose user's grants have this entry for the hook `gate`, and what changes it. */
async function withEntry(entry: GrantEntry | undefined, home = join(temporaryFolder(), "home"), source = GATE) {
  const path = join(home, "grants.json");
  const decide = (next: GrantEntry | undefined): void => changeGrant(path, "gate", () => next);
  mkdirSync(home, { recursive: true });
  if (entry) decide(entry);
  const session = await startSession({ gate: source }, { home });
  const info = () => session.host.hooks[0];
  return { ...session, decide, info, path };
}

describe("a hook that a person disabled for longer than a session", () => {
  test("does not run, and blocks nothing", async () => {
    const { call, info, audit } = await withEntry({ disabled: true });
    expect(info()).toMatchObject({ state: "stopped", disabled: true, reason: "a person disabled it", events: [] });
    expect(await call("rm")).toBeUndefined();
    expect(audit.filter(({ event }) => event === "load")).toEqual([]);
  });

  test("in other projects runs in this one", async () => {
    const { call, folder } = await withEntry({ disabled: ["/elsewhere", "work", "."] });
    expect(existsSync(join(folder, "work"))).toBe(true);
    expect(await call("rm")).toEqual(NO_RM);
  });

  test("in this project, by its real path, does not run in it, whatever the session calls it", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "link"));
    const home = join(folder, "home");
    writeFiles(home, {
      "grants.json": JSON.stringify({
        version: 1,
        hooks: { gate: { disabled: [realpathSync(join(folder, "real"))] } },
      }),
    });
    for (const name of ["real", "link"]) {
      const { call } = await startSession({ gate: GATE }, { home, cwd: join(folder, name) });
      expect(await call("rm")).toBeUndefined();
    }
    const { call } = await startSession({ gate: GATE }, { home });
    expect(await call("rm")).toEqual(NO_RM);
  });

  test("stops where it runs, with what it started, and runs again with the powers that it had", async () => {
    const exec = [{ program: "sleep", args: ["60"], fullAccess: true as const }];
    const entry = { capabilities: { events: { see: ["tool_call"], block: true }, exec } };
    const { call, info, decide, audit } = await withEntry(
      entry,
      undefined,
      onToolCall(`
        if (event.input.command === "start") void ctx.exec("sleep", ["60"]).then(({ killed }) => console.log("ended", killed));
        if (event.input.command === "rm") return { block: true, reason: "no rm" };`),
    );
    expect(await call("start")).toBeUndefined();
    await eventually(() => expect(audit.some(({ capability }) => capability === "exec")).toBe(true));
    decide({ ...entry, disabled: true });
    await eventually(async () => expect(await call("rm")).toBeUndefined());
    await eventually(() => expect(info()).toMatchObject({ state: "stopped", disabled: true }));
    expect(audit.filter(({ event }) => event === "disable")).toMatchObject([{ hook: "gate", outcome: "disabled" }]);
    decide(entry);
    await eventually(async () => expect(await call("rm")).toEqual(NO_RM));
    expect(info()).toMatchObject({ state: "active", disabled: false, capabilities: { exec } });
  });

  test("has no powers more after it was enabled than it had", async () => {
    const { info, decide } = await withEntry({ capabilities: { events: { see: ["tool_call"] } }, disabled: true });
    decide({ capabilities: { events: { see: ["tool_call"] }, fs: { read: ["/etc/**"] } } });
    await eventually(() => expect(info()).toMatchObject({ state: "active" }));
    expect(info()?.capabilities).not.toHaveProperty("fs");
  });

  test("runs where the embedding agent has an entry of its own for it", async () => {
    const home = join(temporaryFolder(), "home");
    writeFiles(home, { "grants.json": JSON.stringify({ version: 1, hooks: { gate: { disabled: true } } }) });
    const { call } = await startSession({ gate: { source: GATE, grant: {} } }, { home });
    expect(await call("rm")).toEqual(NO_RM);
  });

  test("is not enabled by a person in the agent, who is told the command", async () => {
    const { host } = await withEntry({ disabled: true });
    await expect(host.enable("gate")).rejects.toThrow("was disabled for longer than this session; run: cordon enable");
  });

  test("runs, and guards, when the file that disabled it is gone or broken", async () => {
    const { call, path } = await withEntry({ disabled: true });
    expect(await call("rm")).toBeUndefined();
    writeFiles(join(path, ".."), { "grants.json": "{" });
    await eventually(async () => expect(await call("rm")).toEqual(NO_RM));
  });

  test.each([[false], [""], ["yes"], [[]], [[1]], [{}], [null], [0]])(
    "an entry that is disabled by %j is refused, and not read as one or the other",
    async (disabled) => {
      const home = join(temporaryFolder(), "home");
      writeFiles(home, { "grants.json": JSON.stringify({ version: 1, hooks: { gate: { disabled } } }) });
      await expect(startSession({ gate: GATE }, { home })).rejects.toMatchObject({ code: "BAD_GRANT" });
    },
  );

  test("that an organisation requires blocks each call", async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { "policy.json": JSON.stringify({ version: 1, required: ["gate"] }) });
    vi.stubEnv("CORDON_POLICY", join(folder, "policy.json"));
    try {
      const { call } = await withEntry({ disabled: true });
      expect(await call("ls")).toMatchObject({
        block: true,
        reason: expect.stringContaining("requires the hook gate: it is disabled; run: cordon enable gate"),
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
