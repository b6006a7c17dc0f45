import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { verifyAudit } from "../../src/audit/verify.ts";
import { HookHost } from "../../src/host/host.ts";
import { factsIn } from "../support/audit-log.ts";
import { onToolCall, scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** Bugs of the past: a call passed that no guard had judged, or a guard was bypassed in another way. */
const RESTART = "Restart it";

test("a gate that fails to load when a person restarts it blocks the call", async () => {
  const session = await startSession(
    { gate: onToolCall("for (;;) {}") },
    {
      ui: scriptedUi({
        select: (_title, options) => {
          writeFileSync(join(session.folder, "hooks", "gate.ts"), "this is no TypeScript (");
          return options.find((option) => option === RESTART) ?? null;
        },
      }),
    },
  );
  expect(await session.call("rm")).toMatchObject({ block: true, hook: "gate" });
});

test("a gate whose neighbour killed their process judges the call after a restart", async () => {
  const { call } = await startSession(
    {
      a: onToolCall(
        "await new Promise((done) => setTimeout(done, 100));\nreturn { block: true, reason: 'a says no' };",
      ),
      b: onToolCall("if (!tried) { tried = true; for (;;) {} }", "let tried = false;"),
    },
    { ui: scriptedUi({ select: () => "Disable it for this session" }) },
  );
  expect(await call("rm")).toMatchObject({ block: true });
});

test("a gate that goes down while another hook's dialog is open blocks", async () => {
  const session = await startSession(
    { a: onToolCall('return { block: true, reason: "a" };'), b: "export default 1;" },
    {
      ui: scriptedUi({
        select: (title) => {
          if (!title.includes("hook b")) return "Keep blocking";
          writeFileSync(join(session.folder, "hooks", "a.ts"), "broken (");
          void session.host.reload("a");
          return "Disable it for this session";
        },
      }),
    },
  );
  expect(await session.call("rm")).toMatchObject({ block: true });
});

test("a hook behind a link out of its project does not get the grant of another project's hook", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "other/.pi/hooks/deploy.ts": onToolCall('return { block: true, reason: "active" };'),
    "evil/keep": "",
  });
  const home = join(folder, "home");
  const start = (project: string) =>
    HookHost.start({ cwd: join(folder, project), home, agentDir: join(folder, "agent"), log: () => {} });
  const other = await start("other");
  const [pending] = other.hooks;
  await other.close();
  const grants = { version: 1, hooks: { [pending?.id as string]: { digest: pending?.digest } } };
  writeFiles(home, { "grants.json": JSON.stringify(grants) });
  mkdirSync(join(folder, "evil", ".pi", "hooks"), { recursive: true });
  symlinkSync(join(folder, "other", ".pi", "hooks", "deploy.ts"), join(folder, "evil", ".pi", "hooks", "x.ts"));
  const evil = await start("evil");
  onTestFinished(() => evil.close());
  expect(evil.hooks.map(({ state }) => state)).toEqual(["pending"]);
  expect(evil.hasHandlers("tool_call")).toBe(false);
});

test("consent to one command is not consent to a command that looks like it", async () => {
  const padded = `true ${"#".repeat(700)}`;
  const asked: string[] = [];
  const { call } = await startSession(
    {
      runner: onToolCall(`
        const codes = [];
        for (const args of ${JSON.stringify([
          ["-c", "echo hi", "x"],
          ["-c", "echo", "hi x"],
          ["-c", padded],
        ])}) {
          codes.push(await ctx.exec("sh", args).then(({ code }) => code, (error) => error.code));
        }
        return { block: true, reason: codes.join() };`),
    },
    {
      ui: scriptedUi(),
      consent: ({ value }) => {
        asked.push(value);
        return asked.length === 1 ? "session" : "deny";
      },
    },
  );
  expect(await call()).toMatchObject({ reason: "0,NOT_GRANTED,NOT_GRANTED" });
  expect(asked).toEqual(['sh -c "echo hi" x', 'sh -c echo "hi x"']);
});

test("a bundle that JSON would make twice as long runs", async () => {
  const { host, call } = await startSession({
    large: `const text = '${'"'.repeat(4_600_000)}';\nexport default () => text;`,
    gate: onToolCall('return { block: true, reason: "judged" };'),
  });
  expect(host.hooks.map(({ id, state }) => [id, state])).toEqual([
    ["large", "active"],
    ["gate", "active"],
  ]);
  expect(await call()).toMatchObject({ block: true, hook: "gate", reason: "judged" });
});

test("two hosts write one audit chain", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { "hooks/gate.ts": onToolCall('return { block: true, reason: "no" };'), "work/keep": "" });
  const options = { cwd: join(folder, "work"), home: join(folder, "home"), discover: false, log: () => {} };
  const hosts = await Promise.all(
    [1, 2].map(() => HookHost.start({ ...options, hooks: [{ path: join(folder, "hooks", "gate.ts"), id: "gate" }] })),
  );
  for (let turn = 0; turn < 20; turn++) {
    await Promise.all(
      hosts.map((host) => host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} })),
    );
  }
  await Promise.all(hosts.map((host) => host.close()));
  const home = join(folder, "home");
  expect(factsIn(home).length).toBeGreaterThan(40);
  const all = await Array.fromAsync(verifyAudit(join(home, "audit")));
  expect(all.filter(({ fault, note }) => fault !== undefined || note !== undefined)).toEqual([]);
});
