import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { sampled } from "../support/length.ts";
import { scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** What a person writes by `cordon disable` and `cordon enable`. */
const [DISABLED, ENABLED] = [{ disabled: true }, {}];

/** The host looks at the file once a second. */
const SEEN_MS = 1100;

const CHANGES = [
  { changes: [DISABLED, ENABLED], passes: false },
  { changes: [DISABLED, ENABLED, DISABLED], passes: true },
  { changes: [DISABLED], passes: true },
];

test.each(sampled(CHANGES, 2))(
  "of changes while a hook starts, the last one counts: $changes",
  { timeout: 60_000 },
  async ({ changes, passes }) => {
    const folder = temporaryFolder();
    const [home, path] = [join(folder, "home"), join(folder, "home", "hooks", "guard.ts")];
    writeFiles(folder, {
      "work/x": "",
      "home/hooks/guard.ts": `await new Promise((done) => setTimeout(done, ${(changes.length + 1) * SEEN_MS}));
      export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: "guarded" })); };`,
    });
    const decide = (entry: object): void => {
      writeFiles(home, { "grants.tmp": JSON.stringify({ version: 1, hooks: { [path]: entry } }) });
      renameSync(join(home, "grants.tmp"), join(home, "grants.json"));
    };
    decide(ENABLED);
    const host = await HookHost.start({ cwd: join(folder, "work"), home, discover: "own", spare: false, log() {} });
    onTestFinished(() => host.close());
    const call = () => host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
    expect(await call()).toMatchObject({ block: true, reason: "guarded" });
    const reloaded = host.reload(path);
    for (const entry of changes) {
      decide(entry);
      await delay(SEEN_MS);
    }
    await reloaded;
    await expect.poll(() => host.hooks[0]?.state, { timeout: 20_000 }).toBe(passes ? "stopped" : "active");
    expect(host.hooks[0]?.disabled).toBe(passes);
    if (passes) expect(await call()).toBeUndefined();
    else expect(await call()).toMatchObject({ block: true, reason: "guarded" });
  },
);

test("a hook that a person disables for a session does nothing more", async () => {
  const { host, folder } = await startSession(
    {
      ticks: {
        source: `import { writeFileSync } from "node:fs";
          export default (pi) => {
            let count = 0;
            pi.on("tool_call", () => { setInterval(() => writeFileSync("ticks", String(++count)), 50); });
          };`,
        grant: { capabilities: { events: { see: ["tool_call"], block: true }, fs: { write: ["$CWD/**"] } } },
      },
    },
    { hasUI: true, ui: scriptedUi(), consent: () => "session" },
  );
  const ticks = () => (existsSync(join(folder, "work/ticks")) ? readFileSync(join(folder, "work/ticks"), "utf8") : "");
  await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
  await expect.poll(() => Number(ticks())).toBeGreaterThan(2);
  expect(await host.disable("ticks")).toBe(true);
  const last = ticks();
  await delay(500);
  expect(ticks()).toBe(last);
  expect(host.hooks[0]).toMatchObject({ state: "stopped", disabled: true });
  await host.enable("ticks");
  await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
  await expect.poll(ticks).not.toBe(last);
});
